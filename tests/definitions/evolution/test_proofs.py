"""A counter-example shows a value that came out as another one, or why there is none."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.definitions.evolution.pairing import match
from conformance.definitions.evolution.release import read_release
from conformance.definitions.proofs.evolution import examined
from conformance.definitions.proofs.evolution_alike import same
from conformance.schema.finding import BrokenRule
from conformance.schema.layout import form
from conformance.schema.text.load import load_message
from conformance.schema.text.texts import Text
from tests.schema.definitions import Json, field, request, text

BOTH = "breaks an old reader with a new writer and a new reader with an old writer"
NEW_WRITER = "breaks an old reader with a new writer"


def tagged(type_: str, **changes: Any) -> Json:
    return field("A", type_, versions="1+", tag=0, taggedVersions="1+", **changes)


def inner(*fields: Json) -> Json:
    return tagged("Inner", fields=list(fields))


def later(name: str, **changes: Any) -> Json:
    return field(name, versions="1+", **changes)


def findings(old: Json, new: Json) -> list[BrokenRule]:
    one, other = (
        read_release(name, [Text("SampleRequest.json", text(content))])
        for name, content in (("1.0", old), ("1.1", new))
    )
    assert not one.unread
    assert not other.unread
    return [finding for each in examined(match(one, other)) for finding in each.findings]


def found(old: Json, new: Json) -> BrokenRule:
    (only,) = findings(request(old), request(new))
    return only


@pytest.mark.parametrize(
    ("old", "new", "value", "read"),
    [
        (field(type="int64"), field(type="float64"), {"count": 1.5}, {"count": 0x3FF8 << 48}),
        (field(type="int32"), field(type="uint32"), {"count": 2**32 - 1}, {"count": -1}),
        (field(type="[]int16"), field(type="[]uint16"), {"count": [2**16 - 1]}, {"count": [-1]}),
        (tagged("int64"), tagged("float64"), {"a": 1.5}, {"a": 0x3FF8 << 48}),
    ],
)
def test_kinds_of_one_width_are_told_apart_by_a_value(
    old: Json, new: Json, value: Json, read: Json
) -> None:
    proof = found(old, new).proof

    assert proof is not None
    assert (proof.value, proof.read) == (value, read)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (tagged("int32"), tagged("int64")),
        (tagged("string"), tagged("[]int32")),
        (tagged("uuid"), tagged("int64")),
        (inner(later("X")), inner(later("X"), later("Y"))),
    ],
)
def test_a_tag_of_another_type_is_shown_by_what_was_sent(old: Json, new: Json) -> None:
    proof = found(old, new).proof

    assert proof is not None
    assert proof.bytes != b"\x00"  # no tags
    assert isinstance(proof.read, str)


@pytest.mark.parametrize(
    ("old", "new", "value", "read"),
    [
        (tagged("int32", default="1"), tagged("int32", default="2"), 2, 1),
        (inner(later("X")), inner(later("X", default="2")), {"x": 2}, {"x": 0}),
    ],
)
def test_a_default_is_shown_as_what_either_takes_it_for(
    old: Json, new: Json, value: Any, read: Any
) -> None:
    proof = found(old, new).proof

    assert proof is not None
    assert (proof.value, proof.bytes, proof.read) == ({"a": value}, b"\x00", {"a": read})


@pytest.mark.parametrize(
    ("old", "new", "whom"),
    [
        (field(type="bool"), field(type="int8"), NEW_WRITER),  # who reads 1 for true has it right
        (field(type="bool"), field("Other", "int8"), NEW_WRITER),
        (field(type="int32"), field(type="uint32"), BOTH),
        (tagged("int32"), tagged("int64"), BOTH),
    ],
)
def test_whom_it_breaks_is_who_gets_another_value(old: Json, new: Json, whom: str) -> None:
    assert found(old, new).reason.endswith(f": {whom}")


def test_a_tag_that_was_not_sent_is_alike_as_far_as_both_have_it() -> None:
    old, new = (
        form(load_message(text(request(inner(*fields)))), 1, "").layout
        for fields in ((later("X"),), (later("X"), later("Y")))
    )

    assert same(old, new, {}, {})
    assert not same(old, new, {"a": {"x": 1}}, {})


def test_fields_that_became_one_are_shown_by_their_numbers() -> None:
    old = request(field("A", "int16"), field("B", "int16"))
    new = request(field("A", "int32"))

    found = findings(old, new)
    assert found
    for each in found:
        assert each.proof is not None
        assert each.proof.value["a"] != each.proof.read["a"]


@pytest.mark.parametrize("first", ["C", "[]C"])
def test_a_field_of_a_struct_that_is_used_twice_is_shown_where_it_is(first: str) -> None:
    old, new = (
        request(
            field("A", first),
            field("B", "[]C"),
            commonStructs=[{"name": "C", "versions": "0+", "fields": [field("X", kind)]}],
        )
        for kind in ("int32", "int64")
    )

    proofs = {each.place: each.proof for each in findings(old, new)}

    assert proofs.keys() == {"A.X", "B.X"}
    assert proofs["A.X"] is not None
    assert proofs["A.X"].value["a"]
    assert proofs["B.X"] is not None
    assert proofs["B.X"].value["b"]
