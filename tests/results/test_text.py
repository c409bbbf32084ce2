"""A verdict in words."""

from __future__ import annotations

import msgspec
import pytest

from conformance.results.text import by_definitions, failure_text, shown
from tests.results.making import RUN, verdict


def test_a_failure_tells_rule_case_bytes_and_difference() -> None:
    one = verdict(expected="0a", actual="0b", first_difference="offset 0", detail="other bytes")
    assert failure_text(one, more=3).splitlines() == [
        "tags.ascending (must): fail",
        "case:     MetadataRequest-v9-filled/decode",
        "input:    0102",
        "expected: 0a",
        "actual:   0b",
        "differs:  offset 0",
        "because:  other bytes",
        "and 3 more",
    ]


def test_what_is_long_is_cut_and_its_length_told() -> None:
    text = shown({"name": "x" * 1000})
    assert len(text) < 300
    assert text.endswith("… (1011 characters)")


def test_text_of_several_lines_is_shown_on_one() -> None:
    assert shown("crashed: exit-1;\n its stderr:\nno") == "crashed: exit-1; its stderr: no"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("silent", ["seen:     no answer came"]),
        ("closed", ["seen:     the connection was closed"]),
        ("reset", ["seen:     the connection was reset"]),
        ("reply", []),
    ],
)
@pytest.mark.parametrize("op", ["exchange", "forward"])
def test_silence_and_a_hang_up_are_said_to_be_that(op: str, outcome: str, said: list[str]) -> None:
    lines = failure_text(verdict(op=op, outcome=outcome)).splitlines()
    assert [line for line in lines if line.startswith("seen:")] == said


def test_definitions_are_those_of_a_release_and_of_others_for_what_it_lacks() -> None:
    said = by_definitions(RUN)
    assert said.startswith(", by the definitions of Apache Kafka 4.4.0 and, for versions that it ")
    assert by_definitions(msgspec.structs.replace(RUN, definitions="")) == ""
