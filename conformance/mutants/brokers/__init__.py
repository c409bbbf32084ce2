"""Brokers with one defect each, to show that every rule of dialogues catches what it is about.

A mutant is the reference broker with one method of it or of its sessions overridden. It names the
rule that it breaks, and its docstring says how. To add one is to write its class in the module of
its rule's group; it is found there and registered nowhere else. `conformance.checks.broker_score`
judges them in this process, and `kafka-conformance broker --start mutant:NAME` over TCP. Those that
do nothing at all are in `conformance.mutants.brokers.baselines`, and are not listed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from conformance.mutants.brokers.mutant import BrokerMutant, stocked


@cache
def broker_mutants() -> dict[str, type[BrokerMutant]]:
    """Every mutant by its name, module by module."""
    for module in sorted(module.name for module in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return {mutant.__name__: mutant for mutant in BrokerMutant.known if mutant.breaks}


__all__ = ["BrokerMutant", "broker_mutants", "stocked"]
