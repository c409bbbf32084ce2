"""Answers well, but for one carelessness about lines, which the first argument names."""

import json
import sys

from peer import HELLO, write

how = sys.argv[1]
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        write({**HELLO, "messages": {"MetadataRequest": [0, 1]}, "ops": ["roundtrip"]})
    elif request["op"] != "roundtrip":
        if how == "dies of an unknown op":
            sys.exit(1)
        write({"id": request["id"], "unsupported": request["op"]})
    elif len(request["bytes"]) % 2 or not request["bytes"].endswith(("61", "ffffffff")):
        write({"id": request["id"], "rejected": "too short"})
    elif how == "refuses unknown keys" and "x-unknown" in request:
        write({"id": request["id"], "rejected": "unknown key"})
    elif how == "ids as 32-bit floats" and request["id"] > 2**24:
        write({"id": request["id"] & ~0xFF, "bytes": request["bytes"]})
    else:
        write({"id": request["id"], "bytes": request["bytes"]})
if how == "says goodbye":
    print("bye")
if how == "exits with 1":
    sys.exit(1)
