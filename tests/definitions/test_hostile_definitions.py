"""Definitions that nobody wrote in good faith: told as findings, with bounded work."""

from __future__ import annotations

import json

import pytest

from conformance.definitions.lint.linting import lint
from conformance.schema.text.texts import Text
from tests.schema.definitions import field, request, text

MEGABYTES = 10
SIZE = MEGABYTES * 1024 * 1024


def rules(content: str) -> set[str]:
    (found,) = lint([Text("Sample.json", content)])
    return {each.rule for each in found.findings}


@pytest.mark.parametrize(
    "content",
    [
        '"\\' * (SIZE // 2),
        "/* " * (SIZE // 3),
        "[" * SIZE,
        '{"a":' * (SIZE // 5),
        "\x00" * SIZE,
        '{"name": "' + "x" * SIZE,
    ],
    ids=["quotes", "comments", "lists", "objects", "zeros", "an endless name"],
)
def test_ten_megabytes_that_are_no_json_are_told_as_that(content: str) -> None:
    assert rules(content) == {"definitions.json-object"}


def test_ten_megabytes_of_fields_end_at_the_bound() -> None:
    count = SIZE // len(json.dumps(field("F000000")))
    many = request(*(field(f"F{number}") for number in range(count)))

    assert rules(text(many)) == {"definitions.nesting-bounded"}


def test_many_faults_in_one_file_are_each_told() -> None:
    many = request(*(field(f"F{number}", "int31") for number in range(5000)))
    (found,) = lint([Text("Sample.json", json.dumps(many, indent=1))])

    assert len({each.line for each in found.findings}) == 5000


def test_structs_in_each_other_end_at_the_bound() -> None:
    inner = field("Leaf")
    for level in range(200):
        inner = field(f"S{level}", f"[]S{level}", fields=[inner])

    assert rules(text(request(inner))) == {"definitions.nesting-bounded"}


def test_common_structs_that_multiply_end_at_the_bound() -> None:
    structs = [
        {"name": f"S{n}", "versions": "0+", "fields": [
            field(f"F{i}", f"S{n + 1}" if n < 14 else "int8") for i in range(10)
        ]}
        for n in range(15)
    ]  # fmt: skip

    content = text(request(field("First", "S0"), commonStructs=structs))

    assert rules(content) == {"definitions.nesting-bounded"}


@pytest.mark.parametrize("character", ["\x1b[31m", "\u202e"])
def test_what_a_definition_says_reaches_findings_as_text(character: str) -> None:
    content = json.dumps(request(field(f"Na{character}me")))

    assert rules(content) == {"definitions.names-valid"}
