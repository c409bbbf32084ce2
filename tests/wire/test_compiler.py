"""Generated source: the same each time, safe whatever the names, fit for the deepest definition."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.codecs.cases.plan import plan
from conformance.schema.model import FIXED_KINDS
from conformance.wire.compiled.compiler import compile_form
from conformance.wire.compiled.runtime import Bad
from conformance.wire.text import bytes_to_text
from tests.wire.codec import defined, fast_read, fast_write, form_of, read, write

Json = dict[str, Any]


def definition(*fields: Json) -> str:
    return json.dumps(
        {
            "type": "data",
            "name": "Sample",
            "validVersions": "0-1",
            "flexibleVersions": "1+",
            "fields": list(fields),
        }
    )


def test_source_is_the_same_each_time() -> None:
    form = form_of("FetchResponse", 16)

    assert compile_form(form) == compile_form(form)


def test_source_says_what_it_is_of() -> None:
    assert "Generated from the definition of FetchRequest v17" in compile_form(
        form_of("FetchRequest", 17)
    )


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("kind", ["[]S", "S"])
def test_deepest_definition_compiles(kind: str, version: int) -> None:
    field: Json = {"name": "Leaf", "type": "string", "versions": "0+"}
    value: Json = {"leaf": "x"}
    for depth in range(16):
        field = {"name": "Next", "type": f"{kind}{depth}", "versions": "0+",
                 "nullableVersions": "0+", "fields": [field]}  # fmt: skip
        value = {"next": [value] if kind == "[]S" else value}
    form = defined(definition(field), version)

    for item in (value, {"next": None}):
        data = write(form, item)
        assert fast_write(form, item) == data
        assert fast_read(form, data) == (item, len(data))


@pytest.mark.parametrize("name", ["Class", "None", "Import", "B", "P", "Z", "V", "Struct", "Bad"])
def test_any_name_will_do(name: str) -> None:
    form = defined(definition({"name": name, "type": "int32", "versions": "0+"}))
    key = name[:1].lower() + name[1:]

    assert fast_read(form, fast_write(form, {key: 7})) == ({key: 7}, 5)


@pytest.mark.parametrize("kind", ["int8", "bool", "uuid", "float64", "string", "bytes", "records"])
@pytest.mark.parametrize("version", [0, 1])
def test_arrays_of_every_kind(kind: str, version: int) -> None:
    form = defined(definition({"name": "A", "type": f"[]{kind}", "versions": "0+"}), version)

    for item in plan(form):
        data = write(form, item.value)
        assert fast_write(form, item.value) == data
        assert fast_read(form, data) == read(form, data) == (read(form, data)[0], len(data))


@pytest.mark.parametrize(
    "kind",
    [*FIXED_KINDS, "string", "bytes", "[]int32", "[]S"],
)
def test_tagged_field_of_every_kind(kind: str) -> None:
    field: Json = {"name": "T", "type": kind, "versions": "1+", "tag": 0, "taggedVersions": "1+"}
    if kind == "[]S":
        field["fields"] = [{"name": "X", "type": "int8", "versions": "1+"}]
    form = defined(definition(field))

    for item in plan(form):
        data = write(form, item.value)
        assert fast_write(form, item.value) == data
        assert fast_read(form, data) == read(form, data)


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 128, 16382, 16383, 16384])
def test_lengths_on_both_sides_of_a_varint_of_one_more_byte(length: int) -> None:
    fields = [
        {"name": "A", "type": "string", "versions": "0+"},
        {"name": "B", "type": "bytes", "versions": "0+"},
        {"name": "C", "type": "[]int8", "versions": "0+"},
    ]
    form = defined(definition(*fields))
    value = {"a": "x" * length, "b": bytes_to_text(bytes(length)), "c": [7] * length}
    data = write(form, value)

    assert fast_write(form, value) == data
    assert fast_read(form, data) == read(form, data) == (value, len(data))


def test_unknown_tags_keep_a_tagged_struct_from_being_at_its_defaults() -> None:
    form = form_of("FetchRequest", 15)
    state = {"replicaId": -1, "replicaEpoch": -1}
    unknown = {**state, "_unknownTaggedFields": [{"tag": 9, "bytes": ""}]}
    value = form.layout.default_value()

    data = write(form, {**value, "replicaState": unknown})

    assert data != write(form, value)
    assert fast_write(form, {**value, "replicaState": unknown}) == data


def test_no_unknown_tags_leave_a_tagged_struct_at_its_defaults() -> None:
    form = form_of("FetchRequest", 15)
    state = {"replicaId": -1, "replicaEpoch": -1, "_unknownTaggedFields": []}
    value = form.layout.default_value()

    assert write(form, {**value, "replicaState": state}) == write(form, value)
    with pytest.raises(Bad):  # generated code leaves what is unusual to the plain writer
        fast_write(form, {**value, "replicaState": state})


def test_hundreds_of_elements_have_a_length_of_two_bytes() -> None:
    form = defined(definition({"name": "A", "type": "[]int16", "versions": "0+"}))
    value = {"a": list(range(-300, 300))}
    data = write(form, value)

    assert data[:2] == b"\xd9\x04"
    assert fast_write(form, value) == data
    assert fast_read(form, data) == read(form, data) == (value, len(data))


def test_long_text_has_a_length_of_three_bytes() -> None:
    form = defined(definition({"name": "A", "type": "string", "versions": "0+"}))
    value = {"a": "x" * 32767}
    data = write(form, value)

    assert data[:3] == b"\x80\x80\x02"
    assert fast_write(form, value) == data
    assert fast_read(form, data) == (value, len(data))
