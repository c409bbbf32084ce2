"""Starts a child that holds its pipes open, and ends on a bad request without it."""

import os
import signal

from peer import echo, is_bad, requests

if os.fork() == 0:
    while True:
        signal.pause()
for request in requests():
    if is_bad(request):
        os._exit(0)
    echo(request)
