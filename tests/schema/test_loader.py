"""A definition is either right or refused with file, field and reason."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.schema.model import Message
from conformance.schema.text.load import DefinitionError, load_message, parse_json
from conformance.schema.versions import Versions
from tests.schema.definitions import Json, field, request, text


def load(content: Json) -> Message:
    return load_message(text(content), "Sample.json")


def nested(depth: int) -> Json:
    """A field with structs in it, `depth` deep."""
    inner = field("Leaf")
    for level in range(depth):
        inner = field(f"S{level}", f"[]S{level}", fields=[inner])
    return inner


def test_message_is_what_the_file_says() -> None:
    message = load(request(field("TopicName", "string", entityType="topicName", mapKey=True)))

    assert (message.name, message.type, message.api_key) == ("SampleRequest", "request", 999)
    assert (message.valid, str(message.flexible)) == (Versions(0, 1), "1+")
    (topic,) = message.fields
    assert (topic.name, topic.type.kind, topic.entity_type) == ("TopicName", "string", "topicName")
    assert topic.map_key


def test_comments_are_taken_out_and_lines_kept() -> None:
    found = parse_json('// one\n{"a": 1, // two\n"b": 2}// three', "x.json")

    assert found == {"a": 1, "b": 2}


def test_comment_marks_inside_of_text_survive() -> None:
    found = parse_json(r'{"a": "http://x", "b": "say \"//\" // so"}', "x.json")

    assert found == {"a": "http://x", "b": 'say "//" // so'}


def test_syntax_error_is_on_the_line_of_the_file() -> None:
    with pytest.raises(DefinitionError, match="line 3"):
        parse_json('// one\n{"a": 1, // two\n!}', "x.json")


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "\ufeff{}", "[" * 100_000, "{" * 100_000])
def test_what_is_no_json_object_is_refused(content: str) -> None:
    with pytest.raises(DefinitionError, match=r"^broken\.json: not (a )?JSON"):
        parse_json(content, "broken.json")


@pytest.mark.parametrize("flag", [True, "true"])
def test_flag_may_be_text_as_in_some_definitions_of_kafka(flag: Any) -> None:
    assert load(request(field(ignorable=flag))).fields[0].ignorable


def test_tag_may_be_text_as_in_some_definitions_of_kafka() -> None:
    content = request(field(tag="3", taggedVersions="1+"))

    assert load(content).fields[0].tag == 3


def test_versions_of_a_field_default_to_its_tagged_ones() -> None:
    content = request(field(versions=None, tag=0, taggedVersions="1+"))

    assert load(content).fields[0].versions == Versions.parse("1+")


def test_a_tag_without_versions_is_one_in_all_flexible_versions() -> None:
    """KIP-482; Kafka's generator wants them said."""
    content = request(field(tag=0))

    assert load(content).fields[0].tagged == Versions.parse("1+")


def test_default_of_null_is_no_default() -> None:
    content = request()
    content["fields"] = [{"name": "Count", "type": "int32", "versions": "0+", "default": None}]

    assert load(content).fields[0].default is None


def test_common_struct_is_resolved_wherever_it_is_used() -> None:
    struct = {"name": "Pair", "versions": "0+", "fields": [field("Left"), field("Right")]}
    message = load(
        request(field("One", "Pair"), field("Many", "[]Pair"), commonStructs=[struct]),
    )

    one, many = message.fields
    assert [item.name for item in one.type.fields] == ["Left", "Right"]
    assert many.type.element == one.type


def test_sixteen_structs_in_each_other_are_accepted() -> None:
    assert load(request(nested(16)))


def test_message_without_valid_versions_needs_no_fields() -> None:
    assert not load(request(validVersions="none", flexibleVersions=None)).valid


REFUSED: list[tuple[str, str, Json]] = [
    ("name", "missing", request(name=None)),
    ("name", "no name", request(name="../../x")),
    ("name", "no name", request(name='X"""\nimport os')),
    ("name", "no text", request(name=3)),
    ("type", "none of", request(type="answer")),
    ("apiKey", "missing", request(apiKey=None)),
    ("apiKey", "no api key", request(apiKey="18")),
    ("apiKey", "no api key", request(apiKey=True)),
    ("apiKey", "no api key", request(apiKey=-1)),
    ("listeners", "list of names", request(listeners=5)),
    ("latestVersionUnstable", "neither true", request(latestVersionUnstable="yes")),
    ("validVersions", "missing", request(validVersions=None)),
    ("validVersions", "range of versions", request(validVersions="all")),
    ("flexibleVersions", "missing", request(flexibleVersions=None)),
    ("", "unknown key 'validVersion'", request(validVersion="0")),
    ("fields", "no version is valid", request(field(), validVersions="none")),
    ("", "list of objects", request(fields={})),
    ("", "list of objects", request(fields=[3])),
    ("name", "missing", request(field(name=None))),  # type: ignore[arg-type]
    ("name", "no name", request(field("Two words"))),
    ("Count", "'Count' is given twice", request(field(), field())),
    ("Count.type", "missing", request(field(type=None))),  # type: ignore[arg-type]
    ("Count", "unknown type 'int31'", request(field(type="int31"))),
    ("Count", "unknown type '[]int32'", request(field(type="[][]int32"))),
    ("Count", "unknown type ''", request(field(type="[]"))),
    ("Count", "unknown key 'nullable'", request(field(nullable=True))),
    ("Count.versions", "missing", request(field(versions=None))),
    ("Count.versions", "range of versions", request(field(versions="1-0"))),
    ("Count", "int32 can't be nullable", request(field(nullableVersions="0+"))),
    ("Count", "int32 can't be null by default", request(field(default="null"))),
    ("Count", "a int32 has no fields", request(field(fields=[field()]))),
    ("Count", "struct Pair has no fields", request(field(type="Pair"))),
    ("Count", "struct Pair has no fields", request(field(type="[]Pair"))),
    ("Count", "and no tag", request(field(taggedVersions="1+"))),
    ("Count", "no 31-bit number", request(field(tag=-1, taggedVersions="1+"))),
    ("Count", "no 31-bit number", request(field(tag=2**31, taggedVersions="1+"))),
    ("Count", "no 31-bit number", request(field(tag=True, taggedVersions="1+"))),
    ("Count", "exceed versions", request(field(versions="2+", tag=0, taggedVersions="1+"))),
    ("Count", "exceed flexible", request(field(tag=0, taggedVersions="0+"))),
    (
        "B",
        "tag 0 is given twice",
        request(field(tag=0, taggedVersions="1+"), field("B", tag=0, taggedVersions="1+")),
    ),
    ("Count.ignorable", "neither true", request(field(ignorable="no"))),
    ("Count.mapKey", "neither true", request(field(mapKey=1))),
    ("Count.entityType", "no text", request(field(entityType=[]))),
    ("Count", "no scalar", request(field(default=[]))),
    (
        "Count",
        "not nullable in each",
        request(field(type="string", nullableVersions="1+", default="null")),
    ),
    ("S.In", "unknown type 'int31'", request(field("S", "[]S", fields=[field("In", "int31")]))),
    ("commonStructs.name", "missing", request(commonStructs=[{"versions": "0+"}])),
    (
        "commonStructs.A.versions",
        "missing",
        request(field(type="A"), commonStructs=[{"name": "A"}]),
    ),
    ("commonStructs.A", "given twice", request(commonStructs=[{"name": "A"}] * 2)),
    ("commonStructs.A", "unknown key 'field'", request(commonStructs=[{"name": "A", "field": 1}])),
]


@pytest.mark.parametrize(("place", "reason", "content"), REFUSED)
def test_faulty_definition_is_refused_where_it_is_wrong(
    place: str, reason: str, content: Json
) -> None:
    with pytest.raises(DefinitionError) as caught:
        load(content)

    assert caught.value.file == "Sample.json"
    assert caught.value.place == place
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"Sample.json: {place}: " if place else "Sample.json: ")


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("bool", "yes"),
        ("int8", "128"),
        ("int16", "-32769"),
        ("int32", "1e3"),
        ("int32", "1_000"),
        ("int64", str(2**63)),
        ("uint16", "-1"),
        ("uint32", str(2**32)),
        ("float64", "half"),
        ("float64", "nan"),
        ("uuid", "none"),
        ("bytes", "00"),
        ("[]int32", "[]"),
    ],
)
def test_default_of_another_type_is_refused(kind: str, default: str) -> None:
    with pytest.raises(DefinitionError, match=r"default .* is no "):
        load(request(field(type=kind, default=default)))


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("bool", True),
        ("bool", "false"),
        ("int8", -128),
        ("int32", "0x7fffffff"),
        ("int64", "-9223372036854775808"),
        ("uint16", "65535"),
        ("float64", "0.5"),
        ("uuid", "AAAAAAAAAAAAAAAAAAAAAQ"),
        ("string", "any text"),
        ("int32", ""),
    ],
)
def test_default_of_its_type_is_accepted(kind: str, default: Any) -> None:
    assert load(request(field(type=kind, default=default)))


def test_structs_too_deep_are_refused() -> None:
    with pytest.raises(DefinitionError, match="nest more than 16 deep"):
        load(request(nested(17)))


def test_struct_that_holds_itself_is_refused() -> None:
    ring = {"name": "Ring", "versions": "0+", "fields": [field("Next", "Ring")]}

    with pytest.raises(DefinitionError, match="refer to themselves"):
        load(request(field("First", "Ring"), commonStructs=[ring]))


def test_common_structs_that_multiply_are_refused_early() -> None:
    structs = [
        {"name": f"S{n}", "versions": "0+", "fields": [
            field(f"F{i}", f"S{n + 1}" if n < 14 else "int8") for i in range(10)
        ]}
        for n in range(15)
    ]  # fmt: skip

    with pytest.raises(DefinitionError, match="more than 10000 fields"):
        load(request(field("First", "S0"), commonStructs=structs))
