"""A visit as lines: what was asked and answered around what broke a rule.

A visit may be of thousands of requests. Those that count are how it began, and the exchange that
broke the rule with what came right before and after it; what is between is a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from conformance.clients.scenarios.cluster.scram_messages import said_in_scram
from conformance.clients.scenarios.visit import PlayedAnswer, Sent, Visit
from conformance.dialogue import Broken
from conformance.results.text import counted
from conformance.results.visits import ABOUT, MARK

MOST_SHOWN = 22
BEFORE, AFTER = 11, 6
"""The number of lines shown before and after the request that broke a rule."""
MOST_SHOWN_BYTES = 256
Event: TypeAlias = Sent | PlayedAnswer


def timeline(visit: Visit, broken: Broken, api: str = "") -> list[str]:
    """Return requests (`>`, with their bytes) and answers (`<`), a line each, around what `broken`
    shows: the request that broke the rule, else the first answer to the `api` that the case is
    about, else the end. Lines that are left out are counted.
    """
    both: list[Event] = [*visit.sent, *visit.answered]
    events = sorted(both, key=lambda each: each.at_s)
    wrong = _that_broke(events, broken)
    if wrong is not None:
        return list(_lines(events, wrong, MARK))
    return list(_lines(events, _first_answer(events, api), ABOUT))


def _first_answer(events: Sequence[Event], api: str) -> int | None:
    """Return the index of the first answer to an API; None if none came."""
    answers = (
        at
        for at, each in enumerate(events)
        if isinstance(each, PlayedAnswer) and each.size and each.to and each.to.api == api
    )
    return next(answers, None)


def _that_broke(events: Sequence[Event], broken: Broken) -> int | None:
    """Return the index of the request whose bytes show what is broken; None if none does."""
    frames = (
        at
        for at, each in enumerate(events)
        if isinstance(each, Sent) and each.frame and each.frame.hex() == broken.actual
    )
    return next(frames, None)


def _lines(events: Sequence[Event], wrong: int | None, mark: str) -> Iterator[str]:
    begin = MOST_SHOWN - BEFORE - AFTER - 1
    middle = len(events) - AFTER - 1 if wrong is None else wrong
    first = max(middle - BEFORE, begin)
    last = max(middle + AFTER + 1, MOST_SHOWN)
    shown = [*range(min(begin, len(events))), *range(first, min(last, len(events)))]
    after = -1
    for at in sorted({*shown}):
        yield from _left_out(events[after + 1 : at])
        yield _event(events[at])
        if at == wrong and len(events) > 1:
            yield mark
        if said := said_in_scram(events[at]):
            yield f"{events[at].at_s:.3f} s, connection {events[at].connection} {said}"
        after = at
    yield from _left_out(events[after + 1 :])


def _left_out(events: Sequence[Event]) -> Iterator[str]:
    requests = sum(isinstance(each, Sent) for each in events)
    if requests:
        yield f"and {counted(requests, 'more request')}"


def _event(each: Event) -> str:
    return f"{each.at_s:.3f} s, connection {each.connection} {_what(each)}"


def _what(each: Event) -> str:
    if isinstance(each, Sent):
        return f"> {_name(each)} {each.frame[:MOST_SHOWN_BYTES].hex()}"
    if not each.size:
        return "< is closed"
    to = f" to {_name(each.to)}" if each.to else ""
    return f"< answer{to}, {each.size} bytes"


def _name(request: Sent) -> str:
    return f"{request.api or 'unknown'} v{request.version}"
