"""Values of one field that a codec refuses: null, or an empty one.

A refusal says little, so no suspect is named for refusals alone. But if each refused message has
null in one field, and no accepted one has, that field and null are what is reported. A trait here
is what one field of a message holds (`Trait`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Case, reads_of, writes_of
from conformance.codecs.diagnosis.shown import FIELD_TYPES, Find
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.mutants.habits.edits import numbered
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.said import alike_words, refused_while_encoding
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.schema.layout import Layout, WireType
from conformance.schema.releases import UnknownDefinition, wire_forms
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader

_LEAST_CASES = 2
"""The least number of refused cases that have to have the value in common.

Everything that one case holds is common to all of its refusals.
"""
_MOST_PASSED = 60
"""The most passed cases of a message that are looked at.

It bounds time: each case is made again from its vector. With far fewer, a value could be taken for
refused that is accepted elsewhere.
"""
_WHERE = {None: "", False: " in inflexible versions", True: " in flexible versions"}
"""The words on the versions in which a type is refused, by `Trait.is_compact`."""
_HEADERS = ("RequestHeader", "ResponseHeader")
"""The headers that are cases by themselves."""
_VALUES = {
    "null": ("primitives.null-string", "Take null", "null"),
    "empty": (FIELD_TYPES, "Take an empty value", "an empty value"),
}
"""The rule, the words of the remedy, and the name of each value that may be refused."""


BEYOND_ASCII = "beyond ASCII"
"""The value of a string that is not ASCII, as text may be in any of them."""
_NO_FIELD = re.compile(
    r"(?:unknown|unexpected|no such|unrecogni[sz]ed|KeyError|no)\b[^\w]*"
    r"(?:(?:keyword argument|field|key|attribute|property|member)[^\w]*)*(?P<name>[a-z]\w+)",
    re.IGNORECASE,
)
"""The words of a writer on a field that it does not know."""


class Trait(NamedTuple):
    """The value of a field of a message or of its header: "null", "empty" or text beyond ASCII.

    `kind` is the type of the field.
    """

    path: str
    kind: str
    is_compact: bool | None
    """None for both, in inflexible and in flexible versions."""
    value: str
    in_header: bool = False


def refused_values(
    symptoms: Symptoms, sorts: Mapping[Sort, Cause], find: Find
) -> dict[Sort, Observed]:
    """Return the causes of sorts whose refusals have a value of one field in common."""
    own: dict[str, list[Sort]] = defaultdict(list)
    for sort, cause in sorts.items():
        messages = {each.message for each in cause.examples if each.outcome == "rejected"}
        if len(messages) == 1 and all(each.outcome == "rejected" for each in cause.examples):
            own[messages.pop()].append(sort)
    found: dict[Sort, Observed] = {}
    for message in own:
        every = [sort for sort, cause in sorts.items() if cause.smallest.message == message]
        found |= _unknown_field(message, every, sorts)
    own = {message: [s for s in each if s not in found] for message, each in own.items()}
    return found | _refused(symptoms, own, sorts, find)


def _unknown_field(
    message: str, own: Sequence[Sort], sorts: Mapping[Sort, Cause]
) -> dict[Sort, Observed]:
    """Return the cause of a message's sorts if its writer says that it does not know a field.

    Sorts that are refused in versions with that field, or that lack it, have the same cause: a
    reader that lacks the field is at the wrong place after it.
    """
    named: dict[str, set[int]] = defaultdict(set)
    for each in (each for sort in own for each in sorts[sort].examples if not reads(each)):
        if each.outcome == "rejected" and (found := _NO_FIELD.search(each.detail)):
            named[found["name"]].add(each.version)
    named = {
        name: versions
        for name, versions in named.items()
        if all(name in _fields_of(message, version) for version in versions)
    }
    if len(named) != 1:
        return {}
    [name] = named

    def is_of_it(each: Verdict) -> bool:
        is_wrong = each.outcome == "rejected" or name in (each.first_difference or "")
        return is_wrong and name in _fields_of(message, each.version)

    of_it = [sort for sort in own if all(map(is_of_it, sorts[sort].examples))]
    versions = {each.version for sort in of_it for each in sorts[sort].examples}
    shown = Observed(
        f"does not know {name} of {message}, in {numbered(sorted(versions))}",
        "versions.only-fields-of-version",
        harm="The application cannot write such a message, and loses its place when it reads one.",
        remedy=(
            f"Add {name} to the versions of {message} that have it. If the adapter maps the "
            "library's struct by hand, see that it knows the field."
        ),
    )
    return dict.fromkeys(of_it, shown)


def _fields_of(message: str, version: int) -> set[str]:
    """Return the names of the fields of a message's version."""
    try:
        forms = wire_forms(message).get(version, ())
    except UnknownDefinition:
        return set()
    return {name for each in forms for name in _names(each.layout)}


def _names(layout: Layout) -> Iterator[str]:
    """Yield the names of all fields of a layout."""
    for item in (*layout.fields, *layout.tagged):
        yield item.name
        struct = (item.type.element or item.type).struct
        if struct is not None:
            yield from _names(struct)


def _refused(
    symptoms: Symptoms,
    own: Mapping[str, Sequence[Sort]],
    sorts: Mapping[Sort, Cause],
    find: Find,
) -> dict[Sort, Observed]:
    """Return the causes of sorts of messages that are refused for a value of a field."""
    traits: dict[tuple[Trait, str], list[Sort]] = defaultdict(list)
    for message, of_message in own.items():
        words = {sort: alike_words(sorts[sort].smallest.detail, message) for sort in of_message}
        for said in dict.fromkeys(words.values()):
            for side in (True, False):
                some = [s for s in of_message if words[s] == said and _is_read(s, sorts) == side]
                examples = [each for sort in some for each in sorts[sort].examples]
                if trait := _common(symptoms, message, examples, find, side):
                    traits[trait, message] += some
    return {sort: shown for shown, found in _told(traits, sorts) for sort in found}


def _told(
    traits: Mapping[tuple[Trait, str], list[Sort]], sorts: Mapping[Sort, Cause]
) -> Iterator[tuple[Observed, list[Sort]]]:
    """Yield what is reported on each trait, with its sorts.

    If one type is refused in several messages, that is reported once.
    """
    groups: dict[tuple[str, bool | None, str, bool], dict[tuple[Trait, str], list[Sort]]]
    groups = defaultdict(dict)
    for (trait, message), found in traits.items():
        groups[trait[1:]][trait, message] = found
    for group in groups.values():
        every = [sort for found in group.values() for sort in found]
        examples = [each for sort in every for each in sorts[sort].examples]
        messages = {each.message for each in examples}
        trait, message = min(group, key=lambda each: (each[1], each[0].path))
        if len(messages) > 1:
            yield _of_type(trait, message, examples, len(messages)), every
            continue
        for (trait, message), found in group.items():
            examples = [each for sort in found for each in sorts[sort].examples]
            yield _observed(trait, message, examples), found


def _of_type(trait: Trait, message: str, examples: Sequence[Verdict], count: int) -> Observed:
    """Return what is reported on a type, or a field of headers, in several messages."""
    lead, take, refused = _VALUES[trait.value]
    verbs, harm = _verbs(examples)
    if trait.in_header:
        which = f"{trait.path} of the header"
    else:
        which = f"a field of type {trait.kind}{_WHERE[trait.is_compact]}"
    said = f"refuses to {verbs} {refused} in {which}, in {count} messages"
    if not trait.in_header:
        said += f", such as {trait.path} of {message}"
    return Observed(said, lead, harm=harm, remedy=f"{take} for {which} where the definition does.")


def _is_read(sort: Sort, sorts: Mapping[Sort, Cause]) -> bool:
    """True if a sort is of reading."""
    return reads(sorts[sort].smallest)


def _observed(trait: Trait, message: str, examples: Sequence[Verdict]) -> Observed:
    """Return what is reported on a field of one message."""
    lead, take, refused = _VALUES[trait.value]
    versions = numbered(sorted({each.version for each in examples}))
    verbs, harm = _verbs(examples)
    return Observed(
        f"refuses to {verbs} {refused} in {trait.path} of {message}, in {versions}",
        lead,
        harm=harm,
        remedy=f"{take} for {trait.path} of {message} in the versions where the definition does.",
    )


def _verbs(examples: Sequence[Verdict]) -> tuple[str, str]:
    """Return what is refused, reading or writing or both, and the harm of that."""
    sides = {reads(each) for each in examples}
    verbs, harms = [], []
    if True in sides:
        verbs.append("read")
        harms.append("cannot read the message of a peer that sends that")
    if False in sides:
        verbs.append("write")
        harms.append("cannot send it")
    harm = f"The application {', and '.join(harms)}; the definition allows it there."
    return " and ".join(verbs), harm


def reads(verdict: Verdict) -> bool:
    """True if a case decodes, be it in a round trip that was not refused while it encoded."""
    return not (verdict.op.startswith("encode") or refused_while_encoding(verdict.detail))


def shows_side(op: str, is_read: bool) -> bool:
    """True if an operation that passed shows that reading works, or writing: a round trip both."""
    return not op.startswith("encode" if is_read else "decode")


def _common(
    symptoms: Symptoms, message: str, examples: Sequence[Verdict], find: Find, is_read: bool
) -> Trait | None:
    """Return the one trait that all these cases have and no passed case of the message has.

    If there is none, it may be one of inflexible or of flexible versions alone.
    """
    if len({each.case for each in examples}) < _LEAST_CASES:
        return None
    found = [traits_of(case) for each in examples if (case := find(each.case))]
    names = sorted(_passed(symptoms, message, is_read))[:_MOST_PASSED]
    if not {each.version for each in examples} & {_version(message, name) for name in names}:
        return None  # these versions are refused as a whole
    passed = [traits_of(case) for name in names if (case := find(name))]
    if not found or not passed:
        return None
    for alike in (_of_all_versions, set[Trait]):
        shared = set.intersection(*map(alike, found)).difference(*map(alike, passed))
        shared = {trait for trait in shared if trait.value in _VALUES}
        nulls = [trait for trait in shared if trait.value == "null"]
        if one := nulls or list(shared):
            return min(one, key=lambda each: each.path) if nulls or len(one) == 1 else None
    return None


def _version(message: str, case: str) -> int:
    """Return the version in the id of a message's case."""
    named = case.removeprefix(f"{message}-v").partition("/")[0].partition("-")[0]
    return int(named.partition("@")[0])  # of one release alone: 6@4.4.0


def _of_all_versions(traits: set[Trait]) -> set[Trait]:
    """Return the traits as they are in inflexible and flexible versions alike."""
    return {each._replace(is_compact=None) for each in traits}


def _passed(symptoms: Symptoms, message: str, is_read: bool) -> Iterator[str]:
    """Yield the plain cases of a message in the sample that passed, of one side."""
    for case in symptoms.cases():
        name, _, rest = case.partition("/")
        is_of = name.startswith(f"{message}-v")
        if is_of and rest.count("/") == 0 and shows_side(rest, is_read):
            yield case


def traits_of(case: Case) -> set[Trait]:
    """Return the traits of the value that a case expects or has written, none without one."""
    if (reads := reads_of(case)) is not None:
        values = [(reads.header_layout, reads.header)] if reads.header_layout else []
        values.append((reads.layout, reads.value))
    elif (writes := writes_of(case)) is not None:
        reader = Reader(writes.options[0])
        try:
            values = [(layout, reader.struct(layout)) for layout in writes.layouts]
        except DecodeError:
            return set()
    else:
        return set()
    *header, body = values
    found = {each for one in header for each in _of_struct(*one, "")}
    in_header = bool(header) or case.request.message in _HEADERS
    found = {each._replace(in_header=True) for each in found}
    return found | {e._replace(in_header=not header and in_header) for e in _of_struct(*body, "")}


def _of_struct(layout: Layout, value: Any, above: str) -> Iterator[Trait]:
    """Yield the traits of the fields of a struct."""
    for item in (*layout.fields, *layout.tagged):
        if isinstance(value, dict) and item.name in value:
            yield from _of_value(item.type, value[item.name], f"{above}{item.name}")


def _of_value(type_: WireType, value: Any, path: str) -> Iterator[Trait]:
    """Yield the traits of a value, and of the elements and fields within."""
    if value is None:
        yield Trait(path, type_.kind, type_.compact, "null")
    elif type_.kind == "array":
        if not value:
            yield Trait(path, type_.kind, type_.compact, "empty")
        for one in value:
            if type_.item.kind == "struct":
                yield from _of_struct(type_.item.layout, one, f"{path}[].")
            else:
                yield from _of_value(type_.item, one, f"{path}[]")
    elif type_.kind == "struct":
        yield from _of_struct(type_.layout, value, f"{path}.")
    elif value == "":
        yield Trait(path, type_.kind, type_.compact, "empty")
    elif type_.kind == "string" and not str(value).isascii():
        yield Trait(path, type_.kind, type_.compact, BEYOND_ASCII)
