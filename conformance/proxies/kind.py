"""Proxies as a kind of target: what the gate has to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources.abc import Traversable
from typing import Any

from conformance.data import data_root
from conformance.gate.kind import Comparison, Kind
from conformance.gate.likeness import Likening, MutantLineUp, without_version
from conformance.proxies.gate import ProxySettings
from conformance.proxies.place import ProxyPlace
from conformance.results.command_lines import PROXY_PROFILE
from conformance.results.lines import Verdict
from conformance.targets.registry import PROXIES, plain_name


@dataclass(frozen=True)
class Proxies(Kind):
    """The proxies at these places, by the names of the targets."""

    places: Mapping[str, ProxyPlace]
    noun, name, profile = "proxy", "proxies", PROXY_PROFILE

    def settings(self, target: str, common: dict[str, Any]) -> ProxySettings:
        """Return the settings of a run on a proxy."""
        return ProxySettings(proxy=self.places[target], **common)

    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges a proxy."""
        return ["proxy", *self.places[target].words()]

    def comparison(self, target: str, messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison of a proxy with mutants that can declare its rewrites."""
        return Likening(partial(line_up, self.places[target].rewrites, frozenset(messages)))

    def known_file(self, target: str) -> Traversable:
        """Return the list of known failures of a bundled proxy."""
        name = plain_name(target.partition(":")[0].removeprefix("secured-"))
        return data_root() / "adapters" / PROXIES / name / "known.toml"


@cache
def line_up(rewrites: tuple[str, ...], messages: frozenset[str] = frozenset()) -> MutantLineUp:
    """Return the mutants of proxies that can declare these rewrites, loaded after a proxy failed.

    They are judged by the lowest and the highest version of these messages, or of all.
    """
    from conformance.proxies.dialogues import ends
    from conformance.proxies.in_process import OWN
    from conformance.proxies.mutants import proxy_mutants
    from conformance.proxies.score import every_case, verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> Iterable[Verdict]:
        proxy = mutant(OWN, said=rewrites)
        return verdicts_of(proxy, rules, rewrites, quick=True, messages=messages)

    able = [each for each in proxy_mutants().values() if each.can_say(rewrites)]
    asked = (
        each.id for log in (False, True) for each in ends(every_case(rewrites, logs_in=log)[1])
    )
    return MutantLineUp("proxy", able, judge, frozenset(map(without_version, asked)))
