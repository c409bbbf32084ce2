"""The audit of captures: which clients connect, what they request, which frames break which rule.

It runs alone or as one of several tasks, each of which takes its share of the connections; the rows
of all tasks together equal the rows of one task that takes all connections. Totals are yielded at
the end. The number of distinct names is limited, since clients choose their own names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.captures.audit.judging import FrameJudge, Judge, Judged
from conformance.captures.audit.tables import (
    ClientSeen,
    FramesSeen,
    FrameVerdict,
    PacketsPassed,
    Row,
    Used,
)
from conformance.captures.errors import Limits
from conformance.captures.packets.network import Segment, Share
from conformance.captures.streams.conversation import Conversation
from conformance.captures.streams.events import Captured, Event, Skipped, Unanswering
from conformance.captures.streams.request_head import api_name
from conformance.captures.streams.traffic import (
    DEFAULT_PORTS,
    OTHER_PORTS,
    SNAPPED,
    Traffic,
    segments,
)
from conformance.wire.annotated import printable

OTHERS = "(others)"
_MOST_NAMES = 10_000
_MOST_LETTERS = 100


def audit_part(
    paths: Iterable[Path],
    part: int = 0,
    parts: int = 1,
    *,
    ports: frozenset[int] | None = DEFAULT_PORTS,
    profile: str = "spec",
    release: str = "",
    limits: Limits | None = None,
) -> Iterator[Row]:
    """Yield the rows of those connections of captures that fall to one of several tasks.

    The captures are one traffic, in this order. Raises CaptureError.
    """
    auditor = Auditor(Judge(profile, release), ports, limits)
    found = segments(paths, auditor.traffic.told, Share(part, parts))
    yield from audited(auditor, found, first=part == 0)


def audited(
    auditor: Auditor,
    found: Iterable[Segment],
    watch: Callable[[Conversation, Event], None] | None = None,
    *,
    first: bool = True,
) -> Iterator[Row]:
    """Yield the rows of segments of any source; `watch` sees each event before it is judged.

    Only the `first` task yields the totals that are equal in all tasks.
    """
    for segment in found:
        for conversation, event in auditor.traffic.feed(segment):
            if watch:
                watch(conversation, event)
            yield from auditor.take(conversation, event)
    for conversation, event in auditor.traffic.finish():
        yield from auditor.take(conversation, event)
    yield from auditor.totals(first=first)


class Auditor:
    """A judge of conversations' events that also counts clients, requests and skipped frames."""

    def __init__(
        self,
        judge: Judge,
        ports: frozenset[int] | None = DEFAULT_PORTS,
        limits: Limits | None = None,
    ) -> None:
        self.traffic = Traffic(judge.codec, ports, limits)
        self._judge = judge
        self._frames = FrameJudge(judge)
        self._clients: Counter[tuple[str, str, str]] = Counter()
        self._used: Counter[tuple[str, str, int]] = Counter()
        self._passed: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._requests = self._responses = self._connections = 0

    def take(self, conversation: Conversation, event: Event) -> Iterator[FrameVerdict]:
        """Yield the verdicts on an event of a conversation."""
        match event:
            case Captured():
                yield from self._frame(conversation, event)
            case Unanswering():
                yield FrameVerdict(self._judge.unanswering(event), f"broker {conversation.server}")
            case Skipped():
                self._pass(event)

    def totals(self, first: bool = True) -> Iterator[Row]:
        """Yield the totals; those that are equal in all tasks only if this is the `first` one."""
        told = self.traffic.told
        yield from (ClientSeen(*who, count) for who, count in self._clients.items())
        yield from (Used(*what, count) for what, count in self._used.items())
        for why, count in self._passed.items():
            yield PacketsPassed(why, count, self._examples.get(why, ""))
        if self.traffic.other_ports:
            yield PacketsPassed(OTHER_PORTS, self.traffic.other_ports)
        if self.traffic.snapped:
            yield PacketsPassed(
                SNAPPED, self.traffic.snapped, "capture whole packets: tcpdump -s 0"
            )
        if first:
            yield from (PacketsPassed(why, count) for why, count in told.reasons.items() if count)
        packets = told.packets if first else 0
        yield FramesSeen(packets, self._connections, self._requests, self._responses)

    def _frame(self, conversation: Conversation, captured: Captured) -> Iterator[FrameVerdict]:
        verdicts, value, _ = self._judged(captured)
        if captured.side == "request":
            self._requests += 1
            self._name(conversation, captured, value)
            version = captured.asked.version
            self._count_use(conversation.who, api_name(captured.asked.api_key), version)
        else:
            self._responses += 1
        is_request = captured.side == "request"
        who = conversation.who if is_request else f"broker {conversation.server}"
        yield from (FrameVerdict(verdict, who) for verdict in verdicts)

    def _judged(self, captured: Captured) -> Judged:
        judged = self._frames.judge(captured)
        if judged.passed:
            what = f"{api_name(captured.asked.api_key)} v{captured.asked.version}"
            self._pass(Skipped(captured.connection, judged.passed, what))
        return judged

    def _name(
        self, conversation: Conversation, captured: Captured, value: dict[str, Any] | None
    ) -> None:
        """Name the client of a conversation: by its ApiVersions request, else by its client id."""
        if not conversation.who:
            self._connections += 1
        elif conversation.is_named or captured.asked.message != "ApiVersionsRequest":
            return
        software = _text((value or {}).get("clientSoftwareName"))
        version = _text((value or {}).get("clientSoftwareVersion"))
        client_id = _text(self._judge.client_id(captured))
        if conversation.counted_as:
            self._clients[conversation.counted_as] -= 1
        conversation.counted_as = self._known((software, version, client_id))
        self._clients[conversation.counted_as] += 1
        conversation.is_named = bool(software)
        conversation.who = f"{software} {version}" if software else f"client id {client_id!r}"

    def _known(self, who: tuple[str, str, str]) -> tuple[str, str, str]:
        room = len(self._clients) < _MOST_NAMES or who in self._clients
        return who if room else (OTHERS, "", "")

    def _count_use(self, who: str, api: str, version: int) -> None:
        what = who, api, version
        if len(self._used) >= _MOST_NAMES and what not in self._used:
            what = OTHERS, api if api[:4] != "api " else OTHERS, -1
        self._used[what] += 1

    def _pass(self, skipped: Skipped) -> None:
        self._passed[skipped.why] += 1
        example = f"{skipped.connection}: {skipped.detail}" if skipped.detail else ""
        self._examples.setdefault(skipped.why, example or skipped.connection)


def _text(value: object) -> str:
    """Return a name without control characters, cut to a length that fits a table."""
    text = printable(str(value)) if value is not None else ""
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
