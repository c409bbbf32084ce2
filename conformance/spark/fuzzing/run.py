"""A fuzzing run on a cluster, round by round: shards, then the merge of what they found.

Tasks write their rows by themselves and hand back figures; a round counts when its marker is there,
which is written after its merge. So whatever dies, and whenever, `--resume` goes on with all that
the rounds before have kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from conformance import __version__
from conformance.campaigns.fuzzing.description import FuzzAbout, Fuzzed, FuzzFolder, FuzzRound
from conformance.campaigns.fuzzing.merge import carry_over, merge_shard
from conformance.campaigns.fuzzing.plan import Shard, dealt, merges
from conformance.campaigns.fuzzing.shard import Common, fuzz_shard, put
from conformance.campaigns.storage.folder import run_id
from conformance.campaigns.storage.tables import partition, read_rows
from conformance.data import vector_messages
from conformance.errors import NothingSelected
from conformance.fuzzing.field_coverage import Feature
from conformance.fuzzing.inputs import seeds, split
from conformance.fuzzing.session import check_messages, opened
from conformance.results.text import counted
from conformance.spark.fuzzing.task import Came, done_on_spark
from conformance.spark.jobs.session import LOCAL
from conformance.testee_protocol import Hello

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class FuzzRunOptions:
    """The options of the command line; `time` and `timeout` in seconds, `memory` in MiB.

    Without `shards` it is the number of tasks that the cluster can run at once.
    """

    folder: Path
    time: float = 60.0
    rounds: int = 1
    shards: int | None = None
    seed: int = 1
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    profile: str = "spec"
    structure: bool = True
    master: str = LOCAL
    timeout: float = 10.0
    memory: int = 2048
    resume: bool = False
    ui: bool = True


@dataclass
class FuzzRun:
    """A run and what is known of it. `messages` are those that are fuzzed, by target."""

    about: FuzzAbout
    folder: FuzzFolder
    hellos: dict[str, Hello]
    messages: dict[str, tuple[str, ...]]
    rounds: list[FuzzRound]
    reached: dict[str, set[Feature]] = field(default_factory=dict)
    interrupted: bool = False

    def fuzzed(self, target: str) -> Fuzzed:
        """Return the totals of a target over all rounds; the corpus is the last round's."""
        found = Fuzzed()
        for each in self.rounds:
            found = found.beside(each.fuzzed.get(target, Fuzzed()))
        corpus = self.rounds[-1].fuzzed[target].corpus if self.rounds else 0
        return msgspec.structs.replace(found, corpus=corpus)

    @property
    def aside(self) -> int:
        """Shards and merges that could not be done."""
        return sum(each.aside for each in self.rounds)

    def recall_reached(self) -> None:
        """Read what is reached of the definitions. Raises TableError."""
        for target in self.about.targets:
            folder = partition(self.folder.root, "coverage", self.about.run, target)
            self.reached[target] = {
                (row["message"], row["version"], row["field"], row["value_class"])
                for row in read_rows(folder, "coverage")
            }


def prepare(targets: Sequence[str], options: FuzzRunOptions) -> FuzzRun:
    """Make or take up the run in a folder; nothing is fuzzed yet. Raises any ConformanceError."""
    check_messages(options.messages)
    hellos = {name: _hello(name, options) for name in dict.fromkeys(targets)}
    messages = {name: _messages(hello, options) for name, hello in hellos.items()}
    folder = FuzzFolder(options.folder.absolute())
    about = folder.begin(_about(tuple(hellos), options), options.resume)
    run = FuzzRun(about, folder, hellos, messages, folder.rounds())
    run.recall_reached()
    return run


def _hello(name: str, options: FuzzRunOptions) -> Hello:
    with opened(name, options.timeout, options.memory) as target:
        return target.hello


def _messages(hello: Hello, options: FuzzRunOptions) -> tuple[str, ...]:
    """Return the target's messages that have seeds."""
    wanted = [each for each in options.messages or vector_messages() if each in hello.messages]
    given = map(split, seeds(wanted, frozenset(options.versions) or None))
    found = tuple(sorted({each[0].message for each in given if each}))
    if not found:
        why = f"{hello.name} has none of these messages, or versions"
        raise NothingSelected(why, "see its hello")
    return found


def fuzz_rounds(
    run: FuzzRun, session: SparkSession, options: FuzzRunOptions, console: Console
) -> None:
    """Fuzz the rounds that are left. Ctrl-C ends it with all that are done.

    Raises JobFailed, TableError, FolderError.
    """
    try:
        for number in range(len(run.rounds), options.rounds):
            with console.status(f"round {number + 1} of {options.rounds}"):
                done, said = _fuzz_round(run, session, options, number)
            run.folder.mark(done)
            run.rounds.append(done)
            console.print(f"round {number + 1} of {options.rounds}: {said}", soft_wrap=True)
    except KeyboardInterrupt:
        run.interrupted = True


def _fuzz_round(
    run: FuzzRun, session: SparkSession, options: FuzzRunOptions, number: int
) -> tuple[FuzzRound, str]:
    common = _common(run, options)
    places = options.shards or session.sparkContext.defaultParallelism
    shards = dealt(run.messages, number, places, run.about.seed)
    groups = merges(shards)
    fuzzed = _fuzzed(session, common, shards, run.reached)
    merged = done_on_spark(
        session,
        f"merge {number}",
        len(groups),
        lambda task: merge_shard(common, groups[task]),
        lambda task: carry_over(common, groups[task]),
    )
    aside = _set_aside(common, shards, fuzzed, "") + _set_aside(common, groups, merged, "merge")
    before = sum(map(len, run.reached.values()))
    run.recall_reached()
    done = FuzzRound(
        number=number,
        shards=len(shards),
        fuzzed=_by_target(
            run, [*zip(shards, fuzzed, strict=True), *zip(groups, merged, strict=True)]
        ),
        new_features=sum(map(len, run.reached.values())) - before,
        aside=aside,
    )
    return done, _in_words(done)


def _fuzzed(
    session: SparkSession,
    common: Common,
    shards: list[Shard],
    reached: Mapping[str, set[Feature]],
) -> list[Came]:
    """Return the result of each shard."""
    known = session.sparkContext.broadcast(reached)

    def work(task: int) -> Fuzzed:
        shard = shards[task]
        return fuzz_shard(common, shard, frozenset(known.value[shard.target]))

    try:
        return done_on_spark(session, f"round {shards[0].round}", len(shards), work)
    finally:
        known.destroy()


def _by_target(run: FuzzRun, came: Iterable[tuple[Shard, Came]]) -> dict[str, Fuzzed]:
    found = dict.fromkeys(run.about.targets, Fuzzed())
    for shard, (fuzzed, _) in came:
        found[shard.target] = found[shard.target].beside(fuzzed)
    return found


def _set_aside(common: Common, shards: Iterable[Shard], came: Iterable[Came], what: str) -> int:
    """Write down what could not be done; how much that is. Raises TableError."""
    count = 0
    for shard, (_, reason) in zip(shards, came, strict=True):
        if reason:
            said = f"{what}: {reason}" if what else reason
            row = {"first": shard.number, "count": 1, "reason": said}
            put(common, shard, "set_aside", [row], f"{shard.name}{what}")
            count += 1
    return count


def _in_words(done: FuzzRound) -> str:
    whole = Fuzzed()
    for each in done.fuzzed.values():
        whole = whole.beside(each)
    said = (
        f"{counted(done.shards, 'shard')}, {whole.executions:,} executions, "
        f"{whole.inputs:,} inputs that reach more, "
        f"{done.new_features:,} new features; {whole.corpus:,} inputs kept, "
        f"{whole.suspects:,} suspicions"
    )
    return f"{said}; {done.aside} set aside" if done.aside else said


def _common(run: FuzzRun, options: FuzzRunOptions) -> Common:
    about = run.about
    return Common(
        run=about.run,
        folder=str(run.folder.root),
        targets=about.targets,
        seconds=options.time,
        versions=about.versions,
        structure=about.structure,
        memory=options.memory,
        place=str(Path.cwd()),
    )


def _about(targets: tuple[str, ...], options: FuzzRunOptions) -> FuzzAbout:
    started = datetime.now(UTC)
    about = FuzzAbout(
        run="",
        started=started.isoformat(timespec="seconds"),
        suite_version=__version__,
        seed=options.seed,
        targets=targets,
        messages=tuple(sorted(options.messages)),
        versions=tuple(sorted(options.versions)),
        profile=options.profile,
        structure=options.structure,
    )
    return msgspec.structs.replace(about, run=run_id(started, about))
