"""Suspicious inputs on Spark: each is confirmed, shortened and judged, as in one process.

The result of an input depends on it and its target alone, so that any task may have it: inputs are
dealt out like cards, slow ones included. Targets stay open for as long as a worker's Python lives.
A target that dies or hangs is restarted by the next request, at the cost of a verdict; one that
can't be kept alive costs the inputs that it was to be asked, each of which says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings, close_targets, target_of
from conformance.errors import ConformanceError
from conformance.fuzzing.triage import Confirmed, confirmed, order
from conformance.results.lines import Verdict
from conformance.spark.jobs.parts import Given, SetAside, in_parts
from conformance.spark.jobs.workers import check_workers
from conformance.targets.errors import TargetError, TargetNotFound, did_you_mean
from conformance.testee_protocol import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS_A_CORE = 8
MUTANT = "mutant:"


class ToShorten(NamedTuple):
    """A fuzzing input that a target may answer wrongly.

    Where it breaks several rules, it is made short for this one, and for this operation.
    """

    target: str
    data: bytes
    rule: str = ""
    op: str = ""

    def like(self, verdict: Verdict) -> tuple[bool, bool]:
        """Return how well a verdict matches the suspected one; greater is better."""
        return verdict.rule == self.rule, verdict.op == self.op


class Shortened(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a suspicion: a shorter input with its broken verdicts, or nothing.

    `lost` says why it is unknown, as its target or its task died each time.
    """

    target: str
    suspect: bytes
    shortest: bytes = b""
    broken: list[Verdict] = []
    lost: str = ""

    @property
    def confirmed(self) -> Confirmed | None:
        """As one process has it; None where nothing was wrong, or nothing is known."""
        return Confirmed(self.shortest, self.broken) if self.broken else None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, Shortened]).decode


def shortened_on_spark(
    session: SparkSession,
    suspects: Sequence[ToShorten | tuple[str, bytes]],
    profile: str = "spec",
    settings: ChunkSettings | None = None,
    parts: int | None = None,
    *,
    console: Console,
) -> Iterator[Shortened]:
    """Yield the result of each suspect, in order of target and length, equal inputs once.

    `settings` say in which folder a user's own codecs are, and how much time and memory a target
    may take. Raises Unfit, JobFailed.
    """
    ordered = in_order(map(_suspect, suspects))
    given = each_on_spark(session, ordered, profile, settings, parts, console=console)
    return told_once(found for _, found in given)


def each_on_spark(
    session: SparkSession,
    suspects: Sequence[ToShorten],
    profile: str = "spec",
    settings: ChunkSettings | None = None,
    parts: int | None = None,
    *,
    console: Console,
) -> Iterator[tuple[int, Shortened]]:
    """Yield the result of each suspect, with its place among them; lost ones may come first.

    Raises Unfit, JobFailed.
    """
    if not suspects:
        return
    settings = settings or ChunkSettings(run="", folder="", seed=0)
    check_workers(session, settings, ())
    parts = min(parts or PARTS_A_CORE * session.sparkContext.defaultParallelism, len(suspects))
    sent = session.sparkContext.broadcast(list(suspects))

    def work(part: int) -> Iterator[Given]:
        dealt = [pair for pair in enumerate(sent.value) if pair[0] % parts == part]
        yield from shortened_part(dealt, profile, settings)

    try:
        yield from _in_place(
            in_parts(session, work, parts, console, "inputs shortened"), suspects, parts
        )
    finally:
        sent.unpersist()


def _suspect(given: ToShorten | tuple[str, bytes]) -> ToShorten:
    if isinstance(given, ToShorten):
        return given
    target, data = given
    return ToShorten(target, data)


def in_order(suspects: Iterable[ToShorten]) -> list[ToShorten]:
    """Each once, by target, the shortest first."""
    return sorted(set(suspects), key=lambda each: (each.target, order(each.data), each[2:]))


def told_once(found: Iterable[Shortened]) -> Iterator[Shortened]:
    """Without those whose shortest input came before."""
    seen: set[tuple[str, bytes]] = set()
    for each in found:
        name = each.target, each.shortest
        if each.broken and name in seen:
            continue
        seen.add(name)
        yield each


def shortened_part(
    dealt: Iterable[tuple[int, ToShorten]], profile: str, settings: ChunkSettings
) -> Iterator[Given]:
    """Yield the results of the suspects that were dealt to a task, with their places."""
    unopened: dict[str, str] = {}
    for place, suspect in dealt:
        if suspect.target in unopened:
            found = _lost(suspect, unopened[suspect.target])
        else:
            found = _shortened(suspect, profile, settings, unopened)
        yield place, _encode((place, found))


def _shortened(
    suspect: ToShorten, profile: str, settings: ChunkSettings, unopened: dict[str, str]
) -> Shortened:
    try:
        target = opened(suspect.target, settings)
    except ConformanceError as error:
        unopened[suspect.target] = str(error)
        return _lost(suspect, str(error))
    try:
        found = confirmed(suspect.data, target, profile, suspect.like)
    except TargetError as error:
        close_targets()  # the next one is asked of fresh ones
        return _lost(suspect, str(error))
    about = Shortened(target=suspect.target, suspect=suspect.data)
    if found is None:
        return about
    return msgspec.structs.replace(about, shortest=found.shortest, broken=found.broken)


def _lost(suspect: ToShorten, why: str) -> Shortened:
    return Shortened(target=suspect.target, suspect=suspect.data, lost=why)


def _in_place(
    given: Iterable[bytes | SetAside], suspects: Sequence[ToShorten], parts: int
) -> Iterator[tuple[int, Shortened]]:
    for each in given:
        if isinstance(each, SetAside):
            for place in range(each.part, len(suspects), parts):
                yield place, _lost(suspects[place], each.reason)
        else:
            yield _decode(each)


def opened(name: str, settings: ChunkSettings) -> Target:
    """The target of a fuzzer's name, opened once a process. Raises TargetError."""
    if name.startswith(MUTANT):
        return _mutant(name.removeprefix(MUTANT))
    return target_of(name, settings)


@cache
def _mutant(name: str) -> Target:
    from conformance.codecs.mutants import mutants
    from conformance.codecs.testee.in_process import ObjectTarget

    known = mutants()
    if name not in known:
        raise TargetNotFound(f"there is no mutant {name!r}", did_you_mean(name, known))
    return ObjectTarget(known[name]())


__all__ = [
    "Shortened",
    "ToShorten",
    "each_on_spark",
    "in_order",
    "opened",
    "shortened_on_spark",
    "shortened_part",
    "told_once",
]
