"""Minting on Spark: a task is a message, and its vectors are those of the one-process mint.

A message's vectors depend on nothing outside of it: not its plan, nor what oracles write, nor what
mutants prove. So tasks do for one message what `mint` and `measured` do for all, and the driver
puts the messages in their order again and writes the same bytes. Oracles stay open for as long as
a worker's Python lives, since to start three JVMs takes longer than to mint most messages.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings, close_targets, target_of
from conformance.campaigns.minting.measure import measured
from conformance.campaigns.minting.mint import Disagreement, golden, mint
from conformance.codecs.cases.vectors import Vector
from conformance.errors import UNREACHABLE, ConformanceError
from conformance.schema.releases import wire_forms
from conformance.spark.jobs.parts import Given, SetAside, Work, in_parts
from conformance.spark.jobs.workers import check_workers
from conformance.targets.errors import TargetError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class NotMinted(ConformanceError):
    """Messages whose task failed or died each time it was tried."""

    exit_code = UNREACHABLE


def mint_on_spark(
    session: SparkSession,
    oracles: Mapping[str, str],
    messages: Sequence[str],
    console: Console,
    place: str = "",
) -> tuple[list[Vector], list[Disagreement]]:
    """The measured vectors and the disagreements of these messages, in their order.

    `oracles` are names of targets by Kafka release, `place` the folder of codecs of one's own.
    Raises Unfit, JobFailed, NotMinted.
    """
    settings = ChunkSettings(run="", folder="", seed=0, place=place)
    check_workers(session, settings, tuple(oracles.values()))
    ordered = _largest_first(messages)
    work = _work(settings, dict(oracles), ordered)
    vectors: list[Vector] = []
    against: list[Disagreement] = []
    for given in in_parts(session, work, len(ordered), console, "messages minted"):
        if isinstance(given, SetAside):
            message = messages[ordered[given.part][0]]
            raise NotMinted(f"{message} could not be minted: {given.reason}", "nothing was written")
        golden_ones, disputed = pickle.loads(given)
        vectors += golden_ones
        against += disputed
    return vectors, against


def _largest_first(messages: Sequence[str]) -> list[tuple[int, str]]:
    """Messages with their places; those of most versions first, so that no long task is last."""
    return sorted(enumerate(messages), key=lambda pair: (-len(wire_forms(pair[1])), pair[0]))


def _work(settings: ChunkSettings, oracles: dict[str, str], ordered: list[tuple[int, str]]) -> Work:
    def work(part: int) -> Iterator[Given]:
        place, message = ordered[part]
        yield place, pickle.dumps(mint_message(settings, oracles, message))

    return work


def mint_message(
    settings: ChunkSettings, oracles: Mapping[str, str], message: str
) -> tuple[list[Vector], list[Disagreement]]:
    """The measured vectors of one message, and what is disputed. Raises TargetError."""
    try:
        opened = {release: target_of(name, settings) for release, name in oracles.items()}
        vectors, against = golden(mint(opened, (message,)))
    except TargetError:
        close_targets()  # the next attempt begins with fresh ones
        raise
    return measured(vectors), against
