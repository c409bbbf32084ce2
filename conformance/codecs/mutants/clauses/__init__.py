"""Codecs with a defect in one message, as a clause of a KIP has it otherwise.

A clause about the form of one message is decided by a rule about all of them. That the rule would
notice a breach of this very clause is shown by a codec that is wrong there and nowhere else. They
are named by the clauses (`conformance/rules/clauses`), and are too narrow to be listed with the
other mutants.
"""

from __future__ import annotations

from functools import cache

from conformance.codecs.mutants.clauses.reshaped import Reshaped
from conformance.modules import import_all


@cache
def clause_mutants() -> dict[str, type[Reshaped]]:
    """Return every clause mutant by its name, module by module."""
    import_all(__name__, __path__)
    return {mutant.__name__: mutant for mutant in Reshaped.of_clauses}


__all__ = ["Reshaped", "clause_mutants"]
