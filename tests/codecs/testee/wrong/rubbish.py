"""Writes something else than an answer, which the first argument chooses."""

import sys

from peer import echo, is_bad, requests, write

for request in requests():
    if not is_bad(request):
        echo(request)
        continue
    match sys.argv[1]:
        case "not-json":
            print("DEBUG decoding", flush=True)
        case "not-utf-8":
            sys.stdout.buffer.write(b'{"id":%d,"rejected":"\xff"}\n' % request["id"])
            sys.stdout.flush()
        case "too-deep":
            print("[" * 100_000, flush=True)
        case "empty-line":
            print(flush=True)
        case "not-an-object":
            write([request["id"]])
        case "no-id":
            write({"bytes": ""})
        case "wrong-id":
            write({"id": request["id"] + 1000, "bytes": ""})
        case "id-as-text":
            write({"id": str(request["id"]), "bytes": ""})
        case "nothing":
            write({"id": request["id"]})
        case "both":
            write({"id": request["id"], "bytes": "", "rejected": "no"})
        case "odd-hex":
            write({"id": request["id"], "bytes": "abc"})
        case "upper-case-hex":
            write({"id": request["id"], "bytes": "AB"})
        case "value-for-bytes":
            write({"id": request["id"], "value": {}, "remaining": 0})
        case "adapter-error":
            write({"id": request["id"], "adapter-error": "encode returned str, not bytes"})
