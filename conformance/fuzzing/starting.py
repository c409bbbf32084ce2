"""The start of a fuzzing process: its command, its limits, and the path to our code."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import msgspec

import conformance
from conformance.fuzzing.process import MOST_INPUT_BYTES
from conformance.fuzzing.settings import FuzzSettings

TIMEOUT_S = 10


def command_of(settings: FuzzSettings) -> list[str]:
    """The program, to which libFuzzer's options and corpora are added."""
    given = msgspec.json.encode(settings).decode()
    return [sys.executable, "-m", "conformance.fuzzing.process", given]


def bounds(settings: FuzzSettings) -> list[str]:
    """Of one execution, as libFuzzer's options; and where it puts what goes beyond."""
    return [
        f"-artifact_prefix={Path(settings.folder) / 'ended'}/",
        f"-timeout={TIMEOUT_S}",
        f"-rss_limit_mb={settings.memory_mib}",
        f"-max_len={MOST_INPUT_BYTES}",
    ]


def environment(settings: FuzzSettings) -> dict[str, str]:
    """Ours, with the package to be found where the settings say, or where it is found here."""
    code = settings.code or str(Path(conformance.__file__).absolute().parents[1])
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (code, before)))}


def sha1(data: bytes) -> str:
    """Return libFuzzer's name for an input."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
