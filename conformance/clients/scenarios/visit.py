"""A client's visit: every frame with its time, and how its program ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from conformance.clients.program import DRIVER_TIMEOUT, VisitEnded
from conformance.dialogue import Broken, NotApplicable
from conformance.results.lines import ANSWERED
from conformance.targets.errors import shorten
from conformance.testee_protocol import Value

T = TypeVar("T")
P = ParamSpec("P")
MOST_A_SECOND = 200
"""A client that asks or connects as often as this within a second waits for nothing in between.

Those that wait a little were seen to ask 84 times, those that go round in circles 500 times and
more, on a machine that had other work: a total would depend on its speed.
"""
HUNG_UP_ON = "without waiting, and it was hung up on"
"""The words in a verdict on a client that asked so often."""
_OF_A_LIMIT = re.compile(r"time(?:d)?[ _-]?out|deadline exceeded", re.IGNORECASE)
"""The word of a driver that gave up, and those of clients whose time was up."""
_KEPT = frozenset({"SaslAuthenticate", "Fetch"})
_MOST_KEPT_BYTES = 4096
"""Answers of these APIs are kept with the visit, as long as they are not longer."""
_LEAST_OF_A_FRAME = 16
"""Hexadecimal digits of a key, a version and a correlation id, with which each request begins."""
_LONGEST_OF_A_CRASH = 250
"""Letters that are kept of a crash, which says how it ended, where, and why."""
MOST_BYTES = 256 * 1024 * 1024
"""The most bytes kept of a client's requests."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request of a client, without its length.

    `at_s` is seconds since the visit began, `connection` counts from 0 and `node` is the broker's
    id. `api` is the request's name without "Request", empty for an api key that does not exist.
    `wrong` says why header or body can not be read, in which case they are None; they are None as
    well in a request that is newer than the known ones. `is_served` says whether the played broker
    has this version, and `behind` is how many pieces the client had been answered before it was
    read.
    """

    at_s: float
    connection: int
    node: int
    frame: bytes
    api: str
    version: int
    header: Value | None
    value: Value | None
    wrong: str = ""
    is_served: bool = True
    behind: int = 0


@dataclass(frozen=True, slots=True)
class PlayedAnswer:
    """A piece of what a client was answered, of `size` bytes; none where it was hung up on.

    `to` is the request whose correlation id an answer begins with, None where there is none.
    `body` are the bytes of one that is looked into later: of a login, and of records.
    """

    at_s: float
    connection: int
    size: int
    to: Sent | None = None
    body: bytes = b""


@dataclass(slots=True)
class Visit:
    """One run of a client against what is played: what it `sent`, and was `answered`.

    `opened` are the seconds of its connections.

    `wrong` is what came on a connection and is no frame, `together` how many requests came with
    another one in one piece, `control_case` the visit that the client did well on. It `is_full`
    when the client asked more than any client has to: from then on it is hung up on.
    """

    sent: list[Sent] = field(default_factory=list)
    answered: list[PlayedAnswer] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    together: int = 0
    ended: VisitEnded = field(default_factory=lambda: VisitEnded("hung"))
    control_case: Visit | None = None
    is_full: bool = False
    _bytes: int = 0

    def connected(self, at_s: float) -> None:
        self.opened.append(at_s)
        self.is_full = self.is_full or _is_rush(self.opened[-MOST_A_SECOND:])

    def receive(self, request: Sent) -> None:
        self.sent.append(request)
        self._bytes += len(request.frame)
        rush = _is_rush([each.at_s for each in self.sent[-MOST_A_SECOND:]])
        self.is_full = self.is_full or rush or self._bytes > MOST_BYTES

    def answer(self, at_s: float, connection: int, piece: bytes) -> None:
        """Keep a piece of an answer, or with no bytes that the connection was ended."""
        asked = (each for each in reversed(self.sent) if each.connection == connection)
        to = next((each for each in asked if each.frame[4:8] == piece[4:8] != b""), None)
        is_kept = to is not None and to.api in _KEPT and len(piece) <= _MOST_KEPT_BYTES
        body = piece if is_kept else b""
        self.answered.append(PlayedAnswer(at_s, connection, len(piece), to, body))

    def answer_to(self, request: Sent) -> int | None:
        """The number of the piece that answers a request, None where none does."""
        numbers = (at for at, each in enumerate(self.answered) if each.to is request)
        return next(numbers, None)

    def of(self, api: str) -> list[Sent]:
        """The requests of one API, in the order in which they came."""
        return [each for each in self.sent if each.api == api]

    def is_informed(self, request: Sent) -> bool:
        """True if the client sent ApiVersions on the same connection before this request."""
        before = self.sent[: self.sent.index(request)]
        return any(
            each.api == "ApiVersions" and each.connection == request.connection for each in before
        )

    def versions(self, api: str) -> list[int]:
        return [each.version for each in self.of(api)]


def _is_rush(last_s: list[float]) -> bool:
    return len(last_s) == MOST_A_SECOND and last_s[-1] - last_s[0] < 1


Judgement = Callable[[Visit], None]
"""Raises Broken where a visit does not keep the rule that it decides.

NotApplicable where the visit does not show it.
"""


def require(found: T, why: str) -> T:
    """Return what a judgement rests on. Raise NotApplicable with the reason if it is missing."""
    if not found:
        raise NotApplicable(why)
    return found


def judgement(judge_by: Callable[Concatenate[Visit, P], None]) -> Callable[P, Judgement]:
    """Return a maker of judgements from one that takes more than the visit."""

    @wraps(judge_by)
    def made(*args: P.args, **named: P.kwargs) -> Judgement:
        def judge(visit: Visit) -> None:
            judge_by(visit, *args, **named)

        return judge

    return made


def _check_told(visit: Visit) -> None:
    if visit.is_full:
        what = f"{len(visit.sent)} requests on {len(visit.opened)} connections"
        expected = f"fewer than {MOST_A_SECOND} in a second"
        raise Broken(f"{what} {HUNG_UP_ON}", expected, what)
    if visit.ended.outcome == "untold":
        raise NotApplicable("nobody says how the client fared: it was started elsewhere")


def succeeds(visit: Visit) -> None:
    """Judge that the client got what it wanted."""
    _check_told(visit)
    if visit.ended.outcome != "ok":
        raise Broken(f"the client {describe(visit.ended)}", "ok", visit.ended.outcome)


def lacking(visit: Visit) -> NotApplicable:
    """Return the reason for a driver that has no such action."""
    return NotApplicable(f"{ANSWERED} by the driver: {visit.ended.text}".removesuffix(": "))


def does_well(visit: Visit) -> None:
    """The client got what it wanted, and not without asking for it.

    Raises NotApplicable of one that does not do what it was asked for.
    """
    if visit.ended.outcome == "unsupported":
        raise lacking(visit)
    if visit.ended.outcome != "untold":
        succeeds(visit)
    if not any(each.value is not None for each in visit.sent):
        raise Broken("the client says that all is well, and sent nothing", "requests", "none")


def survives(visit: Visit) -> None:
    """Raise Broken if the client crashed, hung or used too much memory; an error is allowed."""
    _check_told(visit)
    if visit.ended.outcome in ("crashed", "hung", "unlimited"):
        raise Broken(f"the client {describe(visit.ended)}", "ok or error", visit.ended.outcome)


def fails(visit: Visit) -> None:
    """Judge that the client reported an error."""
    _check_told(visit)
    if visit.ended.outcome != "error":
        raise Broken(f"the client {describe(visit.ended)}", "error", visit.ended.outcome)


def fails_by_itself(visit: Visit) -> None:
    """The client said so before its driver gave up on it."""
    fails(visit)
    if visit.ended.text.startswith(DRIVER_TIMEOUT):
        what = "the client came to no end before its driver gave up"
        raise Broken(what, "an error of the client's own", visit.ended.text)


def has_run_out(ended: VisitEnded) -> bool:
    """True if a time limit ended the program: that of its driver, or the suite's.

    A limit that the driver sets its client is one of the driver's, though the client reports it. A
    hang is no such end: there the machine and the driver are known to be fast enough.
    """
    gave_up = ended.outcome == "error" and bool(_OF_A_LIMIT.search(ended.text))
    return gave_up or ended.outcome == "unlimited"


def is_of_driver(ended: VisitEnded) -> bool:
    """True if no client says so, but its driver, or the suite, that time was up."""
    return ended.outcome == "unlimited" or ended.text.startswith(DRIVER_TIMEOUT)


class NotDone(Broken):
    """A request that had to come after another one did not, which more time may have brought.

    Shows the request after which it had to come, as any other breach does.
    """


def is_shown(visit: Visit, broken: Broken) -> bool:
    """True if something that the client sent breaks the rule, however its program ended."""
    if visit.is_full:
        return True
    has_come = {each.frame.hex() for each in visit.sent}
    is_sent = len(broken.actual) >= _LEAST_OF_A_FRAME and any(
        each.startswith(broken.actual) for each in has_come
    )
    return not isinstance(broken, NotDone) and (is_sent or broken.detail in visit.wrong)


def describe(ended: VisitEnded) -> str:
    """Return the end of the program, in words."""
    words = {
        "ok": "says that all is well",
        "error": "failed",
        "unsupported": "says that it does not do this",
        "crashed": "crashed",
        "hung": "did not come to an end",
        "unlimited": "did not come to an end",
    }
    said = shorten(ended.text, _LONGEST_OF_A_CRASH if ended.outcome == "crashed" else 120)
    return f"{words[ended.outcome]} ({said})" if said else words[ended.outcome]
