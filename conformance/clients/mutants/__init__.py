"""Clients with one defect each, to show that every rule of scenarios catches what it is about.

A mutant is the reference client with one method overridden. It names the rule that it breaks, and
its docstring says how. The modules are named after the scenarios that the mutants fail; a class is
found wherever it stands.
"""

from __future__ import annotations

from functools import cache

from conformance.clients.mutants.mutant import ClientMutant
from conformance.mutants import by_name


@cache
def client_mutants() -> dict[str, type[ClientMutant]]:
    """Return every mutant by its name, module by module."""
    return by_name(ClientMutant, __name__, __path__)


__all__ = ["ClientMutant", "client_mutants"]
