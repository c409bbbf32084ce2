"""Merging between rounds: the finds of all shards are reduced to few inputs of equal coverage.

All targets share a corpus: an input that reached something new in one codec is given to the others
as well, as the same bytes are a corner of a definition for all of them. A task merges for one
target and some messages. An input that ends the target is recorded as a suspect, and is not given
to it again.
"""

from __future__ import annotations

from conformance.campaigns.fuzzing.description import Fuzzed
from conformance.campaigns.fuzzing.plan import Shard
from conformance.campaigns.fuzzing.shard import (
    Common,
    Inputs,
    input_rows,
    kept,
    put,
    settings_for,
    start_of,
    suspect_rows,
    without_deadly,
)
from conformance.campaigns.fuzzing.task_folder import private_folder
from conformance.fuzzing.campaign import FuzzCampaign
from conformance.fuzzing.starting import sha1


def merge_shard(common: Common, shard: Shard) -> Fuzzed:
    """Merge, and write the corpus that the next round begins with.

    Raises NotMerged, TargetError, TableError.
    """
    put(common, shard, "suspects", [], _suspects(shard))  # of an earlier attempt
    given = _given(common, shard)
    if not given:
        return Fuzzed()
    with private_folder() as folder:
        campaign = FuzzCampaign(settings_for(common, shard, folder))
        campaign.add(given.values())
        campaign.merge()
        corpus = {sha1(data): data for data in campaign.corpus().values()}
        suspects = list(suspect_rows(campaign.suspected()))
    put(common, shard, "suspects", suspects, _suspects(shard))
    return _written(common, shard, corpus, len(suspects))


def carry_over(common: Common, shard: Shard) -> Fuzzed:
    """Keep all inputs if no merge is possible; a later round reduces them. Raises TableError."""
    return _written(common, shard, _given(common, shard), 0)


def _given(common: Common, shard: Shard) -> Inputs:
    """Return the earlier corpus and the finds of all targets' shards in this round."""
    found = start_of(common, shard)
    for target in common.targets:
        found |= dict(kept(common, "inputs", target, shard.round, shard.messages))
    return without_deadly(common, shard.target, found)


def _written(common: Common, shard: Shard, corpus: Inputs, suspects: int) -> Fuzzed:
    put(common, shard, "corpus", list(input_rows(corpus)))
    return Fuzzed(corpus=len(corpus), suspects=suspects)


def _suspects(shard: Shard) -> str:
    return f"{shard.name}-merge"
