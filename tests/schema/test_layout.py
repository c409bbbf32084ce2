"""What one version of a definition looks like on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.schema.layout import Layout, WireField, form
from conformance.schema.releases import definitions
from conformance.schema.text.load import load_message
from tests.schema.definitions import Json, field, request, text


def layout(version: int, *fields: Json, **changes: Any) -> Layout:
    return form(load_message(text(request(*fields, **changes))), version).layout


def only(version: int, **changes: Any) -> WireField:
    (found,) = layout(version, field(**changes)).fields
    return found


def test_field_stands_only_in_its_versions() -> None:
    fields = field("Old", versions="0"), field("New", versions="1+")

    assert [item.name for item in layout(0, *fields).fields] == ["old"]
    assert [item.name for item in layout(1, *fields).fields] == ["new"]


def test_fields_of_other_versions_are_remembered() -> None:
    (absent,) = layout(0, field("New", versions="1+", ignorable=True, default="-1")).absent

    assert (absent.name, absent.default, absent.ignorable) == ("new", -1, True)


def test_null_is_allowed_version_by_version() -> None:
    assert not only(0, type="string", nullableVersions="1+").type.nullable
    assert only(1, type="string", nullableVersions="1+").type.nullable


def test_nullable_array_has_elements_that_are_not() -> None:
    names = only(1, type="[]string", nullableVersions="0+")

    assert names.type.nullable
    assert not names.type.item.nullable


@pytest.mark.parametrize("kind", ["string", "bytes", "records", "[]int8"])
def test_length_is_compact_from_the_flexible_version_on(kind: str) -> None:
    assert not only(0, type=kind).type.compact
    assert only(1, type=kind).type.compact


def test_field_may_stay_classic_in_a_flexible_version() -> None:
    assert not only(1, type="string", flexibleVersions="none").type.compact


def test_client_id_stays_classic_in_header_version_2() -> None:
    header = definitions().form("RequestHeader", 2)
    client_id = header.layout.fields[-1]

    assert header.flexible
    assert client_id.name == "clientId"
    assert (client_id.type.nullable, client_id.type.compact) == (True, False)


def test_tagged_fields_stand_apart_by_tag() -> None:
    found = layout(
        1,
        field("B", tag=1, taggedVersions="1+"),
        field("Plain"),
        field("A", tag=0, taggedVersions="1+"),
    )

    assert [item.name for item in found.fields] == ["plain"]
    assert [(item.tag, item.name) for item in found.tagged] == [(0, "a"), (1, "b")]


def test_field_that_became_tagged_is_plain_before() -> None:
    (plain,) = layout(0, field(tag=0, taggedVersions="1+")).fields

    assert plain.tag is None


def test_common_struct_has_only_the_fields_of_the_version() -> None:
    pair = {"name": "Pair", "versions": "0+", "fields": [field("A"), field("B", versions="1+")]}
    fields = field("Many", "[]Pair")

    for version, names in ((0, ["a"]), (1, ["a", "b"])):
        (many,) = layout(version, fields, commonStructs=[pair]).fields
        assert [item.name for item in many.type.item.layout.fields] == names


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("bool", None, False),
        ("bool", "true", True),
        ("int8", None, 0),
        ("int32", "0x7fffffff", 2147483647),
        ("int64", "-1", -1),
        ("uint32", "4294967295", 4294967295),
        ("float64", None, 0.0),
        ("float64", "0.5", 0.5),
        ("string", None, ""),
        ("string", "none", "none"),
        ("uuid", None, "AAAAAAAAAAAAAAAAAAAAAA"),
        ("uuid", "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAQ"),
        ("bytes", None, ""),
        ("records", None, None),
        ("[]string", None, []),
    ],
)
def test_default_in_the_json_form(kind: str, default: str | None, value: Any) -> None:
    found = only(1, type=kind, default=default).default

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("kind", ["string", "bytes", "records", "[]int8"])
def test_default_may_be_null(kind: str) -> None:
    assert only(1, type=kind, nullableVersions="0+", default="null").default is None


def test_default_of_a_struct_is_that_of_its_fields() -> None:
    point = field("Point", "Point", fields=[field("X", default="7"), field("Y")])

    assert layout(1, point).default_value() == {"point": {"x": 7, "y": 0}}


def test_default_values_share_nothing() -> None:
    found = layout(1, field(type="[]int32"))

    found.default_value()["count"].append(1)

    assert found.default_value() == {"count": []}


@pytest.mark.parametrize(
    ("version", "kind", "least"),
    [(0, "string", 2), (1, "string", 1), (0, "bytes", 4), (1, "[]int64", 1), (0, "uuid", 16)],
)
def test_fewest_bytes_of_a_value(version: int, kind: str, least: int) -> None:
    assert only(version, type=kind).type.least == least


def test_fewest_bytes_of_a_struct_count_its_tag_section_and_its_marker() -> None:
    point = {"type": "Point", "fields": [field("X"), field("Y")], "nullableVersions": "1+"}

    assert only(0, **point).type.least == 8
    assert only(1, **point).type.least == 1
    assert layout(1, field("X"), field("Y")).least == 9


def test_version_that_is_not_valid_is_refused() -> None:
    with pytest.raises(ValueError, match="has versions 0-1, not 2"):
        layout(2, field())


def test_nullable_struct_of_a_heartbeat() -> None:
    (assignment,) = (
        item
        for item in definitions().form("ConsumerGroupHeartbeatResponse", 1).layout.fields
        if item.name == "assignment"
    )

    assert assignment.type.nullable
    assert assignment.default is None
