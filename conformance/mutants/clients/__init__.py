"""Clients with one defect each, to show that every rule of scenarios catches what it is about.

A mutant is the reference client with one method overridden. It names the rule that it breaks, and
its docstring says how. To add one is to write its class in the module of its rule's group.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from conformance.mutants.clients.mutant import ClientMutant


@cache
def client_mutants() -> dict[str, type[ClientMutant]]:
    """Every mutant by its name, module by module."""
    for module in sorted(module.name for module in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return {mutant.__name__: mutant for mutant in ClientMutant.known if mutant.breaks}


__all__ = ["ClientMutant", "client_mutants"]
