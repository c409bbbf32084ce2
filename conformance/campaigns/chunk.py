"""Judging one chunk of cases, or one case alone: the work of one task, with Spark or without it.

The same chunk gives the same rows wherever and however often it is judged, times and memory aside.
Rows worth keeping are written, one file a table; counts are returned.

A codec with one defect fails a quarter of ten million cases. Failures are gathered into causes
where they are judged, and those of a chunk travel as one object: so the data that reaches the
driver grows with the sorts of failure, not with the cases.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from conformance.campaigns.differential.answers import answer_rows
from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, Drawn, Generator, generator_of
from conformance.campaigns.storage.rows import case_row, observation_row, verdict_row
from conformance.campaigns.storage.tables import Row, partition, write_rows
from conformance.codecs.by_bytes import by_bytes
from conformance.codecs.cases.case import Case, Family
from conformance.codecs.crash_limit import CrashLimit, Kind, is_skipped
from conformance.codecs.resolve import open_target
from conformance.codecs.run import run
from conformance.codecs.testee.testee import Testee
from conformance.errors import ConformanceError
from conformance.fuzzing.field_coverage import Feature, features
from conformance.reporting.findings import Cause, Causes
from conformance.reporting.sorts import Sort
from conformance.results.command_lines import program_of
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.targets.errors import TargetNotStarted
from conformance.targets.registry import serve_path
from conformance.testee_protocol import Outcome, Request, Target

Seen = tuple[int, int]
"""The first case of the first and of the last chunk that have a failure of a cause."""


class GatheredCauses(Causes):
    """Causes that others can be added to, chunk by chunk."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Sort, Seen] = {}

    def take_all(self, verdicts: Iterable[Verdict]) -> None:
        """Count broken verdicts, in the order of their cases."""
        for verdict in sorted(verdicts, key=_place):
            self.take(verdict)

    def add(self, chunk: GatheredCauses, begins: int) -> bool:
        """Add the causes of the chunk with first case `begins`; return True if any sort is new."""
        self._close_case()
        chunk._close_case()
        before = len(self._sorts)
        for sort, cause in chunk._sorts.items():
            self._sorts.setdefault(sort, Cause()).add(cause)
            first, last = self._seen.get(sort, (begins, begins))
            self._seen[sort] = min(first, begins), max(last, begins)
        return len(self._sorts) > before

    def seen(self, sorts: Iterable[Sort]) -> Seen:
        """Return where the first and the last chunk begin that have failures of these sorts."""
        places = [self._seen[sort] for sort in sorts]
        return min(first for first, _ in places), max(last for _, last in places)


def _place(verdict: Verdict) -> tuple[int, str]:
    return len(verdict.case), verdict.case


Keep = Literal["broken", "all"]
Count = tuple[str, str, int, str, str]
"""Rule, message, version, operation, verdict."""
FAMILIES_AT_ONCE = 500
MOST_ENDS = 250
"""Cases of a chunk that may end the target before it stops; a hang counts for ten."""
_COUNTED = frozenset({"pass", "note", "unsupported"})


class ChunkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all chunks of a campaign share. Time in seconds, memory in MiB.

    `place` is the folder that the campaign was started in, where a user's own codec is found.
    `skipped` lists, by target, the kinds of cases at which it crashed or hung often enough in
    earlier rounds.
    """

    run: str
    folder: str
    seed: int
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    profile: str = "spec"
    keep: Keep = "broken"
    timeout: float = 10.0
    memory: int = 2048
    place: str = ""
    differential: bool = False
    skipped: dict[str, tuple[Kind, ...]] = {}


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """Cases in a row for one target; `first` and `count` are of families."""

    target: str
    round: int
    number: int
    first: int
    count: int

    @property
    def begins(self) -> int:
        """The number of its first case."""
        return self.first * SLOTS

    @property
    def cases(self) -> int:
        """The number of its cases."""
        return self.count * SLOTS


class ChunkResults(msgspec.Struct, kw_only=True):
    """The results of a chunk. `asked` leaves out the cases that the target does not declare."""

    asked: int = 0
    counts: Counter[Count] = msgspec.field(default_factory=Counter)
    reached: set[Feature] = msgspec.field(default_factory=set)
    crashes: Counter[Kind] = msgspec.field(default_factory=Counter)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class WatchedTarget:
    """A target that records each request, its outcome and the time it took, in microseconds."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.hello = target.hello
        self.done: list[tuple[Request, Outcome, int]] = []

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """Yield the target's outcomes; the time begins when a request is handed to it."""
        handed: list[tuple[Request, int]] = []
        clock = time.perf_counter_ns

        def handing() -> Iterator[Request]:
            for request in requests:
                handed.append((request, clock()))
                yield request

        for index, outcome in enumerate(self._target.ask(handing())):
            request, began = handed[index]
            self.done.append((request, outcome, (clock() - began) // 1000))
            yield outcome


def judge(
    settings: ChunkSettings, chunk: Chunk, target: Target, known: frozenset[Feature] = frozenset()
) -> tuple[ChunkResults, GatheredCauses]:
    """Judge a chunk and write its rows; features in `known` are left out of those reached.

    Raises TargetLost, TableError.
    """
    began, cpu = time.perf_counter(), time.process_time()
    judged, causes = ChunkResults(), GatheredCauses()
    kept = _Kept(settings.keep == "all", settings.differential)
    skipped = settings.skipped.get(chunk.target, ())
    crash_limit = CrashLimit(by_message=True, skipped=skipped, most=MOST_ENDS)
    generator = generator_of(settings.seed, settings.messages, settings.versions)
    asked = _families_for(chunk.target, target, settings.seed)
    _settle(generator)
    for first in range(chunk.first, chunk.first + chunk.count, FAMILIES_AT_ONCE):
        end = min(first + FAMILIES_AT_ONCE, chunk.first + chunk.count)
        drawn = [generator.draw(index) for index in range(first, end)]
        families = [family for each in drawn if (family := asked.family(each)) is not None]
        watched = WatchedTarget(target)
        verdicts = _judge_families(families, watched, settings.profile, crash_limit)
        broken = [each for each in verdicts if each.verdict in BROKEN]
        causes.take_all(broken)
        asked_for = sum(case.is_asked for family in families for case in family.cases)
        judged.asked += asked_for - sum(map(is_skipped, verdicts))
        judged.counts.update(
            (each.rule, each.message, each.version, each.op, each.verdict) for each in verdicts
        )
        for each in drawn:
            judged.reached.update(_features(each))
        kept.take(verdicts, drawn, families, watched)
    judged.reached -= known
    judged.crashes = crash_limit.seen
    kept.write(settings, chunk)
    judged.seconds = time.perf_counter() - began
    judged.cpu_seconds = time.process_time() - cpu
    return judged, causes


def _judge_families(
    families: list[Family], watched: WatchedTarget, profile: str, crash_limit: CrashLimit
) -> list[Verdict]:
    verdicts = []
    limited = map(crash_limit.limit, families)
    for verdict in map(by_bytes, run(limited, watched, catalogue(), profile)):  # type: ignore[arg-type]
        crash_limit.count(verdict)
        verdicts.append(verdict)
    return verdicts


def _settle(generator: Generator) -> None:
    """Exempt long-lived objects from garbage collection, which else takes a sixth of the time."""
    _ = generator.sources
    gc.collect()
    gc.freeze()


_open: dict[tuple[str, str, float, int], Target] = {}
_asking: dict[tuple[str, int], Families] = {}


def _families_for(name: str, target: Target, seed: int) -> Families:
    """Return the maker of cases for a target, which caches the forms that it has compiled."""
    found = _asking.get((name, seed))
    if found is None or found.hello != target.hello:
        found = _asking[name, seed] = Families(target.hello, seed)
    return found


def target_of(name: str, settings: ChunkSettings) -> Target:
    """Return the target of this name, opened once a process; all but our own are subprocesses."""
    key = name, settings.place, settings.timeout, settings.memory
    if key not in _open:
        if program_of(name) or not (":" in name and Path(settings.place).is_dir()):
            _open[key] = _bundled_or_program(name, settings)
        else:
            _open[key] = _codec_in_place(name, settings)
    return _open[key]


def _bundled_or_program(name: str, settings: ChunkSettings) -> Target:
    place = Path(settings.place)
    return open_target(
        name,
        timeout_s=settings.timeout,
        memory_mib=settings.memory,
        place=place if program_of(name) and place.is_dir() else None,
    )


def _codec_in_place(name: str, settings: ChunkSettings) -> Target:
    """Start a user's own codec in its folder.

    This process does not change its folder: code that Spark sent has a relative path.
    """
    command = [sys.executable, str(serve_path()), name]
    try:
        return Testee(
            command,
            cwd=Path(settings.place),
            timeout_s=settings.timeout,
            memory_mib=settings.memory,
        )
    except TargetNotStarted as error:
        said = error.message.rpartition("serve.py: ")[2]
        raise TargetNotStarted(f"{name}: {said}", f"is it in {settings.place}?") from None


def close_targets() -> None:
    """End all targets of this process."""
    while _open:
        _open.popitem()[1].close()


def _features(drawn: Drawn) -> Iterator[Feature]:
    form = drawn.source.form
    return features(form.message, form.version, form.layout, drawn.value)


class _Kept:
    """The rows of a chunk that are worth keeping."""

    def __init__(self, everything: bool, differential: bool) -> None:
        self._everything = everything
        self._differential = differential
        self._skipped: set[Kind] = set()
        self._rows: dict[str, list[Row]] = {
            "verdicts": [],
            "cases": [],
            "observations": [],
            "answers": [],
        }

    def take(
        self,
        verdicts: list[Verdict],
        drawn: list[Drawn],
        families: list[Family],
        watched: WatchedTarget,
    ) -> None:
        """Add the rows to keep of some families."""
        if self._differential:
            self._rows["answers"] += answer_rows(families, verdicts, watched.done)
        found = [each for each in verdicts if self._everything or self._is_kept(each)]
        if not found:
            return
        found.sort(key=lambda verdict: (len(verdict.case), verdict.case))
        rows = self._rows["verdicts"]
        rows.extend(verdict_row(each, len(rows) + i) for i, each in enumerate(found))
        wanted = {each.case for each in found}
        origins = {each.index * SLOTS: each for each in drawn}
        outcomes = {id(request): (outcome, took) for request, outcome, took in watched.done}
        for family in families:
            for slot, case in enumerate(family.cases):
                if case.id in wanted:
                    self._add(case, slot, origins[_number(family.vector)], outcomes)

    def _add(self, case: Case, slot: int, drawn: Drawn, outcomes: dict[int, Any]) -> None:
        how = f" {drawn.how}" if slot == SLOTS - 1 and drawn.how else ""
        self._rows["cases"].append(case_row(case, f"{drawn.source.id}{how}"))
        if id(case.request) in outcomes:
            outcome, took = outcomes[id(case.request)]
            self._rows["observations"].append(observation_row(case, outcome, took))

    def _is_kept(self, verdict: Verdict) -> bool:
        """Return `is_kept`, but of cases skipped for one reason keep only the first."""
        if not is_skipped(verdict):
            return is_kept(verdict)
        kind = verdict.message, verdict.rule
        is_first = kind not in self._skipped
        self._skipped.add(kind)
        return is_first

    def write(self, settings: ChunkSettings, chunk: Chunk) -> None:
        """Write one file a table."""
        for table, rows in self._rows.items():
            folder = partition(
                Path(settings.folder), table, settings.run, chunk.target, chunk.round
            )
            write_rows(folder, f"{chunk.begins:012}", table, rows)


def is_kept(verdict: Verdict) -> bool:
    """True if a verdict is kept whole, rather than only counted.

    A note is kept if it says that a rule was broken which the profile forgives.
    """
    return verdict.verdict not in _COUNTED or verdict.input is not None


def _number(case: str) -> int:
    return int(case.rpartition("/")[2])


class NoSuchCase(ConformanceError):
    """A text that names no case of a campaign, or a case that the target can't be asked."""


def case_again(
    case: str,
    target: Target,
    messages: tuple[str, ...] = (),
    versions: tuple[int, ...] = (),
    profile: str = "spec",
) -> list[Verdict]:
    """Return the verdicts of one case, made and judged as in its campaign. Raises NoSuchCase."""
    seed, _, number = case.partition("/")
    if not (seed.isdecimal() and number.isdecimal()):
        raise NoSuchCase(f"{case!r} is no case of a campaign", "SEED/NUMBER, as a finding has it")
    drawn = generator_of(int(seed), messages, versions).draw(int(number) // SLOTS)
    family = Families(target.hello, int(seed)).family(drawn)
    if family is None:
        name, version = drawn.source.form.message, drawn.source.form.version
        hint = "see its hello"
        raise NoSuchCase(f"the target has another form of {name} v{version}", hint)
    name = f"{int(seed)}/{int(number)}"
    verdicts = map(by_bytes, run([family], target, catalogue(), profile))
    return [each for each in verdicts if each.case == name]
