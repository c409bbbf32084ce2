"""Serves until the file that the first argument names exists, which a bad request creates."""

import os
import sys
from pathlib import Path

from peer import echo, is_bad, requests

broken = Path(sys.argv[1])
at_hello = sys.argv[2] == "at-hello"
if at_hello and broken.exists():
    sys.exit(9)
for request in requests():
    if is_bad(request):
        broken.touch()
    if broken.exists():
        os._exit(9)
    echo(request)
