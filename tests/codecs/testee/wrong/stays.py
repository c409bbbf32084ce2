"""Answers well, but ends neither at the end of its stdin nor on SIGTERM."""

import signal

from peer import echo, requests

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for request in requests():
    echo(request)
while True:
    signal.pause()
