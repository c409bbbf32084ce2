"""Writes far more to stderr than a pipe holds, before each of its answers."""

import sys

from peer import echo, requests

for request in requests():
    for number in range(50_000):
        print("line", number, file=sys.stderr)
    echo(request)
