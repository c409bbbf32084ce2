"""What the generated reader does by tables, or all at once: on both sides of every edge."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.schema.layout import Form
from conformance.wire.text import bytes_to_text
from tests.wire.codec import defined, fast_read, fast_write, read, refusal, write
from tests.wire.test_compiler import definition

ROW = [
    {"name": "Id", "type": "int32", "versions": "0+"},
    {"name": "Ok", "type": "bool", "versions": "0+"},
]
AFTER = {"name": "After", "type": "int16", "versions": "0+"}
UNKNOWN = {"_unknownTaggedFields": [{"tag": 5, "bytes": bytes_to_text(b"xy")}]}
COUNTS = [0, 1, 2, 3, 4, 5, 14, 15, 16, 126, 127, 128, 300]


def rows_form(version: int, nullable: bool) -> Form:
    array = {"name": "Rows", "type": "[]Row", "versions": "0+", "fields": ROW}
    return defined(definition(array | ({"nullableVersions": "0+"} if nullable else {})), version)


def same(form: Form, value: dict[str, Any]) -> bytes:
    """The bytes of a value, which both readers and both writers agree on."""
    data = write(form, value)
    assert fast_write(form, value) == data
    assert fast_read(form, data) == read(form, data) == (value, len(data))
    return data


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("count", COUNTS)
def test_rows_of_any_count(count: int, version: int, nullable: bool) -> None:
    rows = [{"id": -index, "ok": index % 2 == 0} for index in range(count)]

    same(rows_form(version, nullable), {"rows": rows})


@pytest.mark.parametrize("count", [1, 2, 3, 4, 130])
@pytest.mark.parametrize("place", [0, -1])
def test_tagged_fields_in_one_of_many_rows(count: int, place: int) -> None:
    rows: list[dict[str, Any]] = [{"id": index, "ok": True} for index in range(count)]
    rows[place] |= UNKNOWN

    same(rows_form(1, nullable=False), {"rows": rows})


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("count", [1, 3, 4, 6])
def test_missing_rows_are_refused(count: int, version: int) -> None:
    form = rows_form(version, nullable=False)
    data = write(form, {"rows": [{"id": 7, "ok": True}] * count})

    for length in range(len(data)):
        refusal(form, data[:length])


@pytest.mark.parametrize("type_", ["string", "bytes", "[]int32", "[]string", "[]Row"])
@pytest.mark.parametrize(("version", "null"), [(0, b"\xff" * 4), (1, b"\x00")])
def test_null_is_refused_where_it_is_not_allowed(type_: str, version: int, null: bytes) -> None:
    field: dict[str, Any] = {"name": "A", "type": type_, "versions": "0+"}
    form = defined(definition(field | ({"fields": ROW} if type_ == "[]Row" else {})), version)

    refusal(form, null + bytes(8))


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("type_", ["string", "bytes", "[]int8", "[]int64", "[]string"])
def test_any_length_before_a_number(type_: str, version: int, nullable: bool) -> None:
    field: dict[str, Any] = {"name": "A", "type": type_, "versions": "0+"}
    field |= {"nullableVersions": "0+"} if nullable else {}
    form = defined(definition(field, AFTER), version)
    element = {"[]int8": -1, "[]int64": 2**40, "[]string": "y"}.get(type_)

    for length in COUNTS:
        value = bytes_to_text(bytes(length)) if type_ == "bytes" else "x" * length
        same(form, {"a": [element] * length if element else value, "after": -2})
    if nullable:
        same(form, {"a": None, "after": -2})


@pytest.mark.parametrize("length", [1, 127, 128])
def test_string_cut_short_before_a_number_is_refused(length: int) -> None:
    form = defined(definition({"name": "A", "type": "string", "versions": "0+"}, AFTER))
    data = write(form, {"a": "x" * length, "after": 1})

    for end in range(len(data)):
        refusal(form, data[:end])
