"""Ends on a bad request, in the way that the first argument chooses."""

import os
import signal
import sys

from peer import echo, is_bad, requests

for request in requests():
    if not is_bad(request):
        echo(request)
    elif sys.argv[1] == "abort":
        print("assertion failed: length >= 0", file=sys.stderr, flush=True)
        os.abort()
    elif sys.argv[1] == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif sys.argv[1] == "close":
        os.close(1)
        signal.pause()
    else:
        os._exit(4)
