"""Clients as a kind of target: what the gate has to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from typing import Any

from conformance.clients.gate import ClientSettings
from conformance.data import data_root
from conformance.gate.kind import Comparison, Kind
from conformance.gate.likeness import Likening, MutantLineUp
from conformance.results.command_lines import given, words_of
from conformance.results.lines import Verdict
from conformance.targets.registry import CLIENTS, plain_name


@dataclass(frozen=True)
class Clients(Kind):
    """The clients that these commands start, by their names, or one that comes to `listen`."""

    commands: Mapping[str, tuple[str, ...]]
    listen: str = ""
    noun, name, between = "client", "clients", "the driver"
    shows_cases = True

    def settings(self, target: str, common: dict[str, Any]) -> ClientSettings:
        """Return the settings of a run on a client."""
        command = self.commands[target]
        return ClientSettings(name=target, command=command, listen=self.listen, **common)

    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges a client."""
        if self.listen:
            return ["client", *given({"--listen": self.listen})]
        return words_of("client", target)

    def comparison(self, _target: str, _messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison of a client with mutants."""
        return Likening(line_up)

    def known_file(self, target: str) -> Traversable:
        """Return the list of known failures of a bundled client."""
        return data_root() / "adapters" / CLIENTS / plain_name(target) / "known.toml"


@cache
def line_up() -> MutantLineUp:
    """Return the mutants of clients, which are loaded only after a client failed."""
    from conformance.clients.mutants import client_mutants
    from conformance.clients.scenarios.every_request import ALWAYS
    from conformance.clients.score import verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> Iterable[Verdict]:
        on_each_visit = not ALWAYS.keys().isdisjoint(rules)
        return verdicts_of(mutant, () if on_each_visit else rules)

    return MutantLineUp("client", list(client_mutants().values()), judge)
