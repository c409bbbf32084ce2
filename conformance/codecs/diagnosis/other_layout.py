"""Messages of which every plain case of one version fails: they have another layout there.

Where one or a few messages fail as they are, in all that was asked of one version, and others
pass, the cause lies in that message and version, whatever rules its cases were made for. Where no
edit of the definition explains the answers, what they show is the first field that differs; or
none, where all is refused.
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
"""Of so few messages it is said; more have a cause in common that is not their layout."""
_LEAST_CASES = 3
_INDEX = re.compile(r"\[\d+\]")
_OF_BYTES = re.compile(r"^offset \d+ \((?P<path>[^,()]*(?:\([a-z]+\))?), \w+\)")
_OF_VALUE = re.compile(r"^(?P<path>[^:]+): ")
_PART = re.compile(r"(?:\.?_tags)?\(\w+\)$")
_SAYS = {("read",): "reads", ("write",): "writes", ("read", "write"): "reads and writes"}


def other_layouts(symptoms: Symptoms, sorts: Mapping[Sort, Cause]) -> dict[Sort, Observed]:
    """What is said of each sort that has no case but of such messages and versions."""
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
    """What is said where nothing of a version is taken: the layout, or the adapter's mapping."""
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
    if op == "roundtrip":
        return ("read", "write")
    return ("read",) if op.startswith("decode") else ("write",)


def _first_place(message: str, examples: Sequence[Verdict]) -> str:
    """The field that comes first on the wire of those where answers differ, "" if none is known."""
    version = examples[0].version
    order = list(_paths_of(message, version))
    places = {place for each in examples if (place := _place(each.first_difference or ""))}
    known = [place for place in places if place in order]
    return min(known, key=order.index, default="")


def _place(difference: str) -> str:
    found = _OF_BYTES.match(difference) or _OF_VALUE.match(difference)
    if found is None:
        return ""
    return _PART.sub("", _INDEX.sub("[]", found["path"]))


def _paths_of(message: str, version: int) -> Iterator[str]:
    try:
        forms = wire_forms(message).get(version, ())
    except UnknownDefinition:
        return
    for each in forms:
        yield from _paths(each.layout, "")


def _paths(layout: Layout, above: str) -> Iterator[str]:
    for item in (*layout.fields, *layout.tagged):
        here = f"{above}{item.name}"
        yield here
        if item.type.element is not None:
            here += "[]"
            yield here
        struct = (item.type.element or item.type).struct
        if struct is not None:
            yield from _paths(struct, f"{here}.")
