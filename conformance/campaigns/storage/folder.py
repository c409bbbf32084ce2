"""The folder of a run in rounds: the run's description, and which of its rounds are done.

    run.json              the selection; another selection belongs into another folder
    rounds/00003.json     written last of all that a round writes, so it counts or it does not
    cases/ … set_aside/   the tables

A run that ended early, for any reason, can be resumed: rows of a round without its marker are
removed, and the round is done again. Campaigns and fuzzing keep such folders, each with its own
description of a run and of a round.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from conformance.campaigns.storage.tables import EVERY_SCHEMA, SCHEMA_VERSION
from conformance.errors import ConformanceError

_RUN = "run.json"
_ROUNDS = "rounds"


class FolderError(ConformanceError):
    """A folder that can't be used for this run."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a run, as far as its rows depend on it."""

    run: str
    started: str
    suite_version: str
    seed: int
    cases: int
    targets: tuple[str, ...]
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    profile: str = "spec"
    keep: str = "broken"
    until_quiet: bool = False
    differential: bool = False
    schema_version: int = SCHEMA_VERSION


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One finished round: its cases, and what was new in them.

    `asked` and the seconds are by target.
    """

    number: int
    cases: int
    asked: dict[str, int]
    seconds: float
    cpu_seconds: dict[str, float]
    new_features: int
    new_findings: bool
    set_aside: int


class Kind(msgspec.Struct, frozen=True):
    """The command whose run is in a folder."""

    kind: str = "campaign"


class AnyAbout(Protocol):
    """The description of a run of any kind."""

    @property
    def run(self) -> str:
        """Its id."""
        ...

    @property
    def __struct_fields__(self) -> tuple[str, ...]:
        """The names of all its fields."""
        ...


class AnyRound(Protocol):
    """The description of a round of any kind."""

    @property
    def number(self) -> int:
        """Its number, from 0."""
        ...


_About = TypeVar("_About", bound=AnyAbout)
_Round = TypeVar("_Round", bound=AnyRound)


class RunFolder(Generic[_About, _Round]):
    """The folder of one run, of any kind. Raises FolderError."""

    kind: ClassVar[str]
    private: ClassVar[bool] = False
    """True if only the owner may read it."""
    _about: ClassVar[type[Any]]
    _round: ClassVar[type[Any]]

    def __init__(self, root: Path) -> None:
        self.root = root

    def begin(self, about: _About, resume: bool) -> _About:
        """Make the folder of a new run, or resume the run in it; return the run's description."""
        there = self.about()
        if there is None and (other := self._kind_there()):
            why = f"{self.root} has another run in it, of the command `{other}`"
            raise FolderError(why, "choose another folder")
        if there is None:
            if resume:
                raise FolderError(f"{self.root} has no run to go on with", "leave out --resume")
            self._make(about)
            return about
        if not resume:
            hint = "choose another folder, or go on with it by --resume"
            raise FolderError(f"{self.root} has another run in it, {there.run}", hint)
        differs = _differences(there, about)
        if differs:
            raise FolderError(
                f"the run in {self.root} has another {differs[0]}", "repeat its own options"
            )
        self._remove_unmarked()
        return there

    def about(self) -> _About | None:
        """Return the description of the run in the folder; None if there is none of this kind."""
        if self._kind_there() != self.kind:
            return None
        found: _About | None = self._read(self._about)
        return found

    def rounds(self) -> list[_Round]:
        """Return the rounds that are done."""
        if self._kind_there() != self.kind:
            return []
        files = sorted((self.root / _ROUNDS).glob("*.json"))
        return [msgspec.json.decode(file.read_bytes(), type=self._round) for file in files]

    def mark(self, done: _Round) -> None:
        """Record a round as done; it counts from here on."""
        self._write(self.root / _ROUNDS / f"{done.number:05}.json", done)

    def _kind_there(self) -> str:
        """Return the kind of the run in the folder, "" if it holds none."""
        found = self._read(Kind)
        return found.kind if found else ""

    def _read(self, type_: type[Any]) -> Any:
        """Return `run.json` as this type, None if it does not exist."""
        try:
            content = (self.root / _RUN).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FolderError(f"{self.root}: {error.strerror}", "choose another folder") from None
        try:
            return msgspec.json.decode(content, type=type_)
        except msgspec.MsgspecError as error:
            raise FolderError(f"{self.root / _RUN}: {error}", "is it of a campaign?") from None

    def _make(self, about: _About) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            if self.private:
                self.root.chmod(0o700)
            if any(self.root.iterdir()):
                hint = "choose an empty folder, or one that is not there yet"
                raise FolderError(f"{self.root} is not empty, and no campaign's", hint)
            (self.root / _ROUNDS).mkdir()
        except OSError as error:
            why = f"{self.root}: {error.strerror}"
            raise FolderError(why, "choose a folder that can be written") from None
        self._write(self.root / _RUN, about)

    def _write(self, path: Path, content: Any) -> None:
        scratch = path.with_name(f".{path.name}")
        try:
            with scratch.open("wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(content)) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(scratch, path)
        except OSError as error:
            hint = "free some room, then go on with --resume"
            raise FolderError(f"{path}: {error.strerror}", hint) from None

    def _remove_unmarked(self) -> None:
        """Remove the rows of rounds without a marker, and all scratch files."""
        done = {each.number for each in self.rounds()}
        for folder in self._round_folders():
            if int(folder.name.removeprefix("round=")) not in done:
                shutil.rmtree(folder)
        for table in EVERY_SCHEMA:
            for scratch in (self.root / table).rglob(".*"):
                scratch.unlink(missing_ok=True)

    def _round_folders(self) -> Iterator[Path]:
        for table in EVERY_SCHEMA:
            yield from list((self.root / table).glob("run=*/target=*/round=*"))


class CampaignFolder(RunFolder[About, Round]):
    """The folder of a campaign."""

    kind = "campaign"
    _about = About
    _round = Round


def run_id(started: datetime, about: AnyAbout) -> str:
    """Return the name of a run that began then: by time, and distinct within the same second."""
    digest = sha256(f"{started.isoformat()} {about}".encode()).hexdigest()[:6]
    return f"{started:%Y%m%dT%H%M%S}-{digest}"


def _differences(there: AnyAbout, given: AnyAbout) -> list[str]:
    """Return the names of the fields that differ, except the time and the run's own id."""
    names = [name for name in given.__struct_fields__ if name not in ("run", "started")]
    return [
        name.replace("_", " ") for name in names if getattr(there, name) != getattr(given, name)
    ]
