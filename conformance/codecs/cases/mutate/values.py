"""Values that no writer may take: nulls where there may be none, and text that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.codecs.cases.mutate.primitives import TAGGED
from conformance.codecs.cases.mutate.written import Given, WrittenChange, written
from conformance.schema.layout import WireType
from conformance.wire.writer import MAX_STRING_BYTES

SIZED = ("string", "bytes", "records", "array")


@written(
    "primitives.null-not-written",
    "refused",
    *TAGGED,
    kafka="primitives.null-given-refused",
)
def _null(given: Given) -> Iterator[WrittenChange]:
    return _nulls(given, compact=False)


@written(
    "compact.null-not-written",
    "refused",
    *TAGGED,
    kafka="compact.null-given-refused",
)
def _compact_null(given: Given) -> Iterator[WrittenChange]:
    return _nulls(given, compact=True)


@written(
    "nullable-structs.null-not-written",
    "refused",
    *TAGGED,
    kafka="nullable-structs.null-given-refused",
)
def _null_struct(given: Given) -> Iterator[WrittenChange]:
    return _instead(given, lambda type_: type_.kind == "struct" and not type_.nullable)


@written("primitives.long-string-not-written", "refused", few=True)
def _long(given: Given) -> Iterator[WrittenChange]:
    return _long_strings(given, compact=False)


@written("compact.long-string-not-written", "refused", few=True)
def _long_compact(given: Given) -> Iterator[WrittenChange]:
    return _long_strings(given, compact=True)


def _nulls(given: Given, compact: bool) -> Iterator[WrittenChange]:
    def wanted(type_: WireType) -> bool:
        return type_.kind in SIZED and type_.compact == compact and not type_.nullable

    return _instead(given, wanted)


def _long_strings(given: Given, compact: bool) -> Iterator[WrittenChange]:
    def wanted(type_: WireType) -> bool:
        return type_.kind == "string" and type_.compact == compact

    too_long = MAX_STRING_BYTES + 1
    yield from _instead(given, wanted, "ascii", "." * too_long, f"has {too_long} bytes")
    two_each = "é" * (too_long // 2)
    why = f"has {len(two_each)} characters of two bytes each"
    yield from _instead(given, wanted, "utf8", two_each, why)


def _instead(
    given: Given, wanted: Any, name: str = "null", new: Any = None, why: str = "is null"
) -> Iterator[WrittenChange]:
    """Yield changes with another value in a field or first array element of a wanted type."""
    for place, item in given.fields():
        path = place.path_of(item)
        if wanted(item.type):
            yield WrittenChange(
                f"{name}:{path}", given.changed(place, item.name, new), f"{path} {why}"
            )
        if item.type.element and wanted(item.type.item):
            value = given.changed(place, item.name, [new])
            yield WrittenChange(f"{name}:{path}[0]", value, f"an element of {path} {why}")
