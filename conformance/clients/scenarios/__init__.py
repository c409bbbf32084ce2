"""Scenarios: brokers with one peculiarity, played to a client to see whether it keeps a rule.

A scenario is a class: the reference broker with a method or two overridden, as a mutant is, and a
table of the rules that it decides, each with the judgement on what the client did. It is found if
its module is in this package. Every scenario has a control case, by default the unchanged broker:
the client must do well there before anything that it does here counts.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter

from conformance.clients.scenarios.scenario import Scenario
from conformance.modules import import_all


@cache
def scenarios() -> dict[str, type[Scenario]]:
    """Return every scenario that decides rules, by its name, module by module."""
    import_all(__name__, __path__)
    known = sorted(Scenario.known, key=attrgetter("__module__"))
    return {each.__name__: each for each in known if each.decides}


__all__ = ["Scenario", "scenarios"]
