"""Brokers with one defect each, to show that every rule of dialogues catches what it is about.

A mutant is the reference broker with one method of it or of its sessions overridden. It names the
rule that it breaks, and its docstring says how. To add one is to write its class in the module of
its rule's group; it is found there and registered nowhere else. `conformance.brokers.score`
judges them in this process, and `kafka-conformance broker --start mutant:NAME` over TCP. Those that
do nothing at all are in `conformance.brokers.mutants.baselines`, and are not listed.
"""

from __future__ import annotations

from functools import cache

from conformance.brokers.mutants.mutant import BrokerMutant, stocked
from conformance.mutants import by_name


@cache
def broker_mutants() -> dict[str, type[BrokerMutant]]:
    """Return every mutant by its name, module by module."""
    return by_name(BrokerMutant, __name__, __path__)


__all__ = ["BrokerMutant", "broker_mutants", "stocked"]
