"""What imports the reference codec for messages does not pay for batches of records."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("library", ["crc32c", "cramjam"])
def test_the_reference_codec_needs_no_library_for_batches(library: str) -> None:
    program = f"import sys, conformance.reference.codec; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
