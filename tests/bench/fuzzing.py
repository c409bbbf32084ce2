"""Executions a second of the fuzzer beside a bare atheris loop over the same decoder.

All on ApiVersionsResponse v3, one process at a time, from the same golden vectors, the code watched
in the same way. The bare loop has no oracle, no record of what it does, and no message but this.

    python -m tests.bench.fuzzing [ROUNDS [TARGET...]]
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from conformance.fuzzing.campaign import write_inputs
from conformance.fuzzing.inputs import HEAD_BYTES, seeds
from conformance.fuzzing.session import settings_of
from conformance.fuzzing.settings import FuzzSettings

MESSAGE, VERSION = "ApiVersionsResponse", 3
RUNS = {"reference": 300_000, "kafka-python": 60_000}
"""How long the loops are; others, such as kio, end a bare loop before that."""
_COUNT = re.compile(rb"#(\d+)\t(INITED|DONE)")

BARE = f"""
import contextlib, sys
import atheris, msgspec
from conformance.fuzzing.instrument import instrumented_codec
from conformance.fuzzing.settings import Settings
from conformance.reference.codec import ReferenceCodec

settings = msgspec.json.decode(sys.argv.pop(1), type=Settings)
codec = instrumented_codec(settings)
if not settings.codec:
    codec = ReferenceCodec()  # its decoders are watched now, and it says why it refuses

def execute(data):
    with contextlib.suppress(Exception):
        codec.decode("{MESSAGE}", {VERSION}, data)

atheris.Setup(sys.argv, execute)
atheris.Fuzz()
"""


def main() -> None:
    """Print medians and spreads, and the ratios to the bare loop of the same round."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    table = Table("decoder", "loop", "executions a second", "of the bare loop")
    for target in sys.argv[2:] or RUNS:
        settings = settings_of(target, FuzzSettings())
        runs = [_round(settings, RUNS[target]) for _ in range(rounds)]
        for loop in runs[0]:
            rates = [run[loop] for run in runs]
            ratio = statistics.median(run[loop] / run["bare"] for run in runs)
            spread = f"{statistics.median(rates):,.0f} ({min(rates):,} to {max(rates):,})"
            table.add_row(target, loop, spread, f"{ratio:.2f}")
    Console().print(table)


def _round(settings: FuzzSettings, runs: int) -> dict[str, int]:
    """Executions a second of each loop, one after the other."""
    ours = [sys.executable, "-m", "conformance.fuzzing.process"]
    bare = [sys.executable, "-c", BARE]
    by_bytes = msgspec.structs.replace(settings, structure=False)
    return {
        "bare": _rate(bare, settings, runs, HEAD_BYTES),
        "by bytes": _rate(ours, by_bytes, runs),
        "with structure": _rate(ours, settings, runs),
    }


def _rate(command: list[str], settings: FuzzSettings, runs: int, without: int = 0) -> int:
    """Of one loop, on inputs that lack so many of their first bytes."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        bodies = (each for each in seeds([MESSAGE], frozenset({VERSION})) if not each[3])
        write_inputs(corpus, (each[without:] for each in bodies))
        if not without:
            settings = msgspec.structs.replace(settings, folder=folder)
        options = [f"-artifact_prefix={folder}/", f"-runs={runs}", "-max_len=4096", "-seed=1"]
        whole = [*command, msgspec.json.encode(settings).decode(), *options, str(corpus)]
        return round(_pace(whole))


def _pace(command: list[str]) -> float:
    """Executions a second from when the corpus is read to the end."""
    said: dict[bytes, tuple[int, float]] = {}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := _COUNT.match(line):
                said[found[2]] = int(found[1]), time.monotonic()
    if len(said) < 2:
        raise SystemExit(f"{' '.join(command[:3])[:60]} ended by itself")
    (first, began), (last, ended) = said[b"INITED"], said[b"DONE"]
    return (last - first) / (ended - began)


if __name__ == "__main__":
    main()
