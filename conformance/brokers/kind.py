"""Brokers as a kind of target: what the gate has to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from conformance.brokers.gate import BrokerSettings
from conformance.data import data_root
from conformance.gate.kind import Comparison, Kind, known_until
from conformance.gate.likeness import Likening, MutantLineUp
from conformance.results.command_lines import DASHES, given, with_options
from conformance.results.known import Known
from conformance.results.lines import Verdict
from conformance.targets.registry import BROKERS, version_of
from conformance.testee_protocol import Hello


class BrokerPlace(NamedTuple):
    """A broker's address, whether this run started it, and the client properties to log in with.

    `config` is the file for the principal of the run, `other` for a principal without any
    permission; `brokers` is how many brokers were started. `command` is the command that starts the
    broker, if one does; it names the broker then.
    """

    address: str
    started: bool = False
    config: Path | None = None
    other: Path | None = None
    brokers: int = 1
    command: tuple[str, ...] = ()

    def words(self, name: str) -> list[str]:
        """Return the words that name the broker in a command line.

        A started broker makes its client properties itself, so they are not named.
        """
        if self.started:
            return given({"--start": name, "--brokers": self.brokers if self.brokers > 1 else None})
        named = [DASHES, *self.command] if self.command else [name]
        return with_options(named, given({"--config": self.config, "--other-config": self.other}))


@dataclass(frozen=True)
class Brokers(Kind):
    """The brokers at these places, by the names of the targets.

    A run that `writes` creates topics and more; a `quick` one asks few versions. What matches a
    pattern of `exclude` is not asked. `explore` is how many seconds conversations are made up for,
    by `seed`.
    """

    places: Mapping[str, BrokerPlace]
    writes: bool = False
    quick: bool = False
    exclude: tuple[str, ...] = ()
    explore: float = 0.0
    seed: int = 0
    noun, name = "broker", "brokers"
    lists_apis = True

    @property
    def limits(self) -> dict[str, tuple[Any, ...]]:
        """Return the limits of the run that only brokers have, by name."""
        return {"exclude": self.exclude, "quick": (True,) if self.quick else ()}

    def settings(self, target: str, common: dict[str, Any]) -> BrokerSettings:
        """Return the settings of a run on a broker."""
        place = self.places[target]
        return BrokerSettings(
            endpoint=place.address,
            config=str(place.config or ""),
            other_config=str(place.other or ""),
            writes=self.writes,
            quick=self.quick,
            exclude=self.exclude,
            explore_s=self.explore,
            seed=self.seed,
            **common,
        )

    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges a broker."""
        writes = given({"--allow-writes": self.writes})
        return with_options(["broker", *self.places[target].words(target)], writes)

    def comparison(self, _target: str, _messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison of a broker with mutants."""
        return Likening(line_up)

    def hello(self, target: str, hello: Hello) -> Hello:
        """Return a broker's hello; if we started it, with our name for it, which has no port."""
        if not self.places[target].started:
            return hello
        from conformance.brokers.started.program import name_and_version

        name, version = name_and_version(target)
        return msgspec.structs.replace(hello, name=name, version=version)

    def known_file(self, target: str) -> Traversable:
        """Return the list of known failures of a bundled broker."""
        return data_root() / "adapters" / BROKERS / _plain_name(target) / "known.toml"

    def known_of_older(self, target: str) -> list[Known]:
        """Return the known failures that only older releases of a bundled broker have."""
        name, version = _plain_name(target), target.partition(":")[2]
        folder = Path(str(data_root() / "adapters" / BROKERS / name))
        return known_until(folder, version or version_of(name, BROKERS))


def _plain_name(target: str) -> str:
    """Return the name of a bundled broker's adapter."""
    return target.partition(":")[0].removeprefix("secured-")


@cache
def line_up() -> MutantLineUp:
    """Return the mutants of brokers. Their modules are loaded only after a broker failed."""
    from conformance.brokers.mutants import broker_mutants, stocked
    from conformance.brokers.mutants.unchecked import UncheckedHandler
    from conformance.brokers.score import verdicts_of
    from conformance.brokers.unchecked import unchecked

    def judge(mutant: Any, rules: Sequence[str]) -> Iterable[Verdict]:
        return verdicts_of(stocked(mutant()), *rules)

    # `brokers.unchecked` recognizes a handler without any check: no rival of one missing check
    every = broker_mutants().values()
    mutants = [each for each in every if not issubclass(each, UncheckedHandler)]
    return MutantLineUp("broker", mutants, judge, handlers=unchecked)
