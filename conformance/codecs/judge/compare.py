"""The first difference between two values or byte strings, and the part in which it lies.

Values are compared through the layout, field by field in the order of the wire: a field that is
missing is a difference, never a default, while a tagged field that holds its default may be left
out. 64-bit integers may come as decimal text.
"""

from __future__ import annotations

import marshal
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Writes
from conformance.results.lines import BEHIND
from conformance.results.text import json_text
from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.annotated import Row
from conformance.wire.errors import DecodeError
from conformance.wire.reader import UNKNOWN_TAGS, BytePart, Reader, annotate
from conformance.wire.text import text_to_float

MISSING, SURPLUS = "missing", "surplus"
"""The kinds of a field that is left out, and of one that the version does not have."""
END = "end"
"""The kind of place of bytes after the end of a message that is right otherwise."""
PART = re.compile(r"(?P<tags>_tags)?(?P<part>\(\w+\))$")
"""The end of a path that names a length or a part of a tag section."""
_SHOWN = 80
_UNSHARED = 2
"""The last version of marshal that writes equal objects equally, wherever else they are used."""


class Difference(NamedTuple):
    """One place where two values differ: the kind of its type, and the text on it."""

    kind: str
    text: str


def value_difference(
    layout: Layout, expected: Any, actual: Any, keeps_tags: bool = True
) -> str | None:
    """Return the first difference of a struct from the expected one, None without one."""
    if _are_alike(expected, actual):
        return None
    first = next(_struct(layout, expected, actual, "", keeps_tags), None)
    return first.text if first else None


def differences(
    layout: Layout, expected: Any, actual: Any, keeps_tags: bool = True
) -> Iterator[Difference]:
    """Yield all differences of a struct from the expected one, in the order of the wire."""
    return _struct(layout, expected, actual, "", keeps_tags)


def is_reordered(layout: Layout, expected: Any, actual: Any) -> bool:
    """True if a struct has the expected elements in its arrays of structs, in another order."""
    return value_difference(layout, _in_order(expected), _in_order(actual)) is None


def _in_order(value: Any) -> Any:
    """Return a value with its arrays of structs sorted, numbers and decimal text alike."""
    if isinstance(value, dict):
        return {name: _in_order(each) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    found = [_in_order(each) for each in value]
    is_of_structs = all(isinstance(each, dict) for each in found)
    return sorted(found, key=_without_quotes) if is_of_structs else found


def _without_quotes(value: Any) -> str:
    return json_text({name: value[name] for name in sorted(value)}).replace('"', "")


def _are_alike(expected: Any, actual: Any) -> bool:
    """True if both values are equal down to the type of each number and the order of names.

    No field need be compared then. `==` would take true for 1, and 0.0 for -0.0.
    """
    try:
        return marshal.dumps(expected, _UNSHARED) == marshal.dumps(actual, _UNSHARED)
    except ValueError:
        return False  # nested too deeply to be written


def alike_difference(expects: Writes, written: bytes) -> str | None:
    """Return the first difference in meaning of bytes that may differ otherwise, or None."""
    (layout,) = expects.layouts
    reader = Reader(written)
    try:
        value = reader.struct(layout)
    except DecodeError as error:
        return str(error)
    if reader.remaining:
        return f"offset {reader.offset}: {reader.remaining} bytes behind the last field"
    return value_difference(layout, expects.alike, value)


def bytes_difference(expected: bytes, actual: bytes, layouts: Sequence[Layout]) -> str | None:
    """The first byte that differs, with the field that the expected bytes have there."""
    if expected == actual:
        return None
    parts, _ = annotate(layouts, expected)
    checksums = [range(one.offset, one.offset + one.length) for one in parts if is_checksum(one)]
    at = first_telling(expected, actual, checksums)
    part = _holding(parts, at)
    name = f" ({part.path}, {part.kind})" if part else f" {BEHIND}"
    wanted = f"{expected[at]:02x}" if at < len(expected) else "the end"
    got = f"{actual[at]:02x}" if at < len(actual) else "the end"
    return f"offset {at}{name}: expected {wanted}, got {got}"


def first_different(expected: bytes, actual: bytes) -> int:
    """The offset of the first byte that differs; where one ends, if the other goes on."""
    for at, (one, other) in enumerate(zip(expected, actual, strict=False)):
        if one != other:
            return at
    return min(len(expected), len(actual))


def is_checksum(part: BytePart | Row) -> bool:
    """True if these bytes are computed from others."""
    return part.path.endswith("crc")


def first_telling(expected: bytes, actual: bytes, checksums: Iterable[range]) -> int:
    """The offset of the first byte that differs, outside of checksums if any does there.

    A checksum that differs says nothing where the bytes that it is of differ as well.
    """
    at = first_different(expected, actual)
    for place in checksums:
        if at in place:
            behind = expected[place.stop :], actual[place.stop :]
            rest = place.stop + first_different(*behind)
            return rest if rest < max(len(expected), len(actual)) else at
    return at


def part_at(data: bytes, offset: int, layouts: Sequence[Layout]) -> BytePart | None:
    """Return the part at an offset of well-formed bytes; None after their end."""
    parts, _ = annotate(layouts, data)
    return _holding(parts, offset)


def _holding(parts: Sequence[BytePart], offset: int) -> BytePart | None:
    return next((part for part in parts if part.offset <= offset < part.offset + part.length), None)


def _struct(
    layout: Layout, expected: Any, actual: Any, path: str, keeps: bool
) -> Iterator[Difference]:
    if not isinstance(actual, dict):
        yield _differ("struct", path, expected, actual)
        return
    for item in layout.fields:
        here = _join(path, item.name)
        if item.name not in actual:
            yield Difference(MISSING, f"{here}: missing")
            continue
        yield from _value(item.type, expected[item.name], actual[item.name], here, keeps)
    for item in layout.tagged:
        one = expected.get(item.name, item.default)
        other = actual.get(item.name, item.default)
        yield from _value(item.type, one, other, _join(path, item.name), keeps)
    yield from _unknown_tags(expected, actual, path, keeps)
    yield from _surplus(layout, actual, path)


def _unknown_tags(expected: Any, actual: Any, path: str, keeps: bool) -> Iterator[Difference]:
    """Yield a difference in unknown tags; a codec that may drop some must still not make any up."""
    one, other = expected.get(UNKNOWN_TAGS) or [], actual.get(UNKNOWN_TAGS) or []
    if one != other and (keeps or any(tag not in one for tag in other)):
        yield _differ(UNKNOWN_TAGS, _join(path, UNKNOWN_TAGS), one, other)


def _surplus(layout: Layout, actual: dict[str, Any], path: str) -> Iterator[Difference]:
    for name in surplus(layout, actual):
        said = f"this version has no such field, got {_shown(actual[name])}"
        yield Difference(SURPLUS, f"{_join(path, name)}: {said}")


def surplus(layout: Layout, actual: dict[str, Any]) -> list[str]:
    """The names of fields that this version lacks; holding their defaults they say nothing wrong.

    So a library may have one type for all versions of a message.
    """
    known = {item.name for item in (*layout.fields, *layout.tagged)} | {UNKNOWN_TAGS}
    absent: dict[str, WireField] = {item.name: item for item in layout.absent}
    return [
        name
        for name, given in actual.items()
        if name not in known and not (name in absent and _is_default(absent[name].default, given))
    ]


def _is_default(default: Any, given: Any) -> bool:
    """True for the default itself; 64 bits may come as text, and a struct may lack fields."""
    if isinstance(default, dict) and isinstance(given, dict):
        return all(name in default and _is_default(default[name], given[name]) for name in given)
    if isinstance(default, int) and isinstance(given, str):
        return given == str(default)
    return bool(given == default)


def _value(
    type_: WireType, expected: Any, actual: Any, path: str, keeps: bool
) -> Iterator[Difference]:
    if expected is None or actual is None:
        if expected is not actual:
            yield _differ("null", path, expected, actual)
    elif type_.kind == "struct":
        yield from _struct(type_.layout, expected, actual, path, keeps)
    elif type_.kind == "array":
        yield from _array(type_, expected, actual, path, keeps)
    elif not _same(type_.kind, expected, actual):
        yield _differ(type_.kind, path, expected, actual)


def _array(
    type_: WireType, expected: Any, actual: Any, path: str, keeps: bool
) -> Iterator[Difference]:
    if not isinstance(actual, list):
        yield _differ("array", path, expected, actual)
        return
    if len(expected) != len(actual):
        said = f"expected {len(expected)} elements, got {len(actual)}"
        yield Difference("array", f"{path}: {said}")
        return
    for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
        yield from _value(type_.item, one, other, f"{path}[{index}]", keeps)


def _same(kind: str, expected: Any, actual: Any) -> bool:
    if kind == "float64":
        return _same_float(expected, actual)
    if kind in ("int64", "varlong") and isinstance(actual, str):
        return actual == str(expected)
    return type(expected) is type(actual) and bool(expected == actual)


def _same_float(expected: Any, actual: Any) -> bool:
    try:
        one, other = text_to_float(expected), text_to_float(actual)
    except (TypeError, ValueError, OverflowError):
        return False
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other and math.copysign(1, one) == math.copysign(1, other)


def _differ(kind: str, path: str, expected: Any, actual: Any) -> Difference:
    said = f"expected {_shown(expected)}, got {_shown(actual)}"
    return Difference(kind, f"{path or 'message'}: {said}")


def _shown(value: Any) -> str:
    text = json_text(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def written_differences(expects: Writes, written: bytes) -> list[Difference]:
    """Return the parts in which written bytes differ, as far as that can be seen."""
    expected = expects.options[0]
    if len(written) != len(expected):
        return _as_read(expects, expected, written)
    parts, _ = annotate(expects.layouts, expected)
    return [
        Difference(f"{part.kind}{_part(part.path)}", f"{part.path}: other bytes")
        for part in parts
        if expected[part.offset : part.offset + part.length]
        != written[part.offset : part.offset + part.length]
    ]


class _AnyText(Reader):
    """A reader that accepts text that is not UTF-8: only its place is of interest."""

    def text(self, raw: bytes, path: str, begin: int) -> str:  # noqa: ARG002
        return raw.decode("utf-8", "replace")


def _as_read(expects: Writes, expected: bytes, written: bytes) -> list[Difference]:
    """Return the places in which written bytes of another length differ, once read as values.

    That is "end" if only bytes after the end differ, and none if the bytes can't be read.
    """
    found: list[Difference] = []
    one, other = _AnyText(expected), _AnyText(written)
    try:
        for layout in expects.layouts:
            found += differences(layout, one.struct(layout), other.struct(layout))
    except DecodeError:
        return []
    if other.remaining:
        return [] if found else [Difference(END, f"{END}: more bytes")]
    return found


def _part(path: str) -> str:
    """Return the part of a length or tag that a path ends with, "" for none."""
    found = PART.search(path)
    return found["part"] if found else ""
