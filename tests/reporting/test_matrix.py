"""Targets side by side."""

from __future__ import annotations

from rich.console import Console

from conformance.reporting.side_by_side import Matrix
from conformance.results.lines import VerdictName
from tests.results.making import verdict


def shown(matrix: Matrix, width: int = 100) -> str:
    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        matrix.show(console)
    return captured.get()


def by_group() -> Matrix:
    matrix = Matrix(by_case=False)
    matrix.take("one", verdict("fail"))
    matrix.take("one", verdict("pass"))
    matrix.take("two", verdict("pass"))
    matrix.take("two", verdict("unsupported", rule="records.magic"))
    matrix.take("one", verdict("not-proven", rule="records.magic"))
    return matrix


VERDICTS: dict[str, VerdictName] = {"one": "fail", "two": "pass", "three": "hang"}


def by_case() -> Matrix:
    matrix = Matrix(by_case=True)
    for target, name in VERDICTS.items():
        matrix.take(target, verdict(name, case="broken"))
        matrix.take(target, verdict("pass", case="well"))
    return matrix


def test_a_group_counts_what_was_broken_of_what_was_judged():
    assert by_group().markdown().splitlines()[2:] == [
        "| records | ? | . |",
        "| tags | 1 fail | ok |",
    ]


def test_cases_in_which_all_do_well_are_only_counted():
    text = shown(by_case())
    assert "broken" in text
    assert "well " not in text
    assert "and 1 more, in which all do well" in text


def test_all_cases_are_published_but_not_what_does_harm():
    assert by_case().markdown().splitlines()[2:] == [
        "| broken | fail | ok | - |",
        "| well | ok | ok | ok |",
    ]
    assert "hang" in shown(by_case())


def test_where_names_are_too_many_there_are_numbers():
    matrix = Matrix(by_case=False)
    for number in range(12):
        matrix.take(f"codec-{number}", verdict("pass"))
    text = shown(matrix)
    assert "1 codec-0, 2 codec-1" in text
    assert "12 codec-11" in text
    assert max(map(len, text.splitlines()[:5])) <= 100
