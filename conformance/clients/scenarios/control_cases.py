"""The control cases, which a client must do well with before a scenario counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import new_class
from typing import Any

from conformance.clients.scenarios import plain_brokers
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.plain_brokers import ServesLookups
from conformance.clients.scenarios.scenario import Scenario

_PLAIN = [each for each in Scenario.known if each.__module__ == plain_brokers.__name__]
WELL: Mapping[Action, type[Scenario]] = {each.action: each for each in reversed(_PLAIN)}
"""The plain broker for each action, the first if there are several."""


def control_case_of(scenario: type[Scenario]) -> type[Scenario]:
    """Return the control case, which a client must do well with before this scenario counts."""
    usual = ServesLookups if scenario.about == ServesLookups.about else WELL[scenario.action]
    return scenario.control_case or usual


def control_of(scenario: type[Scenario], rule: str) -> type[Scenario]:
    """Return the control case that a client must do well with before this rule counts here."""
    return scenario.controls.get(rule, control_case_of(scenario))


def ground_of(scenario: type[Scenario]) -> type[Scenario]:
    """Return the broker that does nothing wrong, and serves the same versions `beside` it."""
    is_lookup = scenario.beside() == ServesLookups.beside()
    plain = ServesLookups if is_lookup else WELL[scenario.action]
    return old(plain) if scenario.is_old else plain


def whole(scenario: type[Scenario]) -> type[Scenario]:
    """Return the scenario with nothing served otherwise `beside` it, its control cases likewise."""
    if not scenario.beside():
        return scenario
    return _variant(scenario, whole, _whole, {"beside": classmethod(lambda _: {})})


def old(scenario: type[Scenario]) -> type[Scenario]:
    """Return the scenario played by a broker that serves what Kafka 4 has removed as well.

    Its control cases are played so likewise.
    """
    if scenario.is_old:
        return scenario
    return _variant(scenario, old, _old, {"is_old": True})


def _variant(
    scenario: type[Scenario],
    vary: Callable[[type[Scenario]], type[Scenario]],
    made: dict[type[Scenario], type[Scenario]],
    more: Mapping[str, Any],
) -> type[Scenario]:
    """Return the scenario with more fields, its other brokers and control cases varied likewise."""
    if scenario not in made:
        fields: dict[str, Any] = {
            "__doc__": scenario.__doc__,
            "__module__": scenario.__module__,
            "others": {node: vary(other) for node, other in scenario.others.items()},
            "controls": {rule: vary(other) for rule, other in scenario.controls.items()},
            **more,
        }
        varied: type[Scenario] = new_class(
            scenario.__name__, (scenario,), {"is_known": False}, lambda names: names.update(fields)
        )
        made[scenario] = varied
        varied.control_case = vary(control_case_of(scenario))
    return made[scenario]


_whole: dict[type[Scenario], type[Scenario]] = {}
_old: dict[type[Scenario], type[Scenario]] = {}
