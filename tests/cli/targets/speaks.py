"""A codec of `hardening` that speaks the protocol by itself, as carelessly as a first try does.

Memory that it is not given, and recursion, end it. A second argument, in hex, is written in place
of null topics: what another language's JSON library may write.
"""

import json
import sys

import hardening  # type: ignore[import-not-found]

codec = getattr(hardening, sys.argv[1])()
instead = [bytes.fromhex(text) for text in sys.argv[2:]]
for line in sys.stdin.buffer:
    request = json.loads(line)
    method = getattr(codec, request["op"].replace("-", "_"))
    names = ("message", "version", "header", "bytes", "value")
    given = [
        bytes.fromhex(request[name]) if name == "bytes" else request[name]
        for name in names
        if name in request
    ]
    answer = {"id": request.get("id"), "protocol": 1}
    try:
        returned = method(*given)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        answer |= {"rejected": str(error)}
    else:
        match returned:
            case dict():
                answer |= {**returned, "window": 8, "language": "python"}
            case bytes():
                answer["bytes"] = returned.hex()
            case _:
                keys = ["header", "value", "remaining", "version"]
                answer |= zip(keys if len(returned) > 2 else keys[1:], returned, strict=False)
    text = json.dumps(answer).encode()
    for each in instead:
        text = text.replace(b'"topics": null', b'"topics": ' + each)
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()
