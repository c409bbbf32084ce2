"""The cost of an answer to the process that gave it, and the step to take after it.

Three things are noticed, none of which is in the answer itself:

    its memory rose by much          one of the requests in flight did it. They are asked again, one
                                     at a time, in a fresh process, and where it rises there too,
                                     that one in another: if it is the first after a harmless one
                                     and the memory rises once more, the rise is added to the
                                     answer. A testee that reports its allocations itself is not
                                     watched for this.
    it ran out of memory or files    after many calls that is an older call's fault as likely as
                                     this one's, so a fresh process is asked
    it has many files open           it leaks them: a fresh process takes over before it has none
                                     left, and a note says so

A runtime that collects garbage raises its memory as it sees fit. So if no request of those in
flight raises it again, the next rise has to be higher to be looked into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from conformance.codecs.testee.leaks import MIB, SAMPLE_EVERY, TOO_MANY_FILES, Growth, Sample
from conformance.targets.errors import shorten
from conformance.targets.process import MOST_FILES, Process
from conformance.targets.watch import Watch
from conformance.testee_protocol import Outcome, Request

RISE: Final = 64 * MIB
"""Bytes that may be the runtime's own doing, whatever was asked."""
_RISE_A_BYTE: Final = 1024
MOST_FOUND: Final = 100
"""Requests found that raise the memory, after which no more are looked for."""
_MOST_FRUITLESS: Final = 3
_GROWN: Final = 256 * MIB
_OF_MEMORY: Final = re.compile("memory|alloc|heap", re.IGNORECASE)
_OF_FILES: Final = re.compile("too many open files|EMFILE", re.IGNORECASE)

Next = Literal["nothing", "again", "alone", "restart"]


class ResourceMonitor:
    """Keeps an eye on the processes of one testee, one after another."""

    def __init__(self, process: Process) -> None:
        self._tells = False
        self._fruitless = self._found = 0
        self._acquitted = self._convicted = 0
        self._notes: dict[str, str] = {}
        self.begin(process)

    def begin(self, process: Process) -> None:
        """Watch this process from now on; it has answered hello."""
        self._process = process
        self._watch = Watch(process.pid)
        self._reads = process.reads
        self._answers = 0
        self._growth = Growth(self._sample())

    def end(self) -> None:
        """The process is about to go, or has gone."""
        self._growth.take(self._sample())
        self._notes |= self._growth.notes()
        self._watch.close()

    def notes(self) -> list[str]:
        """A line for each thing that leaked, or that was not looked for any more."""
        return [self._notes[what] for what in sorted(self._notes)]

    def settle(self) -> None:
        """Take the present memory as the start for the next request."""
        self._watch.rise()
        self._reads = self._process.reads

    def judge(
        self, outcome: Outcome, request: Request, behind: Iterable[tuple[int, Request]], alone: bool
    ) -> Next | int:
        """Return the step to take after an answer; a number is the bytes that the answer cost.

        `behind` are the other requests in flight, whose answers may be on their way. `alone` says
        that the process was started for these, and is asked one by one.
        """
        self._answers += 1
        self._tells = self._tells or outcome.allocated is not None
        if outcome.outcome != "value" and self._exhausted(outcome):
            return "alone"
        if self._answers % SAMPLE_EVERY == 0:
            self._growth.take(self._sample())
            if self._growth.more_files > TOO_MANY_FILES:
                return "restart"
        if self._tells or self._found >= MOST_FOUND or self._reads == self._process.reads:
            return "nothing"
        self._reads = self._process.reads
        rise = self._watch.rise()
        if rise <= RISE << max(0, self._fruitless - _MOST_FRUITLESS):
            return "nothing"
        return self._risen(rise, [request, *(each for _, each in behind)], alone)

    def compare(self, answer: Outcome, fresh: Outcome) -> None:
        """Compare an answer after a lack of resources with that of a fresh process."""
        if answer.outcome == fresh.outcome:
            self._convicted += 1
            return
        self._acquitted += 1
        self._notes["exhausted"] = (
            "it ran out of memory or file handles where a fresh process did not: "
            f"{shorten(answer.text)}; look for what outlives its call"
        )

    def _exhausted(self, outcome: Outcome) -> bool:
        """True if an older call may have left too few resources for this one."""
        if _OF_FILES.search(outcome.text):
            return self._watch.files() >= MOST_FILES * 9 // 10
        if outcome.outcome != "crashed" or not _OF_MEMORY.search(outcome.text):
            return False
        self._growth.take(self._sample())
        fruitless = self._convicted - self._acquitted
        return self._growth.grown > _GROWN and fruitless < _MOST_FRUITLESS

    def _risen(self, rise: int, requests: list[Request], alone: bool) -> Next | int:
        if rise <= RISE + _RISE_A_BYTE * sum(map(_size, requests)):
            return "nothing"
        if not alone or self._answers > 1:
            self._fruitless += 1
            return "again"
        self._fruitless = 0
        self._found += 1
        if self._found == MOST_FOUND:
            self._notes["watch"] = (
                f"{MOST_FOUND} requests made its memory rise; no more were looked for "
                "(an answer may say itself what it `allocated`)"
            )
        return rise

    def _sample(self) -> Sample:
        return Sample(self._answers, self._watch.resident(), self._watch.files())


def _size(request: Request) -> int:
    """Return the size of a request in bytes: for a value, of its JSON."""
    return len(request.bytes or msgspec.json.encode(request.value))
