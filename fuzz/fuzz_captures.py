"""The readers of captures: any bytes are traffic, or refused with a reason.

An input stands as it is for a file, and, behind the head of a capture, for a packet's bytes.
"""

import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["conformance"], enable_loader_override=False):
    from conformance.captures.audit.auditing import audit_part
    from conformance.captures.errors import CaptureError

ETHERNET = 1
HEAD = struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 16, ETHERNET)
FILE = Path(tempfile.mkdtemp(prefix="fuzz-captures-"), "input.pcap")


def test_one_input(data: bytes) -> None:
    """Audit it both ways."""
    packet = HEAD + struct.pack(">IIII", 0, 0, len(data), len(data)) + data
    for content in (data, packet):
        FILE.write_bytes(content)
        with suppress(CaptureError):
            for _ in audit_part([FILE], ports=None):
                pass


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
