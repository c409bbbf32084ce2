"""Never answers a bad request; deaf to everything but SIGKILL meanwhile and ever after."""

import signal

from peer import echo, is_bad, requests

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for request in requests():
    while is_bad(request):
        signal.pause()
    echo(request)
