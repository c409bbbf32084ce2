"""Every forbidden change is found by its rule alone, where it is, with bytes that show it."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.evolving import RULES
from conformance.definitions.evolution.pairing import match
from conformance.definitions.evolution.release import read_release
from conformance.definitions.mutants.evolution import MUTANTS, VALID, EvolutionMutant
from conformance.definitions.proofs.evolution import examined, prove
from conformance.rules import select
from conformance.schema.finding import BrokenRule

each_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=[each.name for each in MUTANTS])


def findings(mutant: EvolutionMutant) -> list[BrokenRule]:
    matched = match(read_release("1.0", mutant.old()), read_release("1.1", mutant.new()))
    assert not matched.old.unread
    assert not matched.new.unread
    return [finding for each in examined(matched) for finding in each.findings]


@each_mutant
def test_mutant_is_found_by_its_rule_alone(mutant: EvolutionMutant) -> None:
    found = findings(mutant)

    assert {each.rule for each in found} == {mutant.breaks}
    assert {each.place for each in found} == set(mutant.places)


@each_mutant
def test_mutant_is_found_at_its_line(mutant: EvolutionMutant) -> None:
    first, *_ = sorted(findings(mutant), key=lambda each: each.line)

    assert (first.file, first.line) == (mutant.file, mutant.line)


@each_mutant
def test_bytes_show_what_concerns_bytes(mutant: EvolutionMutant) -> None:
    found = findings(mutant)
    assert found
    for each in found:
        assert (each.proof is not None) == mutant.misread
        assert each.proof is None or each.proof.value != each.proof.read
        assert "no value shows it" not in each.reason


@pytest.mark.parametrize("change", VALID, ids=[each.name for each in VALID])
def test_valid_change_is_clean(change: EvolutionMutant) -> None:
    assert findings(change) == []


@pytest.mark.parametrize("change", VALID, ids=[each.name for each in VALID])
def test_valid_change_is_read_alike_by_both(change: EvolutionMutant) -> None:
    """By the bytes alone, whatever the rules make of the definitions."""
    matched = match(read_release("1.0", change.old()), read_release("1.1", change.new()))

    named = {False, change.name != "evolution-valid-renamed"}
    assert any(pair.steps for pair in matched.pairs)
    for breach in (Breach("", by_name=by_name) for by_name in named):
        for step in (step for pair in matched.pairs for step in pair.steps):
            assert prove(breach, step).smallest is None


@each_mutant
def test_nothing_is_found_where_nothing_changed(mutant: EvolutionMutant) -> None:
    same = match(read_release("1.0", mutant.old()), read_release("1.1", mutant.old()))

    assert [finding for each in examined(same) for finding in each.findings] == []


def test_every_rule_is_asked_says_what_to_do_and_has_two_mutants() -> None:
    rules = select(applies=["schema"], groups=["evolution"])
    broken = Counter(mutant.breaks for mutant in MUTANTS)

    assert {rule.id for rule in rules} == set(RULES) == set(broken)
    assert all(rule.remedy for rule in rules)
    assert min(broken.values()) >= 2
