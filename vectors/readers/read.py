"""Prints `id message version header length sha256` for each vector of the files given."""

import hashlib
import json
import sys

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            vector = json.loads(line)
            data = bytes.fromhex(vector["bytes"])
            header = "-" if vector["header"] is None else vector["header"]
            digest = hashlib.sha256(data).hexdigest()
            print(vector["id"], vector["message"], vector["version"], header, len(data), digest)
