"""`tox run -e bench`: the reference codec beside released Python codecs, in one run.

Prints microseconds and, for each peer, how many times as long it takes; medians of several rounds,
taken in turn, so that a machine that slows down slows all of them. Nothing here is asserted: the
figures are for the reader.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conformance.reference.codec import ReferenceCodec, load_compiled
from tests.bench.timing import Timing, timed
from tests.bench.workloads import RELEASE, workloads

WAYS = ("decode", "encode")
Times = dict[str, Timing]


class Peer:
    """A library in a process of its own, from a folder that holds it or from this environment."""

    def __init__(self, name: str, library: str, folder: str | None = None) -> None:
        self.name = name
        path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("peer.py")), library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def times(self, message: str, api_key: int | None, version: int, data: bytes) -> Times:
        """Seconds of a decode and of an encode."""
        ask = {"message": message, "apiKey": api_key, "version": version, "bytes": data.hex()}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(ask), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} can't be timed: see above")
        return {way: Timing(*figures) for way, figures in json.loads(line).items()}

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Time all workloads and print the table."""
    kio_folder = sys.argv[1] if len(sys.argv) > 1 else None
    peers = [Peer("kafka-python 3.0.12", "kafka-python"), Peer("kio 0.6.5", "kio")]
    if kio_folder:
        peers.append(Peer("kio 0.5.0", "kio", kio_folder))
    codec = ReferenceCodec(RELEASE)
    table = Table("message", "bytes", "way", "µs (spread)", *(peer.name for peer in peers))
    ratios: dict[tuple[str, str], list[float]] = {}
    for (message, version), value in workloads(codec).items():
        form = codec.form(message, version)
        compiled, data = load_compiled(form), codec.encode(message, version, value)
        decoded, _ = codec.decode(message, version, data)
        ours = {
            "decode": timed(lambda c=compiled, d=data: c.decode(d, 0)),  # type: ignore[misc]
            "encode": timed(lambda c=compiled, v=decoded: c.encode(v)),  # type: ignore[misc]
        }
        theirs = {peer.name: peer.times(message, form.api_key, version, data) for peer in peers}
        for way in WAYS:
            shown = []
            for peer in peers:
                ratio = theirs[peer.name][way].median / ours[way].median
                ratios.setdefault((peer.name, way), []).append(ratio)
                shown.append(f"{ratio:.2f}")
            table.add_row(f"{message} v{version}", str(len(data)), way, _shown(ours[way]), *shown)
    for way in WAYS:
        means = (f"{_geometric_mean(ratios[peer.name, way]):.2f}" for peer in peers)
        table.add_row("geometric mean", "", way, "", *means)
    for peer in peers:
        peer.close()
    console = Console(width=110)
    console.print(table)
    console.print("ratios: how many times as long as the reference codec the peer takes")


def _shown(timing: Timing) -> str:
    low, high = timing.low * 1e6, timing.high * 1e6
    return f"{timing.median * 1e6:.1f} ({low:.1f} to {high:.1f})"


def _geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


if __name__ == "__main__":
    main()
