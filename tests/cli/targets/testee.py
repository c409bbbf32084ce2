"""A testee of MetadataRequest 0 that breaks the protocol as its first argument says."""

import json
import os
import sys

HELLO = {
    "protocol": 1,
    "name": "testee",
    "version": "1",
    "ops": ["roundtrip"],
    "messages": {"MetadataRequest": [0, 3]},
    "window": 4,
}
MORE = ("VoteRequest", "VoteResponse", "DescribeQuorumRequest", "DescribeClusterRequest")
UNKNOWN_TAG = "904e"
how = sys.argv[1]
if how in ("dies-of-tags", "dies-of-quorums"):
    HELLO["messages"] = {message: [0, 2] for message in (*MORE, "MetadataRequest")}
kept = None


def write(answer):
    print(json.dumps(answer), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request.get("id"), "bytes": request.get("bytes")}
    if request["op"] == "hello":
        write({**HELLO, "messages": {"NoSuchMessage": [0, 1]}} if how == "nothing" else HELLO)
    elif how == "rubbish":
        print("DEBUG: decoding", flush=True)
    elif how == "wrong-id":
        write({**answer, "id": request["id"] + 7})
    elif how == "dies":
        print("Segmentation fault", file=sys.stderr)
        os._exit(139)
    elif how == "out-of-order":
        if kept:
            write(answer)
            write(kept)
        kept = None if kept else answer
    elif how == "dies-of-tags" and UNKNOWN_TAG in request["bytes"]:
        os._exit(139)
    elif how == "dies-of-quorums" and request["message"] == "DescribeQuorumRequest":
        os.abort()
    elif how == "dies-of-tags" and request["message"] == "MetadataRequest":
        write({**answer, "bytes": "00"})
    elif how.startswith("--"):
        write({"id": request["id"], "rejected": " ".join(sys.argv[1:]), "error": "Told"})
    else:
        write(answer)
