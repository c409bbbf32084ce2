"""The memory and files of a process, as the kernel reports them.

A testee may report what a call allocated; for one that does not, its peaks are watched from
outside. Two of them, because either alone is blind: memory that is requested and never touched
(`calloc`, a vector with a capacity) moves the address space and not the resident set, and a runtime
that reserved its whole heap at the start moves the resident set and not the address space. Memory
that was only reserved does not count: no page of it can be written.

If the kernel reports nothing (no /proc), nothing is seen and nothing fails.
"""

from __future__ import annotations

import contextlib
import os
from typing import Final

_STATUS_BYTES: Final = 4096
_PEAKS: Final = (b"VmPeak:", b"VmHWM:", b"VmSize:", b"VmData:")


class Watch:
    """Looks at one process, by the id that it has now."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None
        with contextlib.suppress(OSError):
            self._status = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
        self._peak = self._peak_resident = self._reserved = 0
        self.rise()

    def rise(self) -> int:
        """Return the bytes by which its peak rose since the last look; 0 if unknown."""
        sizes = self._sizes(*_PEAKS)
        if not sizes:
            return 0
        peak, peak_resident, size, data = sizes
        reserved = size - data
        # To align what is reserved, twice as much is mapped for a moment.
        mapped = peak - self._peak - 2 * max(0, reserved - self._reserved)
        touched = peak_resident - self._peak_resident
        self._peak, self._peak_resident, self._reserved = peak, peak_resident, reserved
        return max(mapped, touched, 0)

    def resident(self) -> int:
        """Return its resident bytes; 0 if unknown."""
        return sum(self._sizes(b"VmRSS:"))

    def files(self) -> int:
        """Return the number of its open file handles; 0 if unknown."""
        try:
            return len(os.listdir(f"/proc/{self._pid}/fd"))
        except OSError:
            return 0

    def close(self) -> None:
        """Look no more."""
        if self._status is not None:
            os.close(self._status)
            self._status = None

    def _sizes(self, *keys: bytes) -> list[int]:
        """Bytes, one for each key; none of a process that is gone."""
        if self._status is None:
            return []
        try:
            text = os.pread(self._status, _STATUS_BYTES, 0)
            return [int(text[text.index(key) + len(key) :].split(None, 1)[0]) << 10 for key in keys]
        except (OSError, ValueError):
            return []
