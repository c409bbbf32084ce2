"""Messages of which nearly all plain cases of a version fail: it has another layout there.

If a few messages fail so, and more messages and versions pass, the cause is in those messages and
versions, whatever rules the cases were made for. If no edit of the definition explains the answers,
the report names the first field that differs, or none if the target refused everything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.codecs.diagnosis.shown import FIELD_TYPES, FIELDS_OF_VERSION
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.mutants.habits.edits import numbered
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.schema.layout import Layout
from conformance.schema.releases import UnknownDefinition, wire_forms

_MOST_MESSAGES = 3
"""The most messages of which this is reported.

If more fail, they have a common cause that is not their layout. It is a judgement, as in
`api_keys`.
"""
_LEAST_CASES = 3
"""The least number of failed plain cases of a version.

Fewer may all have the same rare value, so that the value is the cause and not the layout.
"""
_INDEX = re.compile(r"\[\d+\]")
"""The number of an element in a path."""
_OF_BYTES = re.compile(r"^offset \d+ \((?P<path>[^,()]*(?:\([a-z]+\))?), \w+\)")
"""A first difference of bytes, with its path."""
_OF_VALUE = re.compile(r"^(?P<path>[^:]+): ")
"""A first difference of values, with its path."""
_PART = re.compile(r"(?:\.?_tags)?\(\w+\)$")
"""The end of a path that names a length or a part of a tag section."""
_SAYS = {("read",): "reads", ("write",): "writes", ("read", "write"): "reads and writes"}
"""The verbs for the sides on which cases fail."""


def other_layouts(symptoms: Symptoms, sorts: Mapping[Sort, Cause]) -> dict[Sort, Observed]:
    """Return the layout as the cause of sorts that have cases of such messages alone."""
    failing = symptoms.failing_throughout(_LEAST_CASES)
    own: dict[str, list[Sort]] = defaultdict(list)
    for sort, cause in sorts.items():
        places = {(each.message, each.version) for each in cause.examples}
        if places <= failing and len({message for message, _ in places}) == 1:
            own[cause.smallest.message].append(sort)
    if len(own) > _MOST_MESSAGES or not symptoms.passes_besides(failing):
        return {}
    found: dict[Sort, Observed] = {}
    for message, of_message in own.items():
        examples = [each for sort in of_message for each in sorts[sort].examples]
        passing = symptoms.versions(message) - {
            number for name, number in failing if name == message
        }
        found |= dict.fromkeys(of_message, _observed(message, examples, passing))
    return found


def _observed(message: str, examples: Sequence[Verdict], passing: Iterable[int]) -> Observed:
    """Return what is reported on the layout of one message."""
    versions = sorted({each.version for each in examples})
    sides = {side for each in examples for side in _sides(each.op)}
    if len(sides) == 1 and all(each.outcome == "rejected" for each in examples):
        return _refused(message, numbered(versions), next(iter(sides)))
    said = f"{_SAYS[tuple(sorted(sides))]} {message} {numbered(versions)} in another layout"
    path = _first_place(message, examples)
    if path:
        said += f", first seen at {path}"
    if passing:
        said += f"; {numbered(sorted(passing))} of it pass"
    remedy = f"Hold its layout against the definition{f', from {path} on' if path else ''}: "
    remedy += "which fields the version has, in which order, of which types, and if it is flexible."
    return Observed(said, FIELDS_OF_VERSION, remedy=remedy, is_exact=bool(path))


def _refused(message: str, versions: str, side: str) -> Observed:
    """Return what is reported if all is refused: the layout or the adapter may be wrong."""
    return Observed(
        f"refuses to {side} {message} at all, in {versions}",
        FIELD_TYPES,
        harm=f"The application cannot {'send' if side == 'write' else 'read'} that message.",
        remedy=(
            "Hold its fields against the definition, above all their types: the words of the "
            "refusal may name one. If the adapter maps the library's struct by hand, see what it "
            "hands over."
        ),
        is_exact=False,
    )


def _sides(op: str) -> tuple[str, ...]:
    """Return the sides on which an operation works: read, write or both."""
    if op == "roundtrip":
        return ("read", "write")
    return ("read",) if op.startswith("decode") else ("write",)


def _first_place(message: str, examples: Sequence[Verdict]) -> str:
    """Return the field that differs first in the order of the wire, "" if none is known."""
    version = examples[0].version
    order = list(_paths_of(message, version))
    places = {place for each in examples if (place := _place(each.first_difference or ""))}
    known = [place for place in places if place in order]
    return min(known, key=order.index, default="")


def _place(difference: str) -> str:
    """Return the path of the field in a first difference, "" if its words have none."""
    found = _OF_BYTES.match(difference) or _OF_VALUE.match(difference)
    if found is None:
        return ""
    return _PART.sub("", _INDEX.sub("[]", found["path"]))


def _paths_of(message: str, version: int) -> Iterator[str]:
    """Yield the paths of all fields of a message's version, in the order of the wire."""
    try:
        forms = wire_forms(message).get(version, ())
    except UnknownDefinition:
        return
    for each in forms:
        yield from _paths(each.layout, "")


def _paths(layout: Layout, above: str) -> Iterator[str]:
    """Yield the paths of all fields of a layout, each after the struct or array that holds it."""
    for item in (*layout.fields, *layout.tagged):
        here = f"{above}{item.name}"
        yield here
        if item.type.element is not None:
            here += "[]"
            yield here
        struct = (item.type.element or item.type).struct
        if struct is not None:
            yield from _paths(struct, f"{here}.")
