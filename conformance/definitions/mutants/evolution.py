"""Releases that differ from the one before where they must not, and others with legal changes.

A mutant is a definition and a change of it that breaks one rule; the older release has it without
the change. The valid ones have the same form: their changes break nothing.
"""

from __future__ import annotations

from conformance.definitions.mutants import evolution_forms, evolution_tags
from conformance.definitions.mutants.evolution_mutant import EvolutionMutant
from conformance.definitions.mutants.evolution_valid import VALID

MUTANTS: tuple[EvolutionMutant, ...] = (*evolution_forms.MUTANTS, *evolution_tags.MUTANTS)

__all__ = ["MUTANTS", "VALID", "EvolutionMutant"]
