"""The interface between the gate and a kind of target; each room of one has such an object.

A kind holds the targets of a run with the options that only its kind has. So the gate names no kind
of target, and another kind is another room.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, ClassVar, Protocol

from conformance.data import data_root
from conformance.gate.settings import Settings
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.results.known import Known, read_known
from conformance.results.lines import Verdict
from conformance.schema.releases import release_order
from conformance.targets.registry import plain_name
from conformance.testee_protocol import Hello

UNTIL = "known-until-"
"""The beginning of the name of a file that lists known failures of each release up to one."""


class Comparison(Protocol):
    """The verdicts on one target, to be compared with known defects."""

    def take(self, verdict: Verdict, /) -> None:
        """Keep what a verdict shows."""
        ...

    def explain(self, sorts: Mapping[Sort, Cause], hello: Hello, /) -> tuple[Explained, str]:
        """Return the diagnoses of sorts of failures, and a note on what was left out."""
        ...


class Kind(ABC):
    """The gate's knowledge of a kind of target; an object of it is for one run.

    `noun` is one target, as rules apply to it, and `name` are many, as the folder of reports is
    called. `between` is what stands between the suite and the target and may lack something, ""
    if nothing does. `profile` is the usual one.
    """

    noun: ClassVar[str]
    name: ClassVar[str]
    between: ClassVar[str] = ""
    profile: ClassVar[str] = "spec"
    shows_cases: ClassVar[bool] = False
    """True if targets are compared side by side case by case, and not by message."""
    judges_visits: ClassVar[bool] = False
    """True if a case is a visit, in which many rules are judged at once."""
    lists_apis: ClassVar[bool] = False
    """True if a target says which APIs it serves."""
    diagnoses_parts: ClassVar[bool] = False
    """True if a target that did not answer all cases can be compared with known defects."""

    @property
    def limits(self) -> dict[str, tuple[Any, ...]]:
        """Return the limits of the run that only this kind has, by name."""
        return {}

    @abstractmethod
    def settings(self, target: str, common: dict[str, Any]) -> Settings:
        """Return the settings of a run on a target; `common` are those of all kinds."""

    @abstractmethod
    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges a target."""

    @abstractmethod
    def comparison(self, target: str, messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison for a run on a target that is limited to these messages."""

    def hello(self, target: str, hello: Hello) -> Hello:
        """Return a target's hello with the name and version that people know it by."""
        del target
        return hello

    def near_case(self, case: str) -> str:
        """Return a hint at cases like one of that id, "" if there is none to give."""
        del case
        return ""

    def lacks(self, hello: Hello) -> str:
        """Return a clause on what a target does not know of what it declares, "" for nothing."""
        del hello
        return ""

    def left_out(self, target: str) -> Sequence[str]:
        """Return what the adapter of a target leaves out of it, with the reason."""
        del target
        return ()

    def known_file(self, target: str) -> Traversable:
        """Return the place of the list of known failures of a bundled target."""
        return data_root() / "adapters" / plain_name(target) / "known.toml"

    def known_of_older(self, target: str) -> list[Known]:
        """Return the known failures that only older releases of a bundled target have."""
        del target
        return []

    def measured_messages(self, hello: Hello) -> int:
        """Return how many messages a whole run judges, 0 if that is of no interest."""
        del hello
        return 0


def known_until(folder: Path, version: str) -> list[Known]:
    """Return the failures of this version that are known from files `known-until-RELEASE.toml`.

    A file in the adapter's folder is read if its release is this version or a later one.
    """
    return [
        entry
        for file in sorted(folder.glob(f"{UNTIL}*.toml"))
        if release_order(version) <= release_order(file.stem.removeprefix(UNTIL))
        for entry in read_known(file)
    ]
