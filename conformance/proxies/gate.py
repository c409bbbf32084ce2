"""The gate of proxies, whose cases are dialogues with two ends, and the settings of a run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import cast

from conformance.gate.gate import Gate
from conformance.gate.settings import ALONE, Settings
from conformance.proxies.converse import converse
from conformance.proxies.dialogues import Held, ProxyCase, asked_of, well_formed
from conformance.proxies.dialogues.talk import ANSWERS_PASS, CORRELATED, REQUESTS_PASS, ProxyFacts
from conformance.proxies.endpoint import ProxyEndpoint
from conformance.proxies.exchanges import exchange
from conformance.proxies.in_process import direct
from conformance.proxies.place import ProxyPlace
from conformance.proxies.trials import Known
from conformance.results.lines import Verdict
from conformance.testee_protocol import Hello, Target

ON_THE_WAY = (REQUESTS_PASS, ANSWERS_PASS, CORRELATED)
"""The rules that any dialogue may find broken, whatever it decides."""


class ProxySettings(Settings, frozen=True, kw_only=True):
    """The `proxy`: how it is started or reached, and what it may change."""

    proxy: ProxyPlace

    def gate(self, target: Target | None = None, name: str = ALONE) -> ProxyGate:
        """Return the gate of one process, which starts the proxy unless it is given."""
        return ProxyGate(self, target, name)

    def open(self) -> Target:
        """Start the proxy, or reach it. Raises TargetError."""
        return ProxyEndpoint(self.proxy, self.timeout_s)


class ProxyGate(Gate[ProxySettings]):
    """A judge of one proxy for the items of one process."""

    def groups(self, _hello: Hello, /) -> list[tuple[str, str]]:
        """Return (message, rule group) for every item of a run on a proxy, by message."""
        return sorted(
            {
                (case.message, rule.partition(".")[0])
                for case in self._cases
                for rule in (*case.rules, *ON_THE_WAY)
                if rule in self.selection.rules
            }
        )

    @cached_property
    def _cases(self) -> list[ProxyCase]:
        endpoint, login = self._endpoint, self._endpoint.secured.login
        facts = ProxyFacts(
            endpoint.advertised,
            endpoint.prefix,
            rewrites=frozenset(endpoint.place.rewrites),
            brokers=endpoint.upstream.brokers,
            mechanism=login.mechanism if login else "",
            tls=bool(login and login.tls),
        )
        exchange(Held(facts, well_formed)(), endpoint)  # shows if client ids stay
        return [case for case in asked_of(facts, self.selection.rules) if self._is_wanted(case)]

    def _is_wanted(self, case: ProxyCase) -> bool:
        chosen = self.selection
        return (
            (chosen.messages is None or case.message in chosen.messages)
            and (chosen.versions is None or case.version in chosen.versions)
            and (chosen.cases is None or case.id in chosen.cases)
        )

    @property
    def _endpoint(self) -> ProxyEndpoint:
        return cast("ProxyEndpoint", self.target)

    def _run(self, message: str) -> Iterator[Verdict]:
        cases = [case for case in self._cases if case.message == message]
        endpoint, rules = self._endpoint, self.selection.rules
        profile = self.settings.profile
        known = self._known_basics
        return converse(cases, endpoint, rules, profile, endpoint.control, direct, known)

    @cached_property
    def _known_basics(self) -> Known:
        """Return the store of results of basics; selected basics report themselves."""
        wanted = self._wanted_groups
        return Known(
            {
                case.id
                for case in self._cases
                if wanted is None or (case.message, case.rules[0].partition(".")[0]) in wanted
            }
        )
