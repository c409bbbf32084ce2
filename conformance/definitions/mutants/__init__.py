"""Defects of definitions: small ones of our own, each with one change that breaks one rule.

A mutant is one edit of the sample definitions, which keep every rule. To add one is to add it to
the list of its rule's area; the rule that it names has to find it, at its place, and no other rule
may find anything.
"""

from __future__ import annotations

from conformance.definitions.mutants.fields import MUTANTS as OF_FIELDS
from conformance.definitions.mutants.forms import MUTANTS as OF_FORMS
from conformance.definitions.mutants.messages import MUTANTS as OF_MESSAGES
from conformance.definitions.mutants.mutant import DefinitionMutant
from conformance.definitions.mutants.tags import MUTANTS as OF_TAGS


def definition_mutants() -> dict[str, DefinitionMutant]:
    """Return every mutant by its name, area by area."""
    areas = (OF_FORMS, OF_MESSAGES, OF_FIELDS, OF_TAGS)
    return {mutant.name: mutant for area in areas for mutant in area}


__all__ = ["DefinitionMutant", "definition_mutants"]
