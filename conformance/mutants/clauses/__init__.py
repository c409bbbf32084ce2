"""Codecs with a defect in one message, as a clause of a KIP has it otherwise.

A clause about the form of one message is decided by a rule about all of them. That the rule would
notice a breach of this very clause is shown by a codec that is wrong there and nowhere else. They
are named by the clauses (`conformance/rules/clauses`), and are too narrow to be listed with the
other mutants.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from conformance.mutants.clauses.reshaped import Reshaped


@cache
def clause_mutants() -> dict[str, type[Reshaped]]:
    """Every one by its name, module by module."""
    for module in sorted(module.name for module in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return {mutant.__name__: mutant for mutant in Reshaped.of_clauses}


__all__ = ["Reshaped", "clause_mutants"]
