"""Takes memory on a bad request, in the way that the first argument chooses, and never says so."""

import sys
import threading

from peer import echo, is_bad, requests

WAYS = {
    "untouched": lambda: bytes(2**29),
    "touched": lambda: [None] * 2**25,
    "small-pieces": lambda: [bytes(1000) for _ in range(300_000)],
    "little": lambda: bytearray(2**24),
    "reserves": lambda: threading.Thread(target=lambda: [bytes(2000)] * 10).start(),
}
kept = []
for request in requests():
    if is_bad(request):
        kept.append(WAYS[sys.argv[1]]())
        kept.clear()
    echo(request)
