"""Rules of codecs say what to do, and show it in bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance.rules.examples
from conformance.codecs.mutants import mutants
from conformance.rules import Rule, catalogue
from conformance.rules.examples import FILE, Example, ExampleRow, examples
from conformance.rules.pages import describe
from tests.proof.examples.codecs import CODECS_MADE

COMMITTED = Path(conformance.rules.examples.__file__).parent / FILE
RULES = [rule for rule in catalogue().values() if rule.applies[0].startswith("codec")]
MOST_WORDS = 22
MOST_LINES = 20


def test_committed_examples_are_what_the_mutants_write() -> None:
    """A failure here wants `python -m tests.proof.examples codec`."""
    assert CODECS_MADE.text() == COMMITTED.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_of_codecs_says_what_to_do_and_shows_it(rule: Rule) -> None:
    assert rule.remedy[:1].isupper()
    assert rule.remedy.endswith(".")
    assert len(rule.remedy.split()) <= MOST_WORDS
    assert (rule.id in examples()) != bool(rule.not_shown)
    page = "\n".join(describe(rule))
    assert "- What to do: " in page
    assert ("\nExample:\n" in page) != ("- No example: " in page)


@pytest.mark.parametrize("example", examples().values(), ids=lambda example: example.rule)
def test_an_example_shows_a_difference_in_few_lines(example: Example) -> None:
    assert mutants()[example.mutant].breaks == example.rule
    beside = [row for row in example.rows if row.wrong not in (None, row.right)]
    assert example.right != example.wrong or beside
    assert len(list(example.lines())) <= MOST_LINES


def test_no_rule_is_left_out_without_need() -> None:
    assert sum(bool(rule.not_shown) for rule in RULES) <= 2


def test_bytes_are_named_in_columns() -> None:
    example = Example(
        rule="compact.string-length",
        case="GroupMetadataKey-v0-filled/encode",
        message="GroupMetadataKey",
        version=0,
        mutant="Mutant",
        defect="Has N.",
        given='{"group": "a"}',
        right="02 61",
        wrong="01 61",
        rows=[
            ExampleRow(0, "02", "01", "group(length)", "2 (length 1)", True),
            ExampleRow(1, "61", "61", "group", '"a"', False),
        ],
    )
    assert list(example.lines()) == [
        "GroupMetadataKey version 0 is written:",
        "  case:  GroupMetadataKey-v0-filled/encode",
        '  value: {"group": "a"}',
        "  right: 02 61",
        "  wrong: 01 61",
        "         (Mutant: Has N.)",
        "  offset  right  wrong  field          meaning",
        ">      0  02     01     group(length)  2 (length 1)",
        '       1  61     61     group          "a"',
    ]
