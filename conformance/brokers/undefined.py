"""Versions that a broker lists and no stored definition has: nothing can be asked in them."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.brokers.dialogues.talk import Facts
from conformance.results.text import spans
from conformance.schema.releases import definitions

MOST_NAMED = 5


def undefined(facts: Facts) -> str:
    """Return a note on the listed versions that no stored definition has, "" if each has one."""
    found = list(_undefined(facts))
    more = f", and of {len(found) - MOST_NAMED} more APIs" if len(found) > MOST_NAMED else ""
    named = "; ".join(found[:MOST_NAMED])
    return f"listed and not asked, as no stored definition has it: {named}{more}" if found else ""


def _undefined(facts: Facts) -> Iterator[str]:
    names = definitions().requests
    for key, (low, high) in sorted(facts.advertised.items()):
        known = facts.codec.versions(names[key]) if key in names else []
        if unknown := set(range(low, high + 1)) - set(known):
            name = names[key].removesuffix("Request") if key in names else f"API key {key}"
            yield f"{name} {' and '.join(spans(unknown))}"
