"""Ends on the third request of its life, whichever that is."""

import os

from peer import echo, requests

for number, request in enumerate(requests(), 1):
    if number == 3:
        os._exit(1)
    echo(request)
