"""Takes memory on a bad request, in the way that the first argument chooses.

A second argument makes it say with each answer that this took 64 bytes.
"""

import sys
import threading

from peer import is_bad, requests, write

WAYS = {
    "untouched": lambda: bytes(2**29),
    "hundred-mib": lambda: bytes(100 * 2**20),
    "touched": lambda: [None] * 2**25,
    "small-pieces": lambda: [bytes(1000) for _ in range(300_000)],
    "little": lambda: bytearray(2**24),
    "reserves": lambda: threading.Thread(target=lambda: [bytes(2000)] * 10).start(),
}
says = {"allocated": 64} if sys.argv[2:] else {}
kept = []
for request in requests():
    if is_bad(request):
        kept.append(WAYS[sys.argv[1]]())
        kept.clear()
    write({"id": request["id"], "bytes": request["bytes"], **says})
