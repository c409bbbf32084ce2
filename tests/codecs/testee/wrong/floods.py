"""Writes without end and without a newline to stdout, on a bad request."""

import os

from peer import echo, is_bad, requests

for request in requests():
    while is_bad(request):
        os.write(1, b"x" * 65536)
    echo(request)
