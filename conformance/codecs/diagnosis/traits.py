"""Traits shared by messages on which a target fails, and missing in those that it passes.

A trait is a clause that a message fulfils or does not: "an array of strings is empty", "its version
is the first flexible one". If no known suspect fails as the target does, the trait that best
separates its failures from what it passed says where to look, and nothing about why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from math import sqrt
from typing import Any, TypeVar

from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import ZERO_UUID, Form, Layout, WireField, WireType
from conformance.schema.releases import UnknownDefinition, wire_forms
from conformance.wire.reader import UNKNOWN_TAGS

_SURE = 0.9
"""The least share of failures among the messages with a trait.

It is below 1, since a message with the trait may pass by chance. With a smaller share, a trait
would be named although several messages in ten pass with it.
"""
_MOST = 0.6
"""The least share of the failing messages that have to have the trait.

With less than one half, a trait would be named that most failures lack.
"""
_LEAST_CASES = 3
"""The least number of failing messages with the trait.

One or two messages share very many traits by chance.
"""
_MOST_TRAITS = 3
"""The most traits that are reported for one run, each of the failures that the others leave.

Each is a separate cause; with more, the later ones rest on few messages.
"""
BREAKS = {
    "its version is the first flexible one": "compact.first-flexible-version",
    "its version is the last one before the flexible ones": "compact.first-flexible-version",
    "its version is the first with some field": "versions.only-fields-of-version",
    "its version is the last with some field": "versions.only-fields-of-version",
    "its version is the first without some field": "versions.only-fields-of-version",
    "its version lacks fields that other versions have": "versions.only-fields-of-version",
    "its version lacks fields of nested structs that other versions have": (
        "versions.only-fields-of-version"
    ),
}
"""The rule that is broken if a trait separates the failures, by the trait."""
T = TypeVar("T")
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
"""The width of signed integers in bits."""
_TWO_BYTES = 127
"""The length from which N + 1 takes two bytes as UNSIGNED_VARINT (KIP-482)."""


def common(failed: Iterable[str], passed: Iterable[str], release: str) -> dict[str, str]:
    """Return the trait that explains each message that fails as it stands, by the id of its case.

    Messages that no trait separates from what passed are left out.
    """
    traits = _Traits(release)
    having: dict[str, set[str]] = defaultdict(set)
    left = {case for case in failed if _is_golden(case)}
    for case in sorted(left):
        for trait in traits.of(case):
            having[trait].add(case)
    ops = {case.partition("/")[2] for case in left}
    beside = sorted(case for case in passed if case.partition("/")[2] in ops and case not in left)
    passing = Counter(trait for case in beside for trait in traits.of(case))
    found: dict[str, str] = {}
    for _ in range(_MOST_TRAITS):
        if best := _best(having, passing, left):
            found |= dict.fromkeys(having[best] & left, best)
            left -= having[best]
    return found


def is_true_of(trait: str, case: str, release: str) -> bool:
    """True if the message that a case is made from has a trait."""
    return trait in _Traits(release).of(case)


def untrue(
    where: Mapping[T, str], examples: Mapping[T, Iterable[str]], passed: Iterable[str], release: str
) -> set[T]:
    """Return what has a trait that some of its own cases lack, or that some passed case has.

    A passed case counts if it is a message as it stands, in an operation of the failed ones.
    """
    traits = _Traits(release)
    own = {each: list(examples[each]) for each in where}
    ops = {case.partition("/")[2] for cases in own.values() for case in cases if _is_golden(case)}
    beside = [case for case in passed if _is_golden(case) and case.partition("/")[2] in ops]
    of_passed = {trait for case in beside for trait in traits.of(case)}
    return {
        each
        for each, trait in where.items()
        if trait in of_passed or not all(trait in traits.of(case) for case in own[each])
    }


def _is_golden(case: str) -> bool:
    """True if the case is a vector as it stands, without a change for a rule."""
    return case.count("/") == 1


def _best(having: Mapping[str, set[str]], beside: Mapping[str, int], left: Collection[str]) -> str:
    """Return the trait that most of `left` has and nearly nothing that passed has, "" for none."""
    best, most = "", 0.0
    for trait, cases in having.items():
        failed, passed = len(cases & set(left)), beside.get(trait, 0)
        if failed < max(_LEAST_CASES, _MOST * len(left)) or failed < _SURE * (failed + passed):
            continue
        told = failed / sqrt(len(left) * (failed + passed))
        if (told, -len(trait), trait) > (most, -len(best), best):
            best, most = trait, told
    return best


class _Traits:
    """The traits of messages, by their vectors."""

    def __init__(self, release: str) -> None:
        self._codec = PlainCodec(release)
        self._kept: dict[str, frozenset[str]] = {}

    def of(self, case: str) -> frozenset[str]:
        """Return the traits of the message that a case is made from, none if it does not exist."""
        name = case.partition("/")[0]
        if name not in self._kept:
            vector = _vectors(case.partition("-v")[0]).get(name)
            self._kept[name] = self._of(vector) if vector else frozenset()
        return self._kept[name]

    def _of(self, vector: Vector) -> frozenset[str]:
        """Return the traits of a vector, none for record batches and unknown versions."""
        try:
            form = self._codec.form(vector.message, vector.version)
        except UnknownDefinition:
            return frozenset()
        if form.layout.batch or not isinstance(vector.value, dict):
            return frozenset()
        return frozenset((*_of_form(form), *_of_struct(form.layout, vector.value, "", form)))


@lru_cache(maxsize=24)
def _vectors(message: str) -> Mapping[str, Vector]:
    """Return the vectors of a message by their ids.

    The cache of 24 messages bounds memory; others are read again from the disk.
    """
    return {vector.id: vector for vector in read_vectors(message)}


def _of_form(form: Form) -> tuple[str, ...]:
    """Return the traits of a message's version, whatever its fields hold."""
    return (*_of_version(form), *_of_fields(form.message, form.layout, ""))


def _of_version(form: Form) -> Iterator[str]:
    """Yield traits of the version: flexible or not, newest, first or last with some field."""
    yield f"it is a {form.message}"
    versions = {number: forms[0].flexible for number, forms in wire_forms(form.message).items()}
    first = min((number for number, flexible in versions.items() if flexible), default=None)
    yield "its version is flexible" if form.flexible else "its version is not flexible"
    if form.version == first:
        yield "its version is the first flexible one"
    if first is not None and form.version == first - 1:
        yield "its version is the last one before the flexible ones"
    if form.version == max(versions):
        yield "its version is the newest"
    if form.layout.absent:
        yield "its version lacks fields that other versions have"
    if any(inner.absent for inner in _inner(form.layout)):
        yield "its version lacks fields of nested structs that other versions have"
    before, after = (wire_forms(form.message).get(form.version + step) for step in (-1, 1))
    own = _names(form.layout)
    if before and own - _names(before[0].layout):
        yield "its version is the first with some field"
    if after and own - _names(after[0].layout):
        yield "its version is the last with some field"
    if before and _names(before[0].layout) - own:
        yield "its version is the first without some field"


def _inner(layout: Layout) -> Iterator[Layout]:
    """Yield the layouts of all nested structs."""
    for item in (*layout.fields, *layout.tagged):
        type_ = item.type.element or item.type
        if type_.struct is not None:
            yield type_.struct
            yield from _inner(type_.struct)


def _names(layout: Layout, path: str = "") -> set[str]:
    """Return the paths of all fields of a layout."""
    found = set()
    for item in (*layout.fields, *layout.tagged):
        found.add(f"{path}{item.name}")
        type_ = item.type.element or item.type
        if type_.struct is not None:
            found |= _names(type_.struct, f"{path}{item.name}.")
    return found


def _of_fields(message: str, layout: Layout, path: str) -> Iterator[str]:
    """Yield a trait for each field that a version has, whatever the field holds."""
    for item in (*layout.fields, *layout.tagged):
        here = f"{path}.{item.name}" if path else item.name
        yield f"{message} has {here}"
        type_ = item.type.element or item.type
        if type_.struct is not None:
            yield from _of_fields(message, type_.struct, here)


def _of_struct(layout: Layout, value: dict[str, Any], path: str, form: Form) -> Iterator[str]:
    """Yield traits of the fields that a struct's value has, and of its tagged fields."""
    for item in layout.fields:
        if item.name in value:
            yield from _of_field(item, value[item.name], path, form)
    known = [item for item in layout.tagged if item.name in value]
    for item in known:
        yield "it holds a tagged field that its version knows"
        yield f"it holds a tagged {_named(item.type)}"
        yield from _of_field(item, value[item.name], path, form)
    unknown = value.get(UNKNOWN_TAGS) or []
    where = "an element of an array" if path.endswith("[]") else "a nested struct" if path else ""
    if unknown:
        yield "it holds an unknown tagged field"
        if any(tag["tag"] > _TWO_BYTES for tag in unknown):
            yield "a tag takes two bytes or more"
        yield f"it holds an unknown tagged field in {where or 'no nested struct'}"
    if len(known) + len(unknown) > 1:
        yield "one struct holds several tagged fields"
        lowest = min((tag["tag"] for tag in unknown), default=None)
        if lowest is not None and (len(unknown) > 1 or lowest < max(i.tag or 0 for i in known)):
            yield "an unknown tagged field stands before another one"


def _of_field(item: WireField, value: Any, path: str, form: Form) -> Iterator[str]:
    """Yield traits of a field: its default, its struct, and its value."""
    here = f"{path}.{item.name}" if path else item.name
    is_one = value is not None and item.type.kind not in ("array", "struct")
    if not path and is_one and value != item.default:
        yield f"its {item.name} is not {item.default!r}"
    if item.type.kind == "array" and value:
        yield f"its {here.replace('[]', '')} has an element"
    if item.type.kind == "struct":
        may = "a struct that may be null" if item.type.nullable else "a struct that can't be null"
        yield f"it holds {may} and is a field"
        if item.tag is not None:
            yield "it holds a tagged struct"
    yield from _of_value(item.type, value, here, form)


def _of_value(type_: WireType, value: Any, path: str, form: Form) -> Iterator[str]:
    """Yield traits of a value: its type, null, and what its type is about."""
    name = _named(type_)
    form_of = f"{'compact ' if type_.compact else 'plain '}{name}" if type_.width is None else ""
    forms = [name, form_of] if form_of and type_.kind != "struct" else [name]
    if type_.kind == "array" and type_.item.kind != "struct":
        plain = "array of numbers, strings or uuids"
        forms += [plain, f"{form_of.split(maxsplit=1)[0]} {plain}"]
    for each in forms:
        yield f"it holds {_article(each)}"
    if value is None:
        yield from (f"{_article(each)} is null" for each in forms)
    elif type_.kind == "array":
        yield from _of_array(type_, value, path, form, forms)
    elif type_.kind == "struct":
        yield from _of_struct(type_.layout, value, path, form)
    elif type_.kind in ("string", "bytes", "records"):
        yield from _of_sized(type_, value, forms)
    else:
        yield from _of_fixed(type_, value)


def _of_array(
    type_: WireType, value: list[Any], path: str, form: Form, forms: list[str]
) -> Iterator[str]:
    """Yield traits of an array: its length, and elements that are equal."""
    if not value:
        yield from (f"{_article(each)} is empty" for each in forms)
    if len(value) > 1:
        yield from (f"{_article(each)} has several elements" for each in forms)
    if len(value) >= _TWO_BYTES:
        yield f"{_article(forms[-1])} has {_TWO_BYTES} elements or more"
    if len({repr(one) for one in value}) < len(value):
        yield from (f"{_article(each)} has two elements that are equal" for each in forms)
    for one in value:
        yield from _of_value(type_.item, one, f"{path}[]", form)


def _of_sized(type_: WireType, value: str, forms: list[str]) -> Iterator[str]:
    """Yield traits of strings, bytes and records: their length and letters."""
    if not value:
        yield from (f"{_article(each)} is empty" for each in forms)
    size = len(value.encode()) if type_.kind == "string" else len(value) * 3 // 4
    if size == _TWO_BYTES:
        yield f"{_article(forms[-1])} has {_TWO_BYTES} bytes"
        yield "an UNSIGNED_VARINT is 128"
    if size >= _TWO_BYTES:
        yield f"{_article(forms[-1])} has {_TWO_BYTES} bytes or more"
    if type_.kind == "string" and not value.isascii():
        yield "a string holds letters beyond ASCII"
        if max(map(ord, value)) > 0xFFFF:
            yield "a string holds letters beyond U+FFFF"


def _of_fixed(type_: WireType, value: Any) -> Iterator[str]:
    """Yield traits of a boolean, uuid or integer."""
    name = _article(_named(type_))
    if type_.kind == "uuid":
        yield f"{name} is {'zero' if value == ZERO_UUID else 'not zero'}"
    elif type_.kind == "bool":
        yield f"{name} is {'true' if value else 'false'}"
    elif type_.kind in _BITS or type_.kind.startswith("uint"):
        yield from _of_integer(type_.kind, int(value), name)


def _of_integer(kind: str, value: int, name: str) -> Iterator[str]:
    """Yield traits of an integer: its sign and the bits that it takes."""
    if value < 0:
        yield f"{name} is below 0"
    if value > 127:
        yield f"{name} is above 127"
    if value >= 2 ** (_BITS.get(kind, int(kind.lstrip("uint"))) - 1):
        yield f"{name} has its highest bit set"
    if kind == "int64" and abs(value) >= 2**31:
        yield f"{name} takes more than 32 bits"
    if kind == "int64" and abs(value) > 2**53:
        yield f"{name} takes more than 53 bits"
    if kind == "int64" and value & 2**31:
        yield f"{name} has the highest bit of its lower half set"


def _named(type_: WireType) -> str:
    """Return the name of a type in words."""
    if type_.kind == "array":
        return f"array of {_PLURALS.get(type_.item.kind, type_.item.kind.upper())}"
    return {"bool": "boolean"}.get(
        type_.kind, type_.kind.upper() if type_.width and type_.kind != "uuid" else type_.kind
    )


_PLURALS = {"struct": "structs", "string": "strings", "bytes": "bytes", "uuid": "uuids"}
"""The names of an array's elements in words."""


def _article(name: str) -> str:
    """Return a name with its article."""
    if name.endswith(("bytes", "records")) and "array" not in name:
        return f"a field of {name}"
    return f"an {name}" if name[0].lower() in "aei" or name.startswith("INT") else f"a {name}"
