"""What is wrong with a definition is found, all of it, at the line where it stands."""

from __future__ import annotations

import shutil

import pytest

from conformance.definitions.lint.linting import RULES, lint
from conformance.rules import select
from conformance.schema.releases import releases
from conformance.schema.text.importing import fetch_jars
from conformance.schema.text.json_text import line_of
from conformance.schema.text.texts import NoDefinitions, Text, texts_at
from tests.machine import lacking

FAULTY = """\
// A definition with three faults.
{
  "apiKey": 999, "type": "request", "name": "SampleRequest",
  "validVersions": "0-2",
  "flexibleVersions": "2+",
  "fields": [
    { "name": "Count", "type": "int32", "versions": "0+", "nullableVersions": "0+" },
    { "name": "Rows", "type": "[]Row", "versions": "0+", "fields": [
      { "name": "One", "type": "string", "versions": "2+",
        "tag": 0, "taggedVersions": "2+" },
      { "name": "Two", "type": "string", "versions": "2+",
        "taggedVersions": "2+", "tag": 0 }
    ]},
    { "name": "Odd", "type": "int31", "versions": "0+" }
  ]
}
"""


def test_all_faults_are_found_each_at_its_line() -> None:
    (found,) = lint([Text("SampleRequest.json", FAULTY)])

    assert [(each.rule, each.line, each.place) for each in found.findings] == [
        ("definitions.nullable-kinds", 7, "Count"),
        ("definitions.tag-unique", 12, "Rows.Two"),
        ("definitions.types-known", 14, "Odd"),
    ]
    assert not found.whole  # Odd was left out


@pytest.mark.parametrize("release", releases())
def test_every_release_of_kafka_keeps_what_must_be_kept(release: str) -> None:
    binding = {rule.id for rule in select(applies=["schema"]) if rule.class_ != "lenient"}

    examined = [*lint(texts_at(release))]

    assert len(examined) > 100
    assert binding
    found = [each for one in examined for each in one.findings]
    assert [each for each in found if each.rule in binding] == []


OF_2_8 = [
    *["definitions.flexible-stated"] * 22,
    "definitions.json-object",  # DescribeProducersRequest closes twice
]
"""What Kafka's generator forgave up to 2.8: 22 files say nothing of flexible versions."""


@pytest.mark.java
@pytest.mark.parametrize(("release", "broken"), [("2.8.2", OF_2_8), ("3.9.2", []), ("4.4.0", [])])
def test_the_jars_of_a_release_keep_what_must_be_kept(release: str, broken: list[str]) -> None:
    if shutil.which("mvn") is None:
        lacking("needs Maven, for the jars of Kafka")
    jars = [str(jar) for jar in fetch_jars(release)]
    rules = {rule.id for rule in select(applies=["schema"]) if rule.class_ != "lenient"}

    found = lint(text for jar in jars for text in texts_of(jar))

    assert (
        sorted(each.rule for one in found for each in one.findings if each.rule in rules) == broken
    )


def texts_of(jar: str) -> list[Text]:
    """The definitions of a jar; some have none in older releases."""
    try:
        return texts_at(jar)
    except NoDefinitions:
        return []


def test_every_rule_of_definitions_is_asked_and_says_what_to_do() -> None:
    rules = select(applies=["schema"], groups=["definitions"])

    assert {rule.id for rule in rules} == set(RULES)
    assert all(rule.remedy for rule in rules)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("fields",), 6),
        (("fields", 1, "fields", 1, "tag"), 12),
        (("fields", 1, "fields", 1), 11),
        (("fields", 2, "type"), 14),
        (("fields", 9, "type"), 6),
        (("nowhere",), 2),
    ],
)
def test_line_is_that_of_the_last_part_that_is_there(
    path: tuple[str | int, ...], line: int
) -> None:
    assert line_of(FAULTY, path) == line


def test_a_key_with_two_values_is_told_where_the_text_ends_too_early() -> None:
    (found,) = lint([Text("x.json", '{"name": "A",\n "name": "B"}\n{')])
    (nested,) = lint([Text("x.json", '{"fields": [{"tag": 0,\n "tag": 1}, oh')])

    assert [each.line for each in (*found.findings, *nested.findings)] == [2, 2]


def test_two_values_far_inside_are_told_all_the_same() -> None:
    deep = '{"a":' * 100 + '{"b": 1, "b": 2}' + "}" * 100
    (found,) = lint([Text("x.json", deep)])

    assert [each.rule for each in found.findings] == ["definitions.json-object"]
