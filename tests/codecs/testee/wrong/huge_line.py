"""Answers a bad request with one line of more than 16 MiB."""

from peer import echo, is_bad, requests

for request in requests():
    if is_bad(request):
        request["bytes"] = "00" * (8 * 1024 * 1024)
    echo(request)
