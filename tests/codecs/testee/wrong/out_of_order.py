"""Collects two requests and answers the second before the first."""

from peer import echo, requests

kept = None
for request in requests():
    if kept is None:
        kept = request
        continue
    echo(request)
    echo(kept)
    kept = None
