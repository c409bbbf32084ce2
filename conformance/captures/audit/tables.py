"""The rows of an audit, which tasks yield, and their sums: for a screen, a results file, or a
caller of the API.

One example of each violation is kept, the first one; everything else is a number, so that a capture
of any size adds up in little memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from conformance.results.command_lines import case_line
from conformance.results.lines import BROKEN, Finding, Verdict


class FrameVerdict(msgspec.Struct, frozen=True, tag="judged", tag_field="type"):
    """A verdict, and the writer of the frame: a client by its name, or a broker by its address."""

    verdict: Verdict
    who: str


class ClientSeen(msgspec.Struct, frozen=True, tag="client", tag_field="type"):
    """Connections of one client software, as it names itself (KIP-511), with one client id."""

    software: str
    software_version: str
    client_id: str
    connections: int


class Used(msgspec.Struct, frozen=True, tag="used", tag_field="type"):
    """Requests of one API in one version by a client."""

    who: str
    api: str
    version: int
    requests: int


class PacketsPassed(msgspec.Struct, frozen=True, tag="passed", tag_field="type"):
    """Packets or frames that were not judged: the reason, the count, and the first one."""

    why: str
    count: int
    example: str = ""


class FramesLost(msgspec.Struct, frozen=True, tag="lost", tag_field="type"):
    """A part of the traffic that a task should have judged and could not, and why."""

    part: str
    why: str


class FramesSeen(msgspec.Struct, frozen=True, tag="frames", tag_field="type"):
    """The totals: packets read, connections with frames, requests and responses judged."""

    packets: int
    connections: int
    requests: int
    responses: int


Row = FrameVerdict | ClientSeen | Used | PacketsPassed | FramesLost | FramesSeen


MOST_VIOLATIONS = 10_000
LOST = "parts of the traffic"


@dataclass(slots=True)
class Violation:
    """One rule that one client or broker broke: how often, and an example."""

    rule: str
    class_: str
    who: str
    example: Verdict
    count: int = 0


@dataclass(slots=True)
class Tables:
    """The totals of an audit. `violations` fail the audit, `notes` do not.

    `lost` counts the parts of the traffic that no task judged; `passed` includes them.
    """

    packets: int = 0
    connections: int = 0
    requests: int = 0
    responses: int = 0
    lost: int = 0
    clients: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    used: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    violations: dict[tuple[str, str], Violation] = field(default_factory=dict)
    notes: dict[tuple[str, str], Violation] = field(default_factory=dict)

    def take(self, row: Row) -> None:
        """Add one row to the totals."""
        match row:
            case FrameVerdict():
                self._count_verdict(row)
            case ClientSeen():
                who = row.software, row.software_version, row.client_id
                self.clients[who] += row.connections
            case Used():
                self.used[row.who, row.api, row.version] += row.requests
            case PacketsPassed():
                self._passed(row)
            case FramesLost():
                self.lost += 1
                self._passed(PacketsPassed(f"{LOST}: {row.why}", 1, row.part))
            case FramesSeen():
                self._frames(row)

    @property
    def frames(self) -> int:
        """Return the number of frames that were judged."""
        return self.requests + self.responses

    @property
    def judged(self) -> int:
        """Return the number of verdicts; 0 if no stored definition describes any frame."""
        return self.verdicts.total()

    @property
    def broken(self) -> list[Violation]:
        """Return the violations, those with most frames first."""
        return sorted(self.violations.values(), key=lambda each: (-each.count, each.rule, each.who))

    def versions(self) -> dict[tuple[str, str], dict[int, int]]:
        """Return the requests per version of each client and API, in the order of names."""
        found: dict[tuple[str, str], dict[int, int]] = {}
        for (who, api, version), count in sorted(self.used.items()):
            found.setdefault((who, api), {})[version] = count
        return found

    def findings(self, again: Sequence[str]) -> list[Finding]:
        """Return a finding for each rule that a client or broker broke."""
        return [
            Finding(
                cause=f"{each.who}: {each.example.detail or each.rule}",
                rules=[each.rule],
                case=each.example.case,
                count=each.count,
                reproduce=case_line(again, each.example.case),
                kind=each.class_,
            )
            for each in self.broken
        ]

    def _passed(self, row: PacketsPassed) -> None:
        self.passed[row.why] += row.count
        if row.example:
            self.examples.setdefault(row.why, row.example)

    def _frames(self, row: FramesSeen) -> None:
        self.packets += row.packets
        self.connections += row.connections
        self.requests += row.requests
        self.responses += row.responses

    def _count_verdict(self, row: FrameVerdict) -> None:
        verdict = row.verdict
        self.verdicts[verdict.verdict] += 1
        if verdict.verdict == "pass":
            return
        table = self.violations if verdict.verdict in BROKEN else self.notes
        key = verdict.rule, row.who
        known = table.get(key)
        if known is None:
            if len(table) >= MOST_VIOLATIONS:
                key = verdict.rule, "(others)"
            known = table.setdefault(key, Violation(verdict.rule, verdict.class_, key[1], verdict))
        known.count += 1
