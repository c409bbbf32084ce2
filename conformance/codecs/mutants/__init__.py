"""Defects to switch on one at a time, so that the suite can be shown to catch each.

A mutant is the reference codec with one method overridden, or one definition changed. It names the
rule that it breaks, and its first sentence says how. A rule is not done until a mutant that breaks
it is caught by it; `python -m conformance.codecs.score` prints who is.

Every mutant is a target like any other: `conformance.codecs.mutants:TagSizePlusOne`. To add one is
to write its class in the module of its rule's group; it is found there and registered nowhere else.
The codecs that do nothing at all are in `baselines`, and those that keep to a text that was given
up in `habits.drafts`: those are not listed, as they break no one rule.
"""

from __future__ import annotations

from functools import cache

from conformance.codecs.mutants.mutant import Mutant
from conformance.mutants import by_name


@cache
def mutants() -> dict[str, type[Mutant]]:
    """Return every mutant by its name, module by module, without those of `unseen`."""
    return {name: mutant for name, mutant in _all().items() if name not in unseen()}


@cache
def unseen() -> dict[str, type[Mutant]]:
    """The mutants that no case was written for, by name (`unseen_defects`)."""
    module = f"{__name__}.unseen_defects"
    return {name: mutant for name, mutant in _all().items() if mutant.__module__ == module}


@cache
def _all() -> dict[str, type[Mutant]]:
    return by_name(Mutant, __name__, __path__)


def __getattr__(name: str) -> type[Mutant]:
    """A mutant as an attribute, so that `module:object` finds it."""
    if name.startswith("_") or name not in _all():
        raise AttributeError(f"there is no mutant {name!r}")
    return _all()[name]


__all__ = ["Mutant", "mutants", "unseen"]
