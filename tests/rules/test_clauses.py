"""The clauses of the KIPs: none is forgotten by the rules, and no rule by them."""

import re
from pathlib import Path

import pytest

from conformance.errors import ConformanceError
from conformance.rules import Rule, catalogue
from conformance.rules.clauses import (
    STATUSES,
    asking,
    coverage,
    deciding_classes,
    kips,
    select,
)
from tests.proof.figures import PAGE, clauses_line, marked_lines

CLAUSES = select()
OF_THESE = re.compile(r"KIP-(?:4|482|511|699)\b")


def test_four_kips_are_taken_apart() -> None:
    assert list(kips()) == ["KIP-4", "KIP-482", "KIP-511", "KIP-699"]


def test_each_clause_is_one_sentence() -> None:
    assert [each.id for each in CLAUSES if re.search(r"[.;!?]\s", each.text)] == []
    assert [each.id for each in CLAUSES if not each.text[0].isupper()] == []


def test_no_two_clauses_of_a_section_say_the_same() -> None:
    said = [(clause.id.split("/")[0], clause.section, clause.text) for clause in CLAUSES]
    assert len(set(said)) == len(said)


def rests_on(rule: Rule) -> set[str]:
    """Those of the KIPs that the rule's source names."""
    return {found[0] for found in OF_THESE.finditer(rule.source)}


def test_each_rule_that_rests_on_a_kip_asks_about_a_clause_of_it() -> None:
    """A failure here wants the rule's id in the `rules` of a clause under rules/clauses/."""
    resting = [rule for rule in catalogue().values() if rests_on(rule)]
    reached = {rule.id: {each.id.split("/")[0] for each in asking(rule.id)} for rule in resting}
    assert resting
    assert [rule.id for rule in resting if not reached[rule.id] >= rests_on(rule)] == []


def test_every_status_is_counted_once() -> None:
    marked_lines = dict(
        re.findall(r"(?:: |, )(\d+) ([a-z ]+?)(?: \(.*?\))?(?=,|$)", coverage(CLAUSES))
    )
    counts = {name: int(number) for number, name in marked_lines.items()}
    assert counts.keys() <= set(STATUSES.values())
    assert sum(counts.values()) == len(CLAUSES)


def test_a_clause_that_is_decided_says_by_which_class() -> None:
    decided = [clause for clause in CLAUSES if clause.status == "decided"]
    assert all(deciding_classes(clause) for clause in decided)
    strongest = [deciding_classes(clause)[0] for clause in decided]
    assert f"{strongest.count('must')} must" in coverage(CLAUSES)


def test_the_proof_tells_how_many_are_decided() -> None:
    """A failure here wants `tox run -e proof`."""
    assert clauses_line() in marked_lines((Path(__file__).parents[2] / PAGE).read_text("utf-8"))


def test_clauses_are_picked_by_kip_and_number() -> None:
    assert select(["KIP-511"]) == list(kips()["KIP-511"].clauses)
    assert select(["511"]) == select(["kip-511"]) == select(["KIP-511"])
    assert [clause.id for clause in select(["KIP-482/45", "699/1"])] == ["KIP-482/45", "KIP-699/1"]


@pytest.mark.parametrize("name", ["KIP-35", "KIP-482/999", "KIP-482/", "tags", "KIP-482/045"])
def test_unknown_clause_is_refused(name: str) -> None:
    with pytest.raises(ConformanceError, match="clause"):
        select([name])
