"""The description of a fuzzing run on a cluster, and of its rounds."""

from __future__ import annotations

import msgspec

from conformance.campaigns.storage.folder import RunFolder
from conformance.campaigns.storage.tables import SCHEMA_VERSION


class FuzzAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The identity of a run. A resumed run may have more rounds, another time and other shards."""

    kind: str = "fuzz"
    run: str
    started: str
    suite_version: str
    seed: int
    targets: tuple[str, ...]
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    profile: str = "spec"
    structure: bool = True
    schema_version: int = SCHEMA_VERSION


class Fuzzed(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of fuzzing processes with a target.

    `edges` is the largest number that one of them reached, `corpus` the size of all corpora.
    """

    executions: int = 0
    edges: int = 0
    restarts: int = 0
    seconds: float = 0.0
    inputs: int = 0
    suspects: int = 0
    corpus: int = 0

    def beside(self, other: Fuzzed) -> Fuzzed:
        """Return the progress of both together."""
        return Fuzzed(
            executions=self.executions + other.executions,
            edges=max(self.edges, other.edges),
            restarts=self.restarts + other.restarts,
            seconds=round(self.seconds + other.seconds, 3),
            inputs=self.inputs + other.inputs,
            suspects=self.suspects + other.suspects,
            corpus=self.corpus + other.corpus,
        )


class FuzzRound(msgspec.Struct, frozen=True, kw_only=True):
    """One round, by target; `aside` is the number of shards and merges that could not be done."""

    number: int
    shards: int
    fuzzed: dict[str, Fuzzed]
    new_features: int
    aside: int


class FuzzFolder(RunFolder[FuzzAbout, FuzzRound]):
    """The folder of a fuzzing run, readable to its owner only: it holds inputs that end codecs."""

    kind = "fuzz"
    private = True
    _about = FuzzAbout
    _round = FuzzRound
