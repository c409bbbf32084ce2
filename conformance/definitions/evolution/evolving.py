"""All breaches of the rules of evolution between two releases, message by message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.definitions.evolution import forms, messages, tags
from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.fields import spot_at
from conformance.definitions.evolution.pairing import Matched
from conformance.definitions.evolution.release import Definition
from conformance.schema.model import JsonPath
from conformance.schema.text.json_text import line_of

OF_ONE = (*messages.RULES, *forms.RULES, *tags.RULES)
RULES = tuple(each.rule for each in OF_ONE)
"""The ids of all rules for two releases, in the order in which they are checked."""


@dataclass(frozen=True)
class Location:
    """The place of a finding: in the newer file, or in the older one for a field that is gone."""

    file: str
    line: int
    name: str


@dataclass(frozen=True)
class Changed:
    """A message of the newer release, and its breaches with their rules.

    `old` is None for a message that is new.
    """

    old: Definition | None
    new: Definition
    breaches: tuple[tuple[str, Breach], ...]


def evolved(matched: Matched) -> Iterator[Changed]:
    """Yield each definition of the newer release with its breaches."""
    for pair in matched.pairs:
        found = tuple((each.rule, breach) for each in OF_ONE for breach in each(pair))
        yield Changed(pair.old, pair.new, found)
    given_away = list(messages.api_keys_given_away(matched))
    for definition in matched.fresh:
        own = (breach for of, breach in given_away if of is definition)
        yield Changed(None, definition, tuple((messages.API_KEY_KEPT, each) for each in own))


def place_of(changed: Changed, breach: Breach) -> Location:
    """Return the file, line and field of a breach."""
    in_old = breach.gone and changed.old is not None
    definition = changed.old if in_old and changed.old else changed.new
    spot = spot_at(definition.message, breach.old_place if in_old else breach.place)
    path: JsonPath = spot.path if spot else ()
    path = (*path, breach.key) if breach.key else path
    source = definition.source
    return Location(source.file, line_of(source.text, path), spot.place if spot else "")
