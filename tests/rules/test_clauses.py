"""The clauses of the KIPs: none is forgotten by the rules, and no rule by them."""

import re
from pathlib import Path

import pytest

from conformance.checks.proof import clauses_line, told
from conformance.errors import ConformanceError
from conformance.rules import Rule, catalogue
from conformance.rules.clauses import (
    Clause,
    coverage,
    deciding,
    kips,
    overdue,
    select,
    to_come,
)

CLAUSES = select()
OF_THESE = re.compile(r"KIP-(?:4|482|511|699)\b")
RESTING_ON_THEM = [rule for rule in catalogue().values() if OF_THESE.search(rule.source)]

each_clause = pytest.mark.parametrize("clause", CLAUSES, ids=[clause.id for clause in CLAUSES])


def test_four_kips_are_taken_apart() -> None:
    assert list(kips()) == ["KIP-4", "KIP-482", "KIP-511", "KIP-699"]


@each_clause
def test_clause_is_one_sentence(clause: Clause) -> None:
    assert not re.search(r"[.;!?]\s", clause.text)
    assert clause.text[0].isupper()


def test_no_two_clauses_of_a_section_say_the_same() -> None:
    said = [(clause.id.split("/")[0], clause.section, clause.text) for clause in CLAUSES]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("rule", RESTING_ON_THEM, ids=[rule.id for rule in RESTING_ON_THEM])
def test_rule_that_rests_on_a_kip_decides_a_clause_of_it(rule: Rule) -> None:
    """A failure here wants the rule's id in the `rules` of a clause under rules/clauses/."""
    reached = {clause.id.split("/")[0] for clause in deciding(rule.id)}
    assert reached >= {found[0] for found in OF_THESE.finditer(rule.source)}


@each_clause
def test_clause_waits_for_nothing_that_is_there(clause: Clause) -> None:
    """A failure here wants the new rule in `rules`, and `planned` and `shorthand` cut down."""
    assert not list(overdue(clause))


def test_what_is_to_come_is_waited_for() -> None:
    """A failure here wants the short id out of planned.toml."""
    assert set(to_come()) <= {s for clause in CLAUSES for s in clause.shorthand}


def test_every_status_is_counted_once() -> None:
    told = {what: int(count) for count, what in re.findall(r"(\d+) (\w+)", coverage(CLAUSES))}
    assert told["clauses"] == len(CLAUSES)
    assert told["clauses"] == told["decided"] + told["planned"] + told["unobservable"]
    assert told.get("of", 0) == sum(bool(clause.rules and clause.planned) for clause in CLAUSES)


def test_the_readme_tells_how_many_are_decided() -> None:
    """A failure here wants `tox run -e proof`."""
    assert clauses_line() in told((Path(__file__).parents[2] / "README.md").read_text("utf-8"))


def test_clauses_are_picked_by_kip_and_number() -> None:
    assert select(["KIP-511"]) == list(kips()["KIP-511"].clauses)
    assert select(["511"]) == select(["kip-511"]) == select(["KIP-511"])
    assert [clause.id for clause in select(["KIP-482/45", "699/1"])] == ["KIP-482/45", "KIP-699/1"]


@pytest.mark.parametrize("name", ["KIP-35", "KIP-482/999", "KIP-482/", "tags", "KIP-482/045"])
def test_unknown_clause_is_refused(name: str) -> None:
    with pytest.raises(ConformanceError, match="clause"):
        select([name])
