"""Allocates 192 MiB on a bad request."""

from peer import echo, is_bad, requests

for request in requests():
    eaten = bytearray(192 * 1024 * 1024) if is_bad(request) else b""
    echo(request)
