"""Faults of a bundled codec, shown without the suite, beside Apache Kafka's answer.

An adapter's `[evidence]` command calls the library as any user of it would, and prints an object of
JSON for each rule of class `must` that its newest version breaks: the call, its input and its
output. Apache Kafka's own codec is asked the same here.

    python -m tests.proof.evidence [NAME...]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from conformance.codecs.resolve import open_target
from conformance.errors import ConformanceError
from conformance.results.known import read_known
from conformance.rules import catalogue
from conformance.targets import registry
from conformance.targets.errors import shorten
from conformance.testee_protocol import Op, Outcome, Request, Target

ORACLES = ("kafka-clients", "kafka-clients@3.9.2")
"""Apache Kafka's newest release, and the last with messages that 4.0 removed."""
TIMEOUT_S = 120.0
_MOST_SHOWN = 160


class EvidenceOfRelease(msgspec.Struct, frozen=True, kw_only=True):
    """One broken rule: `bytes` (hex) or `value` is the input of a call, `got` the output.

    `got` is the hex of bytes, a value as JSON, or the error in words.
    """

    rule: str
    call: str
    op: Op
    message: str
    version: int
    got: str
    bytes: str = ""
    value: Any = None
    header: dict[str, Any] | None = None

    @property
    def request(self) -> Request:
        """The input as a request to another codec."""
        return Request(
            op=self.op,
            message=self.message,
            version=self.version,
            bytes=bytes.fromhex(self.bytes),
            value=self.value,
            header=self.header,
        )

    @property
    def went_in(self) -> str:
        """The input: bytes as hex, or a value as JSON."""
        return self.bytes or json.dumps(self.value, separators=(",", ":"))


class NotShown(ConformanceError):
    """A program of evidence that failed, or printed something else."""


def evidence_of(adapter: registry.Adapter) -> list[EvidenceOfRelease]:
    """Return the faults of a codec's newest version, by its own calls.

    Builds it if need be. Raises ToolchainMissing, BuildFailed and NotShown.
    """
    version = adapter.default_version
    folder = registry.build(adapter, version)
    command = registry.evidence_command(adapter, version)
    if not command:
        return []
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    if run.returncode:
        said = shorten(run.stderr.strip() or run.stdout.strip(), 500)
        raise NotShown(
            f"{adapter.name}@{version} does not show what it should: {said}",
            "was it mended? Then its known.toml and its evidence are to be shortened",
        )
    try:
        return [
            msgspec.json.decode(line, type=EvidenceOfRelease) for line in run.stdout.splitlines()
        ]
    except msgspec.MsgspecError as error:
        raise NotShown(
            f"{adapter.name}@{version} prints no evidence: {error}",
            "one object of JSON a line, as in tests/proof/evidence.py",
        ) from None


def rules_to_be_shown(adapter: registry.Adapter) -> set[str]:
    """Return the rules of class `must` that a target is known to fail, except by doing harm."""
    rules = catalogue()
    known = Path(str(adapter.folder / "known.toml"))
    if not known.is_file():
        return set()
    failed = {each.rule for each in read_known(known) if each.verdict == "fail"}
    return {rule for rule in failed if rule in rules and rules[rule].class_ == "must"}


def answers(oracles: Sequence[Target], shown: Sequence[EvidenceOfRelease]) -> list[str]:
    """Return Apache Kafka's answers in the words of `got`, by the newest release that has each."""
    found = []
    for each in shown:
        able = (oracle for oracle in oracles if oracle.hello.supports(each.request))
        (outcome,) = next(able, oracles[0]).ask([each.request])
        found.append(_in_words(outcome))
    return found


@contextmanager
def opened_oracles() -> Iterator[list[Target]]:
    """Yield Apache Kafka's own codecs. Raises TargetError."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_target(name)) for name in ORACLES]


def _in_words(outcome: Outcome) -> str:
    if outcome.outcome != "value":
        return f"{outcome.outcome}: {outcome.error or outcome.text}"
    if outcome.bytes is not None:
        return outcome.bytes.hex()
    left = f" and {outcome.remaining} bytes left" if outcome.remaining else ""
    return json.dumps(outcome.value, separators=(",", ":")) + left


def main(names: Sequence[str]) -> None:
    """Print the evidence of these codecs, or of all, as Markdown."""
    with opened_oracles() as oracles:
        for adapter in registry.adapters():
            if adapter.evidence_command and (not names or adapter.name in names):
                sys.stdout.write(_section(adapter, oracles))
                sys.stdout.flush()


def _section(adapter: registry.Adapter, oracles: Sequence[Target]) -> str:
    shown = evidence_of(adapter)
    rows = [
        (each.rule, f"{each.call} ({each.message} v{each.version})", each.went_in, each.got, answer)
        for each, answer in zip(shown, answers(oracles, shown), strict=True)
    ]
    return section(adapter, ("rule", "call", "in", "out", "Apache Kafka"), rows)


def section(adapter: registry.Adapter, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a section of Markdown on an adapter: a table with these heads and rows."""
    lines = [f"## {adapter.name} {adapter.default_version}", "", f"| {' | '.join(heads)} |"]
    lines.append(f"| {' | '.join('---' for _ in heads)} |")
    for cells in rows:
        row = (shorten(cell, _MOST_SHOWN).replace("|", "\\|") for cell in cells)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n\n"


if __name__ == "__main__":
    main(sys.argv[1:])
