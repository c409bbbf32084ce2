"""How long the fuzzer takes to find defects that only malformed or rare input reveals.

Each is a mutant of the reference codec, hunted by one process for two minutes at most: with what
is known of the messages, and blindly, by bytes. A find counts when the gate's engine confirms it:
it says something else of the mutant than of the codec without the defect, to the same input.

    python -m tests.bench.planted [SECONDS [MUTANT...]]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conformance.codecs.mutants import malformed, mutants
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.data import vector_messages
from conformance.fuzzing.campaign import FuzzCampaign
from conformance.fuzzing.inputs import seeds
from conformance.fuzzing.settings import FuzzSettings
from conformance.fuzzing.triage import verdicts_on_input
from conformance.reference.codec import PlainCodec
from conformance.testee_protocol import Target

MOST_S = 120.0


class Found(Exception):
    """The defect was confirmed; ends the campaign."""


def main() -> None:
    """Print the seconds until each defect is found, with structure and without."""
    most = float(sys.argv[1]) if len(sys.argv) > 1 else MOST_S
    names = sys.argv[2:] or [n for n, m in mutants().items() if m.__module__ == malformed.__name__]
    seconds: dict[str, list[str]] = {name: [] for name in names}
    for structure in (True, False):
        for name in names:
            took = hunted(name, structure, most)
            seconds[name].append("not found" if took is None else f"{took:.0f}")
            Console().print(name, structure, seconds[name][-1], highlight=False)
    table = Table("defect", "with structure, s", "by bytes, s")
    for name, told in seconds.items():
        table.add_row(name, *told)
    Console().print(table)


def hunted(name: str, structure: bool, most_s: float) -> float | None:
    """Seconds until the mutant is found, None where it is not in so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        target, sound = ObjectTarget(mutants()[name]()), ObjectTarget(PlainCodec())
        campaign = FuzzCampaign(FuzzSettings(mutant=name, folder=folder, structure=structure))
        campaign.add(seeds(vector_messages()))
        looked_at: set[Path] = set()

        def look() -> None:
            for path in [*Path(folder, "suspects").iterdir(), *Path(folder, "ended").iterdir()]:
                if path in looked_at or path.name.startswith("."):
                    continue
                looked_at.add(path)
                content = path.read_bytes()
                data = content.partition(b"\n")[2] if path.parent.name == "suspects" else content
                if _said(data, target) != _said(data, sound):
                    raise Found

        began = time.monotonic()
        try:
            campaign.run(most_s, look=look)
        except Found:
            return time.monotonic() - began
        return None


def _said(data: bytes, target: Target) -> list[tuple[str, str, str]]:
    return [
        (each.rule, each.verdict, each.detail) for each in verdicts_on_input(data, target, "kafka")
    ]


if __name__ == "__main__":
    main()
