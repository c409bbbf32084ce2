"""Between rounds: what all shards found is made the fewest inputs that reach as much of a target.

A corpus is everybody's: what reached something new in one codec is given to the others as well, as
the same bytes are the corner of a definition for all of them. A task merges for one target and some
messages. What ends the target is a suspicion of it, and is not given to it again.
"""

from __future__ import annotations

from conformance.campaigns.fuzzing.about import Fuzzed
from conformance.campaigns.fuzzing.plan import Shard
from conformance.campaigns.fuzzing.private import private_folder
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
from conformance.fuzzing.campaign import FuzzCampaign
from conformance.fuzzing.starting import sha1


def merge_shard(common: Common, shard: Shard) -> Fuzzed:
    """Merge, and write the corpus that the next round begins with.

    Raises NotMerged, TargetError, TableError.
    """
    put(common, shard, "suspects", [], _suspects(shard))  # of an attempt before
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
    """Where there can be no merge: all is kept, and made small another time. Raises TableError."""
    return _written(common, shard, _given(common, shard), 0)


def _given(common: Common, shard: Shard) -> Inputs:
    """The corpus of before, and what any target's shards found in this round."""
    found = start_of(common, shard)
    for target in common.targets:
        found |= dict(kept(common, "inputs", target, shard.round, shard.messages))
    return without_deadly(common, shard.target, found)


def _written(common: Common, shard: Shard, corpus: Inputs, suspects: int) -> Fuzzed:
    put(common, shard, "corpus", list(input_rows(corpus)))
    return Fuzzed(corpus=len(corpus), suspects=suspects)


def _suspects(shard: Shard) -> str:
    return f"{shard.name}-merge"
