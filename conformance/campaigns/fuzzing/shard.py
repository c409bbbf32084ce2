"""One shard: a fuzzing process for a given time, from the corpus of its messages, and its rows.

The corpus is in the tables, where the merge of the round before has put it; in the first round it
is the golden vectors. Rows go to one file a table under the shard's number, so that a shard that is
done twice leaves one of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from conformance.campaigns.fuzzing.description import Fuzzed
from conformance.campaigns.fuzzing.plan import Shard
from conformance.campaigns.fuzzing.task_folder import code_for_others, private_folder
from conformance.campaigns.storage.tables import Row, partition, read_rows, write_rows
from conformance.fuzzing.campaign import FuzzCampaign, NotFuzzed, Suspected
from conformance.fuzzing.field_coverage import Feature
from conformance.fuzzing.inputs import seeds, split
from conformance.fuzzing.session import settings_of
from conformance.fuzzing.settings import FuzzSettings
from conformance.fuzzing.starting import sha1

Inputs = dict[str, bytes]
"""Inputs by their SHA-1."""


class Common(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all shards of a run share. Time in seconds, memory in MiB.

    `place` is the folder that the run was started in, where a user's own codec is found.
    """

    run: str
    folder: str
    targets: tuple[str, ...]
    seconds: float
    versions: tuple[int, ...] = ()
    structure: bool = True
    memory: int = 2048
    place: str = ""

    def part(self, table: str, target: str, round_: int | None = None) -> Path:
        """Return the folder of a table's files."""
        return partition(Path(self.folder), table, self.run, target, round_)


def fuzz_shard(common: Common, shard: Shard, known: frozenset[Feature]) -> Fuzzed:
    """Fuzz, and write the results; features in `known` are left out of those reached.

    Raises NotFuzzed, DiskFull, TargetError, TableError.
    """
    given = start_of(common, shard)
    with private_folder() as folder:
        campaign = FuzzCampaign(settings_for(common, shard, folder))
        campaign.add(given.values())
        campaign.run(common.seconds)
        if not campaign.progress.executions:
            raise NotFuzzed("nothing was executed")
        return _written(common, shard, campaign, given, known)


def settings_for(common: Common, shard: Shard, folder: Path) -> FuzzSettings:
    """Return the settings for the fuzzing process of a shard or merge. Raises TargetError."""
    settings = FuzzSettings(
        folder=str(folder),
        structure=common.structure,
        memory_mib=common.memory,
        seed=shard.seed,
        code=code_for_others(folder),
    )
    return settings_of(shard.target, settings, Path(common.place))


def start_of(common: Common, shard: Shard) -> Inputs:
    """Return a shard's first inputs, without those known to end its target. Raises TableError."""
    if shard.round == 0:
        found = by_name(seeds(shard.messages, frozenset(common.versions) or None))
    else:
        found = dict(kept(common, "corpus", shard.target, shard.round - 1, shard.messages))
    return without_deadly(common, shard.target, found)


def by_name(inputs: Iterable[bytes]) -> Inputs:
    """Return inputs by their SHA-1, so that equal ones are kept once."""
    return {sha1(data): data for data in inputs}


def kept(
    common: Common, table: str, target: str, round_: int, messages: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the inputs of these messages that a round left in a table. Raises TableError."""
    wanted = frozenset(messages)
    for row in read_rows(common.part(table, target, round_), table):
        if row["message"] in wanted:
            yield row["sha1"], row["bytes"]


def without_deadly(common: Common, target: str, inputs: Inputs) -> Inputs:
    """Return the inputs that never ended a process of this target. Raises TableError."""
    rows = read_rows(common.part("suspects", target), "suspects")
    deadly = {row["sha1"] for row in rows if row["ended"]}
    return {name: data for name, data in inputs.items() if name not in deadly}


def _written(
    common: Common, shard: Shard, campaign: FuzzCampaign, given: Inputs, known: frozenset[Feature]
) -> Fuzzed:
    progress = campaign.progress
    new = {name: data for name, data in campaign.corpus().items() if name not in given}
    inputs = list(input_rows(new))
    suspects = list(suspect_rows(campaign.suspected()))
    reached = sorted(campaign.reached() - known)
    fuzzed = Fuzzed(
        executions=progress.executions,
        edges=progress.edges,
        restarts=progress.restarts,
        seconds=round(progress.seconds, 3),
        inputs=len(inputs),
        suspects=len(suspects),
    )
    put(common, shard, "inputs", inputs)
    put(common, shard, "suspects", suspects)
    put(common, shard, "coverage", [dict(zip(_FEATURE, each, strict=True)) for each in reached])
    about = {"shard": shard.number, "messages": list(shard.messages), "seed": shard.seed}
    figures = {name: getattr(progress, name) for name in _FIGURES}
    put(common, shard, "shards", [about | figures])
    return fuzzed


_FEATURE = ("message", "version", "field", "value_class")
_FIGURES = ("executions", "edges", "features", "restarts", "seconds")


def input_rows(inputs: Inputs) -> Iterator[Row]:
    """Yield a row for each input whose header names a message."""
    for name, data in sorted(inputs.items()):
        if parted := split(data):
            yield {"message": parted[0].message, "sha1": name, "bytes": data}


def suspect_rows(suspects: Iterable[Suspected]) -> Iterator[Row]:
    """Yield a row for each suspect whose header names a message."""
    for each in suspects:
        for row in input_rows({sha1(each.data): each.data}):
            yield {**row, "why": each.why, "ended": each.ended}


def put(common: Common, shard: Shard, table: str, rows: list[Row], name: str = "") -> None:
    """Write the one file of a shard in a table, in place of that of an earlier attempt.

    Raises TableError.
    """
    folder = common.part(table, shard.target, shard.round)
    name = name or shard.name
    (folder / f"{name}.parquet").unlink(missing_ok=True)
    write_rows(folder, name, table, rows)
