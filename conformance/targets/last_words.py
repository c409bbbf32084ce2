"""The last output of a program to its log, for the error that reports its end."""

from __future__ import annotations

import os
from typing import IO

from conformance.targets.errors import shorten

_LAST_BYTES = 2048


def last_line(log: IO[bytes]) -> str:
    """Its last line, read without moving the place where it writes."""
    size = os.fstat(log.fileno()).st_size
    end = os.pread(log.fileno(), _LAST_BYTES, max(0, size - _LAST_BYTES))
    lines = end.decode("utf-8", "replace").split("\n")
    return next((shorten(line, 300) for line in reversed(lines) if line.strip()), "nothing")
