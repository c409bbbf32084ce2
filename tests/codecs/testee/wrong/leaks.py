"""Keeps what each call opened or made: "files" (so many a call), or "memory" (so many KiB)."""

import os
import sys

from peer import echo, requests, write

kept = []
what, count = sys.argv[1], int(sys.argv[2])
for request in requests():
    try:
        if what == "files":
            kept.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(count))
        else:
            kept.append(b"x" * (count * 1024))
    except OSError as error:
        write({"id": request["id"], "rejected": str(error), "error": "OSError"})
    except MemoryError:
        write({"id": request["id"], "crashed": "MemoryError"})
    else:
        echo(request)
