"""The gate of clients, whose cases are scenarios, and the settings of a run on one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import cast

from conformance.brokers.connection.address import Address
from conformance.clients.listening import Listener
from conformance.clients.runner import ClientRunner
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.target import ClientTarget
from conformance.clients.visits import play
from conformance.gate.gate import Gate
from conformance.gate.settings import ALONE, Settings
from conformance.results.lines import Verdict
from conformance.testee_protocol import Hello, Target


class ClientSettings(Settings, frozen=True, kw_only=True):
    """The client that a `command` starts, or that comes to the address `listen`."""

    name: str = ""
    command: tuple[str, ...] = ()
    listen: str = ""

    def gate(self, target: Target | None = None, name: str = ALONE) -> ClientGate:
        """Return the gate of one process, which makes the client known unless it is given."""
        return ClientGate(self, target, name)

    def open(self) -> Target:
        """Return the client, which is started once a scenario. Raises TargetError."""
        if self.listen:
            Address.parse(self.listen)
        return ClientTarget(self.name, self.command, self.timeout_s, self.memory_mib)


class ClientGate(Gate[ClientSettings]):
    """A judge of one client for the items of one process."""

    def groups(self, _hello: Hello, /) -> list[tuple[str, str]]:
        """Return (message, rule group) for every item of a run on a client, by message."""
        return sorted(
            {
                (scenario.about, rule.partition(".")[0])
                for scenario in self._chosen
                for rule in (*scenario.decides, *ALWAYS)
                if rule in self.selection.rules
            }
        )

    @cached_property
    def _chosen(self) -> list[type[Scenario]]:
        return [each for each in self._known if self._is_wanted(each)]

    @property
    def _known(self) -> Iterable[type[Scenario]]:
        """Return the scenarios that may be chosen: control cases as well where cases are named."""
        deciding = scenarios().values()
        return deciding if self.selection.cases is None else Scenario.known

    def _is_wanted(self, scenario: type[Scenario]) -> bool:
        chosen = self.selection
        return (
            bool(chosen.rules.keys() & (scenario.decides.keys() | ALWAYS.keys()))
            and (chosen.messages is None or scenario.about in chosen.messages)
            and (chosen.cases is None or scenario.case() in chosen.cases)
            and (scenario.action == "topics" or self._takes_actions)
        )

    @cached_property
    def _control_visits(self) -> dict[type[Scenario], Visit]:
        """Return the visits to control cases, which scenarios of several messages share."""
        return {}

    @property
    def _takes_actions(self) -> bool:
        program = self._client.program
        return program is not None and program.takes_actions

    @property
    def _client(self) -> ClientTarget:
        return cast("ClientTarget", self.target)

    def _run(self, message: str) -> Iterator[Verdict]:
        chosen = [each for each in self._chosen if each.about == message]
        program, rules, profile = self._client.program, self.selection.rules, self.settings.profile
        if program is not None:
            client = self._client
            runner = ClientRunner(program, client.patience, client.telling)
            return play(
                chosen,
                runner.receive,
                rules,
                profile,
                well=self._control_visits,
                again=runner.receive_alone,
                doubts=client.doubts,
                stop=runner.stop,
                says_ok_always=runner.says_ok_always if program.takes_actions else None,
            )
        where = Address.parse(self.settings.listen)
        say = partial(print, file=sys.__stderr__, flush=True)
        listener = Listener(where, self.settings.timeout_s, say)
        return play(chosen, listener.receive, rules, profile, at_once=1, well=self._control_visits)
