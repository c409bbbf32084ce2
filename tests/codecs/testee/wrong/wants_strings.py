"""Wants 64-bit integers as strings; rejects every value with the value itself as the text."""

import json

from peer import requests, write

for request in requests(int64="string"):
    write({"id": request["id"], "rejected": json.dumps(request["value"])})
