"""A campaign: generated cases for any number of targets, judged round by round on Spark.

A round is one job, of a task a chunk. Tasks write the rows that are worth keeping by themselves,
under names that tell what is in them, and hand back what they counted; a round counts when its
marker is there. So whatever dies, and whenever, no verdict is lost or there twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from conformance import __version__
from conformance.campaigns.chunk import Chunk, ChunkSettings, Keep
from conformance.campaigns.generate import can_be_generated, generator_of
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.folder import About, CampaignFolder, Round, run_id
from conformance.campaigns.tally import CampaignTally, Outcome
from conformance.codecs.resolve import open_target
from conformance.spark.campaign.differential import compare, is_done
from conformance.spark.campaign.task import COLUMNS, outcome, task
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.progress import JobProgress, watched
from conformance.spark.jobs.session import LOCAL, is_local, open_session, quiet
from conformance.spark.jobs.workers import check_workers, ship_code
from conformance.testee_protocol import Hello

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


FEW_MESSAGES = 12
"""Targets that declare no more are asked these alone, as if they had been named."""


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """The options of the command line; `timeout` in seconds, `memory` in MiB."""

    folder: Path
    cases: int
    seed: int = 1
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    profile: str = "spec"
    master: str = LOCAL
    timeout: float = 10.0
    memory: int = 2048
    keep: Keep = "broken"
    until_quiet: bool = False
    differential: bool = False
    resume: bool = False
    ui: bool = True


@dataclass
class Campaign:
    """A run and what is known of it. `seconds` are those of the rounds that were judged here."""

    about: About
    folder: CampaignFolder
    hellos: dict[str, Hello]
    tally: CampaignTally
    plan: RunPlan
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def is_over(self) -> bool:
        """True if nothing is left to do: all is judged, or nothing new was found any more."""
        quiet = self.about.until_quiet and self.tally.is_quiet
        return quiet or len(self.tally.rounds) >= self.plan.rounds


def prepare(targets: Sequence[str], options: CampaignOptions) -> Campaign:
    """Make or take up the run in a folder; nothing is judged yet. Raises any ConformanceError."""
    generator_of(options.seed, options.messages, options.versions).sources  # noqa: B018
    hellos = {name: _hello(name, options) for name in dict.fromkeys(targets)}
    options = of_few_messages(options, list(hellos.values()))
    folder = CampaignFolder(options.folder.absolute())
    about = folder.begin(_about(tuple(hellos), options), options.resume)
    tally = CampaignTally(folder.root, about)
    tally.recall(folder.rounds())
    return Campaign(about, folder, hellos, tally, RunPlan(about.cases, about.targets))


def of_few_messages(options: CampaignOptions, hellos: Sequence[Hello]) -> CampaignOptions:
    """The options, with the messages and versions that the targets declare, if they are few.

    They are in the command that asks a case again, which has room for a few.
    """
    declared = {name for hello in hellos for name in hello.messages if can_be_generated(name)}
    if options.messages or not 0 < len(declared) <= FEW_MESSAGES:
        return options
    versions = options.versions or versions_of(hellos, declared)
    return replace(options, messages=tuple(sorted(declared)), versions=versions)


def versions_of(hellos: Sequence[Hello], messages: Iterable[str]) -> tuple[int, ...]:
    """Every version in which some target declares one of these messages."""
    ranges = [
        each
        for name in messages
        for hello in hellos
        if name in hello.messages
        for each in hello.messages[name].versions
    ]
    return tuple(sorted({v for low, high in ranges for v in range(low, min(high, 127) + 1)}))


def judge_on_spark(campaign: Campaign, options: CampaignOptions, console: Console) -> None:
    """Judge what is left to be judged, in a session of its own.

    Raises NoSpark, NoMaster, Unfit, JobFailed, TableError.
    """
    log = campaign.folder.root / "spark.log"
    name = f"kafka-conformance {campaign.about.run}"
    session = open_session(options.master, name, options.ui, log)
    try:
        if address := session.sparkContext.uiWebUrl:
            console.print(f"Spark shows its work at {address}", soft_wrap=True)
        if not is_local(options.master):
            ship_code(session)
        judge_rounds(campaign, session, options, console)
        compare_targets(campaign, session, options)
    finally:
        session.stop()


def compare_targets(campaign: Campaign, session: SparkSession, options: CampaignOptions) -> None:
    """Find where targets disagree, if that is wanted. Raises JobFailed, TableError."""
    if not is_compared(campaign):
        settings = _settings(campaign, options)
        done = len(campaign.tally.rounds)
        try:
            compare(session, settings, campaign.plan, done, campaign.hellos)
        except KeyboardInterrupt:
            campaign.interrupted = True


def is_compared(campaign: Campaign) -> bool:
    """True if nothing is left to compare: it was done, is not wanted, or has to wait."""
    about = campaign.about
    if not about.differential or not campaign.is_over or len(about.targets) < 2:
        return True
    return is_done(campaign.folder.root, about.run)


def judge_rounds(
    campaign: Campaign, session: SparkSession, options: CampaignOptions, console: Console
) -> None:
    """Judge round after round. Ctrl-C ends it with all rounds that are done.

    Raises Unfit, JobFailed, TableError.
    """
    settings = _settings(campaign, options)
    tally = campaign.tally
    try:
        check_workers(session, settings, campaign.about.targets)
        with JobProgress(console, campaign.plan.all_cases, tally.cases) as shown:
            while not campaign.is_over:
                _judge_round(campaign, session, settings, shown)
    except KeyboardInterrupt:
        campaign.interrupted = True


def _judge_round(
    campaign: Campaign, session: SparkSession, settings: ChunkSettings, shown: JobProgress
) -> None:
    plan, tally = campaign.plan, campaign.tally
    number = len(tally.rounds)
    chunks = list(plan.chunks(number))
    cases = sum(each.cases for each in chunks)
    shown.begin_round(f"{number + 1} of {plan.rounds}", tally.cases, cases)
    began = time.monotonic()
    settings = msgspec.structs.replace(settings, skipped=tally.skipped)
    outcomes = _on_spark(session, settings, chunks, tally, shown.at)
    seconds = time.monotonic() - began
    done = tally.add(number, zip(chunks, outcomes, strict=True), seconds)
    campaign.folder.mark(done)
    campaign.seconds += seconds
    shown.end_round(_news(done))


def _on_spark(
    session: SparkSession,
    settings: ChunkSettings,
    chunks: list[Chunk],
    tally: CampaignTally,
    at: Callable[[float], None],
) -> list[Outcome]:
    """Return the results of the chunks, in their order. Raises JobFailed."""
    context = session.sparkContext
    known = context.broadcast(frozenset(tally.reached))
    numbers = session.range(0, len(chunks), 1, len(chunks))
    with quiet():
        frame = numbers.mapInArrow(task(settings, chunks, known), COLUMNS)
    try:
        rows = watched(context, f"round {len(tally.rounds)}", frame.collect, at)
    except Exception as error:
        raise explained(error) from None
    finally:
        known.destroy()
    return [outcome(row) for row in sorted(rows, key=lambda row: row["index"])]


def _news(done: Round) -> str:
    said = [f"{done.new_features:,} new features"] if done.new_features else []
    said += ["new findings"] if done.new_findings else []
    said += [f"{done.set_aside} chunks set aside"] if done.set_aside else []
    return f"; {', '.join(said)}" if said else ""


def _settings(campaign: Campaign, options: CampaignOptions) -> ChunkSettings:
    about = campaign.about
    return ChunkSettings(
        run=about.run,
        folder=str(campaign.folder.root),
        seed=about.seed,
        messages=about.messages,
        versions=about.versions,
        profile=about.profile,
        keep=options.keep,
        timeout=options.timeout,
        memory=options.memory,
        place=str(Path.cwd()),
        differential=options.differential,
    )


def _about(targets: tuple[str, ...], options: CampaignOptions) -> About:
    started = datetime.now(UTC)
    about = About(
        run="",
        started=started.isoformat(timespec="seconds"),
        suite_version=__version__,
        seed=options.seed,
        cases=options.cases,
        targets=targets,
        messages=tuple(sorted(options.messages)),
        versions=tuple(sorted(options.versions)),
        profile=options.profile,
        keep=options.keep,
        until_quiet=options.until_quiet,
        differential=options.differential,
    )
    return msgspec.structs.replace(about, run=run_id(started, about))


def _hello(name: str, options: CampaignOptions) -> Hello:
    with open_target(name, timeout_s=options.timeout, memory_mib=options.memory) as target:
        return target.hello
