"""Gives its answers in batches, as buffered output does, and aborts or hangs on a bad request."""

import os
import select
import signal
import sys

from peer import is_bad, requests, write

held = []
for request in requests():
    if is_bad(request):
        os.abort() if sys.argv[1] == "abort" else signal.pause()
    held.append({"id": request["id"], "bytes": request["bytes"]})
    if not select.select([0], [], [], 0.02)[0]:
        for answer in held:
            write(answer)
        held.clear()
