"""The engine for endpoints: dialogues in, verdicts out, each on a connection of its own.

A dialogue that hurts counts only where its twin, the same without the fault, passes on a fresh
connection right before and right after. What comes after tells whether the endpoint still lives;
one that does not has crashed, and the dialogue that did it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol, Self

from conformance.cases.dialogues import Asked
from conformance.dialogue import Broken, Dialogue, Heard, NotHere, Reconnect, Send
from conformance.judge.exchange import judged
from conformance.results.lines import Verdict
from conformance.rules import Rule
from conformance.targets.errors import TargetError

MOST_SHOWN_BYTES = 4096


class Line(Protocol):
    """A connection, whatever it is made of."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write, whole or in pieces."""
        ...

    def hear(self, patience_s: float | None = None) -> Heard:
        """Wait for a frame."""
        ...


Connect = Callable[[], Line]


@dataclass(slots=True)
class Exchange:
    """What was sent and heard in one dialogue, and how it came out. `broken` None is well."""

    sent: bytearray = field(default_factory=bytearray)
    last: Heard | None = None
    broken: Broken | None = None
    absent: str = ""


def converse(
    asked: Iterable[Asked], connect: Connect, rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """Hold each dialogue. Raises TargetError where the endpoint can't be reached any more."""
    for item in asked:
        before = exchange(item.twin(), connect) if item.hurts else None
        found = exchange(item.begin(), connect)
        after: Exchange | None = None
        died = ""
        if item.hurts:
            try:
                after = exchange(item.twin(), connect)
            except TargetError as error:
                died = error.message
        yield judged(item, rules[item.rule], profile, found, [before, after], died)
        if died:
            exchange(item.twin(), connect)  # raises where it stays away


def exchange(dialogue: Dialogue, connect: Connect) -> Exchange:
    """Hold one dialogue. Raises TargetError where there is no connection."""
    found = Exchange()
    heard: Heard | None = None
    with ExitStack() as stack:
        line = stack.enter_context(connect())
        try:
            while True:
                step = dialogue.send(heard)
                heard = None
                match step:
                    case Send(data, pieces, gap_s):
                        found.sent += data[: MOST_SHOWN_BYTES - len(found.sent)]
                        line.send(data, pieces, gap_s)
                    case Reconnect():
                        stack.pop_all().close()
                        line = stack.enter_context(connect())
                    case _:
                        found.last = heard = line.hear(step.patience_s)
        except StopIteration:
            pass
        except Broken as broken:
            found.broken = broken
        except NotHere as absent:
            found.absent = str(absent)
    return found
