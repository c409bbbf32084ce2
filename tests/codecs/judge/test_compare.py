"""The first place where two values, or two byte strings, differ."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.judge.compare import bytes_difference, part_at, value_difference
from conformance.schema.layout import Layout, WireField, WireType
from conformance.schema.releases import form_for
from tests.codecs.judge.making import INT32, LAYOUT, VALUE, WRITTEN, changed, without


def difference(actual: Any, expected: Any = None, keeps_tags: bool = True) -> str | None:
    return value_difference(LAYOUT, VALUE if expected is None else expected, actual, keeps_tags)


def test_the_same_value_does_not_differ() -> None:
    assert difference(dict(VALUE)) is None


@pytest.mark.parametrize(
    ("actual", "where"),
    [
        (changed(count=8), "count: expected 7, got 8"),
        (changed(count="7"), 'count: expected 7, got "7"'),
        (changed(count=7.0), "count: expected 7, got 7.0"),
        (changed(count=True), "count: expected 7, got true"),
        (changed(name=None), 'name: expected "a", got null'),
        (changed(flag=1), "flag: expected true, got 1"),
        (changed(topics=[]), "topics: expected 2 elements, got 0"),
        (changed(topics=None), 'topics: expected [{"id": 1'),
        (changed(topics={"id": 1}), 'topics: expected [{"id": 1'),
        (changed(topics=[VALUE["topics"][0], None]), 'topics[1]: expected {"id": 2'),
        (changed(topics=[VALUE["topics"][0], 3]), 'topics[1]: expected {"id": 2'),
        (changed(topics=[VALUE["topics"][0], {"id": 3, "at": -1}]), "topics[1].id: expected 2"),
        ([], 'message: expected {"count": 7'),
    ],
)
def test_a_difference_names_its_place(actual: Any, where: str) -> None:
    found = difference(actual)
    assert found is not None
    assert found.startswith(where)


def test_the_first_difference_is_the_first_on_the_wire() -> None:
    actual = {"topics": [], "share": 0, "name": "b", "count": 1}
    assert difference(actual) == "count: expected 7, got 1"


def test_a_missing_field_is_no_default() -> None:
    assert difference(without("name"), changed(name="")) == "name: missing"


def test_a_missing_field_inside_of_an_array_is_told_with_its_index() -> None:
    assert difference(changed(topics=[{"id": 1}, {"id": 2, "at": -1}])) == "topics[0].at: missing"


def test_a_tagged_field_at_its_default_may_be_left_out() -> None:
    assert difference(without("flag"), changed(flag=False)) is None
    assert difference(changed(flag=False), without("flag")) is None


def test_a_tagged_field_at_another_value_may_not() -> None:
    assert difference(without("flag")) == "flag: expected true, got false"


def test_64_bit_integers_may_come_as_decimal_text() -> None:
    topics = [{"id": 1, "at": str(2**60)}, {"id": 2, "at": "-1"}]
    assert difference(changed(topics=topics)) is None


@pytest.mark.parametrize("text", ["+1152921504606846976", " 1152921504606846976", "0x10", "1e3"])
def test_other_text_is_no_64_bit_integer(text: str) -> None:
    topics = [{"id": 1, "at": text}, {"id": 2, "at": -1}]
    found = difference(changed(topics=topics))
    assert found is not None
    assert found.startswith("topics[0].at: ")


def test_a_64_bit_integer_rounded_by_a_double_is_a_difference() -> None:
    expected = changed(topics=[{"id": 1, "at": 2**53 + 1}])
    assert difference(changed(topics=[{"id": 1, "at": 2**53}]), expected) is not None
    assert difference(changed(topics=[{"id": 1, "at": float(2**53)}]), expected) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [("NaN", "NaN"), ("Infinity", "Infinity"), (0.5, 0.5), (1.0, 1), (-0.0, -0.0)],
)
def test_the_same_float64(one: Any, other: Any) -> None:
    assert difference(changed(share=other), changed(share=one)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("NaN", 0.0), ("Infinity", "-Infinity"), (0.0, -0.0), (0.5, "0.5"), (1.0, True), (0.5, None)],
)
def test_another_float64(one: Any, other: Any) -> None:
    assert difference(changed(share=other), changed(share=one)) is not None


TAGS = [{"tag": 99, "bytes": "AA=="}]


def test_unknown_tags_are_compared_where_the_target_keeps_them() -> None:
    expected = changed(_unknownTaggedFields=TAGS)
    assert difference(changed(_unknownTaggedFields=TAGS), expected) is None
    found = difference(dict(VALUE), expected)
    assert found is not None
    assert found.startswith('_unknownTaggedFields: expected [{"tag": 99')


def test_unknown_tags_that_never_came_are_a_difference_to_any_target() -> None:
    one, two = ({"tag": number, "bytes": "AA=="} for number in (10_000, 10_001))
    expected = {**VALUE, "_unknownTaggedFields": [one, two]}
    dropped = {**VALUE, "_unknownTaggedFields": [two]}
    made_up = {**VALUE, "_unknownTaggedFields": [one, {**two, "bytes": "AQ=="}]}
    assert difference(dropped, expected, keeps_tags=False) is None
    assert difference(made_up, expected, keeps_tags=False)
    assert difference({**VALUE, "_unknownTaggedFields": [one]}, keeps_tags=False)


def test_unknown_tags_do_not_matter_where_the_target_drops_them() -> None:
    expected = changed(_unknownTaggedFields=TAGS)
    assert difference(dict(VALUE), expected, keeps_tags=False) is None


def test_no_unknown_tags_and_an_empty_list_of_them_are_the_same() -> None:
    assert difference(changed(_unknownTaggedFields=[])) is None


def test_a_field_that_the_version_has_not_may_hold_its_default() -> None:
    assert difference(changed(gone=-1)) is None
    assert difference(changed(gone=3)) == "gone: this version has no such field, got 3"


def test_a_struct_that_the_version_has_not_may_hold_its_defaults() -> None:
    form = form_for("4.4.0", "FetchResponse", 4)
    assert form is not None
    [topics] = [item for item in form.layout.fields if item.name == "responses"]
    topic = topics.type.item.layout
    [partitions] = [item for item in topic.fields if item.name == "partitions"]
    layout = partitions.type.item.layout
    expected = layout.default_value()
    leader = {"leaderId": -1, "leaderEpoch": -1}
    assert value_difference(layout, expected, {**expected, "currentLeader": leader}) is None
    found = value_difference(layout, expected, {**expected, "currentLeader": {"leaderId": 0}})
    assert found == 'currentLeader: this version has no such field, got {"leaderId": 0}'


def test_a_field_that_no_version_has_is_a_difference() -> None:
    assert difference(changed(nme="a")) == 'nme: this version has no such field, got "a"'


def test_a_long_value_is_cut() -> None:
    found = difference(changed(name="x" * 10_000))
    assert found is not None
    assert len(found) < 200


def test_bytes_that_are_the_same_do_not_differ() -> None:
    assert bytes_difference(b"\0\1", b"\0\1", (WRITTEN,)) is None


@pytest.mark.parametrize(
    ("actual", "where"),
    [
        ("0000000b0001", "offset 3 (count, int32): expected 0a, got 0b"),
        ("0000000a0101", "offset 4 (port, int16): expected 00, got 01"),
        ("0000000a00", "offset 5 (port, int16): expected 01, got the end"),
        ("0000000a000100", "offset 6 (behind the last field): expected the end, got 00"),
        ("", "offset 0 (count, int32): expected 00, got the end"),
    ],
)
def test_the_first_byte_that_differs_is_told_with_its_field(actual: str, where: str) -> None:
    expected = bytes.fromhex("0000000a0001")
    assert bytes_difference(expected, bytes.fromhex(actual), (WRITTEN,)) == where


def test_a_frame_is_annotated_across_its_header_and_body() -> None:
    data = bytes.fromhex("0000000a00010000000b0002")
    part = part_at(data, 10, (WRITTEN, WRITTEN))
    assert part is not None
    assert (part.path, part.offset) == ("port", 10)


BATCH = Layout(
    fields=(
        WireField("crc", INT32, 0),
        WireField("attributes", WireType("int16"), 0),
        WireField("count", INT32, 0),
    )
)


@pytest.mark.parametrize(
    ("actual", "where"),
    [
        ("00000002000100000003", "offset 5 (attributes, int16): expected 00, got 01"),
        ("00000002000000000003", "offset 3 (crc, int32): expected 01, got 02"),
        ("000000020000000000", "offset 9 (count, int32): expected 03, got the end"),
    ],
)
def test_a_checksum_is_told_only_if_nothing_else_differs(actual: str, where: str) -> None:
    expected = bytes.fromhex("00000001000000000003")
    assert bytes_difference(expected, bytes.fromhex(actual), (BATCH,)) == where
