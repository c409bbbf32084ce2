"""Takes memory by itself, as a runtime does: with the second request, whatever that is."""

from peer import echo, requests

kept = []
for number, request in enumerate(requests()):
    if number == 2:
        kept.append(bytes(2**27))
    echo(request)
