"""The suspicions of all rounds' shards, asked again, shortened and merged, on Spark.

Shards find the same defect again and again. Equal inputs are one, and among those of one reason and
one message of a target, the shortest represent all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings
from conformance.campaigns.storage.tables import Row, partition, read_rows
from conformance.fuzzing.campaign import Suspected
from conformance.fuzzing.triage import Gathering, Triage, order
from conformance.spark.fuzzing.run import FuzzRun, FuzzRunOptions
from conformance.spark.jobs.faults import JobFailed
from conformance.spark.triage.shortening import ToShorten, shortened_on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_ALIKE = 16


@dataclass(slots=True)
class TriageResults:
    """The results of all suspicions, by target; `alike` is the number of others represented."""

    found: dict[str, Triage] = field(default_factory=dict)
    alike: int = 0
    lost: list[str] = field(default_factory=list)


def judge_suspects(
    run: FuzzRun, session: SparkSession, options: FuzzRunOptions, console: Console
) -> TriageResults:
    """Judge what every round suspected. Raises Unfit, JobFailed, TableError."""
    gathering = {target: Gathering(target, run.about.profile) for target in run.about.targets}
    judged = TriageResults()
    suspects: list[ToShorten] = []
    why: dict[tuple[str, bytes], Suspected] = {}
    for target in run.about.targets:
        chosen, left = suspects_of(run, target)
        suspects += [ToShorten(target, each.data) for each in chosen]
        why |= {(target, each.data): each for each in chosen}
        judged.alike += left
    found = shortened_on_spark(
        session, suspects, run.about.profile, settings_of(run, options), console=console
    )
    try:
        for each in found:
            if each.lost:
                judged.lost.append(f"{each.target}: {each.lost}")
            else:
                gathering[each.target].take(why[each.target, each.suspect], each.confirmed)
    except JobFailed as error:
        raise JobFailed(error.message, "the rounds are kept: go on with --resume") from None
    judged.found = {target: each.done() for target, each in gathering.items()}
    return judged


def suspects_of(run: FuzzRun, target: str) -> tuple[list[Suspected], int]:
    """The inputs that are judged, and how many others are like them. Raises TableError."""
    kinds: dict[tuple[str, str, str], set[bytes]] = defaultdict(set)
    for row in _rows(run, target):
        kinds[row["why"], row["ended"], row["message"]].add(row["bytes"])
    chosen: dict[bytes, Suspected] = {}
    for (why, ended, _), each in kinds.items():
        for data in sorted(each, key=order)[:MOST_ALIKE]:
            suspected = Suspected(data, why, ended)
            if data not in chosen or chosen[data].is_of_cost:
                chosen[data] = suspected
    every = {data for each in kinds.values() for data in each}
    return sorted(chosen.values(), key=lambda each: order(each.data)), len(every) - len(chosen)


def _rows(run: FuzzRun, target: str) -> Iterator[Row]:
    """Yield the rows of the rounds that are done."""
    for each in run.rounds:
        folder = partition(run.folder.root, "suspects", run.about.run, target, each.number)
        yield from read_rows(folder, "suspects")


def settings_of(run: FuzzRun, options: FuzzRunOptions) -> ChunkSettings:
    """Return the settings with which targets are asked."""
    return ChunkSettings(
        run=run.about.run,
        folder=str(run.folder.root),
        seed=run.about.seed,
        profile=run.about.profile,
        timeout=options.timeout,
        memory=options.memory,
        place=str(Path.cwd()),
    )
