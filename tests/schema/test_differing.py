"""Two layouts of one version: what parts them on the wire is found, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.schema.differing import Difference, differences
from conformance.schema.layout import Layout, form
from conformance.schema.releases import _merge_layouts, definitions, whole_releases
from conformance.schema.text.load import load_message
from tests.schema.definitions import Json, field, request, text

CLASSIC, FLEXIBLE = 0, 1


def layout(*fields: Json, version: int = CLASSIC) -> Layout:
    return form(load_message(text(request(*fields))), version).layout


def found(*pair: list[Json], version: int = FLEXIBLE) -> list[Difference]:
    ours, theirs = (layout(*fields, version=version) for fields in pair)
    return list(differences(ours, theirs))


def kinds(*pair: list[Json], version: int = FLEXIBLE) -> list[tuple[str, str, str]]:
    return [(each.kind, each.place, each.their_place) for each in found(*pair, version=version)]


def tag(name: str = "Tagged", **changes: Any) -> Json:
    return field(name, tag=0, taggedVersions="1+", **{"versions": "1+", **changes})


def rows(*fields: Json, **changes: Any) -> Json:
    return field("Rows", type="[]Row", fields=list(fields), **changes)


def test_names_make_no_difference() -> None:
    assert kinds([field("One")], [field("Other")]) == []


def test_a_wider_field_differs() -> None:
    (difference,) = found([field("A"), field("B")], [field("A"), field("B", type="int64")])

    assert difference == Difference("kind", "b", "b", "int32", "int64")


def test_a_missing_field_is_named_and_those_behind_it_keep_quiet() -> None:
    ours = [field("A"), field("B", type="string"), field("C"), field("D", type="int8")]

    assert kinds(ours, ours[:1] + ours[2:]) == [("field", "b", "")]
    assert kinds(ours[:1] + ours[2:], ours) == [("field", "", "b")]


def test_the_missing_one_of_equal_fields_is_found_by_its_name() -> None:
    ours = [field(name) for name in "ABC"]

    assert kinds(ours, [ours[0], ours[2]]) == [("field", "b", "")]


def test_null_on_one_side_differs_within_an_array_too() -> None:
    ours = [rows(field("Name", type="string"))]
    theirs = [rows(field("Name", type="string", nullableVersions="0+"))]

    assert kinds(ours, theirs) == [("nullable", "rows.name", "rows.name")]


def test_a_nullable_struct_has_a_byte_more() -> None:
    inner: Json = {"type": "Inner", "fields": [field("A")], "versions": "1+"}
    nullable = field("At", **inner, nullableVersions="1+")

    assert kinds([field("At", **inner)], [nullable]) == [("kind", "at", "at")]


def test_a_length_that_stays_classic_differs() -> None:
    classic = field("Id", type="string", flexibleVersions="none")

    assert kinds([field("Id", type="string")], [classic]) == [("compact", "id", "id")]


def test_flexible_on_one_side_is_one_difference() -> None:
    fields = [field("A", type="string"), rows(field("B"))]
    ours, theirs = layout(*fields, version=CLASSIC), layout(*fields, version=FLEXIBLE)

    (difference,) = differences(ours, theirs)

    assert (difference.kind, difference.ours) == ("flexible", "not flexible")


def test_a_struct_without_tag_section_is_its_fields() -> None:
    plain = [field("Ids", type="[]int32"), field("A"), field("B")]
    inner = field("In", type="In", fields=[field("A"), field("B")])
    structs = [field("Ids", type="[]Id", fields=[field("Id")]), inner]

    assert kinds(plain, structs, version=CLASSIC) == []
    assert {each for each, _, _ in kinds(plain, structs, version=FLEXIBLE)} == {"kind", "field"}


@pytest.mark.parametrize(
    ("one", "other", "version", "same"),
    [
        ("bytes", "records", CLASSIC, True),
        ("string", "bytes", CLASSIC, False),
        ("string", "bytes", FLEXIBLE, True),
        ("int16", "uint16", CLASSIC, False),
        ("float64", "int64", CLASSIC, False),
    ],
)
def test_kinds_of_the_same_bytes_are_no_difference(
    one: str, other: str, version: int, same: bool
) -> None:
    assert (kinds([field(type=one)], [field(type=other)], version=version) == []) == same


def test_a_tag_of_one_side_alone_is_added_or_removed() -> None:
    assert kinds([], [tag()]) == [("tag-added", "", "tagged")]
    assert kinds([tag()], []) == [("tag-removed", "tagged", "")]


def test_a_tag_changes_its_format_wherever_in_it() -> None:
    ours = [tag(type="[]Row", fields=[field("A", versions="1+")])]
    theirs = [tag(type="[]Row", fields=[field("A", type="int64", versions="1+")])]

    assert kinds(ours, theirs) == [("tag-type", "tagged.a", "tagged.a")]


def test_a_tag_has_another_default() -> None:
    (difference,) = found([tag(default="-1")], [tag()])

    assert (difference.kind, difference.ours) == ("tag-default", "default -1")


def test_a_plain_field_may_have_another_default() -> None:
    assert kinds([field(default="-1")], [field()]) == []


def test_the_default_of_a_tagged_struct_is_that_of_its_fields() -> None:
    def inner(name: str, default: str) -> Json:
        return tag(type="In", fields=[field(name, versions="1+", default=default)])

    assert kinds([inner("A", "5")], [inner("B", "5")]) == []
    assert kinds([inner("A", "5")], [inner("A", "6")]) == [("tag-default", "tagged", "tagged")]


def test_releases_share_a_form_where_nothing_but_tags_comes_or_goes() -> None:
    """What `wire_forms` joins and what differs here are decided apart, and have to agree."""
    newest, oldest = definitions(whole_releases()[0]), definitions(whole_releases()[-1])
    apart = 0
    for name in sorted({*newest.names} & {*oldest.names}):
        for version in newest[name].valid & oldest[name].valid:
            ours, theirs = (each.form(name, version).layout for each in (newest, oldest))
            broken = [
                each.kind
                for each in differences(ours, theirs)
                if each.kind not in ("tag-added", "tag-removed")
            ]
            assert (_merge_layouts(ours, theirs) is None) == bool(broken), (name, version)
            apart += bool(broken)
    assert apart


@pytest.mark.parametrize("place", [0, 1500, 2999])
def test_a_field_that_went_is_found_among_thousands(place: int) -> None:
    fields = [field(f"F{number}") for number in range(3000)]

    assert kinds(fields, fields[:place] + fields[place + 1 :]) == [("field", f"f{place}", "")]


def test_thousands_of_fields_that_have_nothing_in_common_are_compared_by_position() -> None:
    ours = [field(f"F{number}") for number in range(3000)]
    theirs = [field(f"G{number}", "int64") for number in range(2999)]

    assert len(found(ours, theirs)) == 3000
