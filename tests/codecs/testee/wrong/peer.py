"""What the faulty testees beside this file have in common: a hello, and a loop over the requests.

The message of a request is the switch: each script misbehaves on `BadRequest` (or always), and
echoes the bytes of anything else.
"""

import json
import sys

HELLO = {
    "protocol": 1,
    "name": "wrong",
    "version": "0",
    "ops": ["roundtrip", "decode", "encode"],
    "messages": {"GoodRequest": [0, 9], "BadRequest": [0, 9]},
    "window": 8,
}


def write(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def requests(**hello):
    """Answer hello, then yield each request."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            write({**HELLO, **hello})
        else:
            yield request


def echo(request):
    write({"id": request["id"], "bytes": request["bytes"]})


def is_bad(request):
    return request["message"] == "BadRequest"
