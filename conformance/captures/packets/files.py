"""Capture files, read one packet at a time: of a file of any size, one block is in memory.

One format is a header and records, the other a sequence of blocks; both come in either byte order.
The readers are our own: the light libraries for these formats have had no release since 2022 and
trust every length, and none of them heeds a second section. A file that is cut short ends the
packets with a note, as a capture does that was stopped by force; a file of another kind is an
error.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, cast

from conformance.captures.errors import CaptureError
from conformance.captures.packets import pcap, pcapng
from conformance.captures.packets.packets import BUFFER_BYTES, Cut, Packet, PacketSource, Reader

_GZIP = b"\x1f\x8b"
ENDINGS = (".pcap", ".pcapng", ".cap", ".pcap.gz", ".pcapng.gz", ".cap.gz")
"""The endings of the names of captures."""
_AGAIN = "capture it again"


def packets(path: Path, cut: Callable[[str], None] = lambda _: None) -> Iterator[Packet]:
    """Yield every packet of a pcap or pcapng file, which may be compressed with gzip.

    `cut` is called with the reason if the file ends early. Raises CaptureError if it is no capture.
    """
    with closing(_open(path)) as file:
        source = PacketSource(file, str(path))
        try:
            yield from _reader(source)(source)
        except Cut as error:
            cut(f"{path.name}: {error}")


def broker_port(path: Path) -> int | None:
    """Return the broker's port if the file names it, as the files of a tap do."""
    with closing(_open(path)) as file:
        source = PacketSource(file, str(path))
        try:
            if source.read(4) == pcapng.SECTION:
                return pcapng.broker_port(source)
        except (Cut, CaptureError):
            pass  # the fault is reported when the packets are read
    return None


def is_capture(data: bytes) -> bool:
    """True if bytes are the begin of a capture, compressed or not."""
    if data[:2] == _GZIP:
        with io.BytesIO(data) as file, gzip.open(file) as inner:
            try:
                data = inner.read(4)
            except (EOFError, OSError, zlib.error):
                return False
    return data[:4] in pcap.MAGICS or data[:4] == pcapng.SECTION


def _open(path: Path) -> BinaryIO:
    try:
        file = io.BufferedReader(io.FileIO(path), BUFFER_BYTES)
    except OSError as error:
        raise CaptureError(f"{path}: {error.strerror}", "is it a capture?") from None
    if file.peek(2)[:2] != _GZIP:
        return file
    file.close()
    return cast("BinaryIO", gzip.open(path))


def _reader(source: PacketSource) -> Reader:
    """Return the reader of the format that the first four bytes name."""
    try:
        magic = source.read(4)
    except Cut as error:
        raise CaptureError(f"{source.name}: {error}", _AGAIN) from None
    if not magic:
        raise CaptureError(f"{source.name}: the file is empty", _AGAIN)
    if magic in pcap.MAGICS:
        return pcap.reader(magic)
    if magic == pcapng.SECTION:
        return pcapng.packets
    hint = "pcap and pcapng are read, as tcpdump and Wireshark write them"
    raise CaptureError(f"{source.name}: no capture, it begins with {magic.hex()}", hint)


def names_capture(text: str) -> bool:
    """True if an argument is the name of a capture, by its ending or by the file's bytes."""
    if text.endswith(ENDINGS):
        return True
    path = Path(text)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return is_capture(file.read(4096))
    except (OSError, ValueError):  # a text too long for a name, or with a zero byte: no file
        return False
