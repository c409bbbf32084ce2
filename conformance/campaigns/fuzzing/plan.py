"""The shards of a round: each is a target, some of its messages, and a seed of its own.

A round has as many shards as the cluster has places for, dealt out to the targets, and a target's
messages are dealt out to its shards: differently in each round, so that no two messages share their
time for ever. If a target has more shards than messages, several shards have the same messages with
other seeds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import msgspec


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A fuzzing process of a round, or a merge: `number` is its place in the round."""

    target: str
    round: int
    number: int
    messages: tuple[str, ...]
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.number:05}"


def dealt(
    messages: Mapping[str, Sequence[str]], round_: int, shards: int, seed: int
) -> list[Shard]:
    """Return the shards of one round, at least one a target; `messages` is by target."""
    dice = random.Random(f"{seed} {round_}")
    found: list[Shard] = []
    for place, (target, all_of_it) in enumerate(messages.items()):
        for group in _groups(all_of_it, _share(place + round_, len(messages), shards), dice):
            number = len(found)
            dice_of_it = dice.getrandbits(31) | 1
            found.append(
                Shard(target=target, round=round_, number=number, messages=group, seed=dice_of_it)
            )
    return found


def merges(shards: Sequence[Shard]) -> list[Shard]:
    """Return the merges that follow the shards: one for each target and group of messages."""
    groups = {(each.target, each.messages): each for each in reversed(shards)}
    return sorted(groups.values(), key=lambda each: each.number)


def _share(place: int, targets: int, shards: int) -> int:
    """Return a target's number of shards; the remainder goes to other targets in each round."""
    return max(shards // targets + (place % targets < shards % targets), 1)


def _groups(messages: Sequence[str], shards: int, dice: random.Random) -> list[tuple[str, ...]]:
    """Return a group of messages for each shard."""
    shuffled = dice.sample(sorted(messages), len(messages))
    apart = min(shards, len(shuffled))
    hands = [tuple(sorted(shuffled[first::apart])) for first in range(apart)]
    return [hands[shard % apart] for shard in range(shards)]
