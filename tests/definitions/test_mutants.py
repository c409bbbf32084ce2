"""Each defect of a definition is found by its rule, at its place, and by no other rule."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.definitions.lint.linting import lint
from conformance.definitions.mutants import DefinitionMutant, definition_mutants
from conformance.definitions.mutants.sample import SAMPLES
from conformance.rules import select
from conformance.schema.text.texts import Text


def test_the_samples_keep_every_rule() -> None:
    found = lint(Text(name, text) for name, text in SAMPLES.items())

    assert [each.findings for each in found] == [()] * len(SAMPLES)
    assert all(each.whole for each in found)


@pytest.mark.parametrize("mutant", definition_mutants().values(), ids=lambda each: each.name)
def test_a_defect_is_found_by_its_rule_alone_where_it_is(mutant: DefinitionMutant) -> None:
    found = [finding for each in lint(mutant.texts()) for finding in each.findings]

    assert {each.rule for each in found} == {mutant.breaks}
    first = found[0]
    assert (first.file, first.place, first.line) == (mutant.file, mutant.place, mutant.line)
    assert first.reason


def test_each_rule_of_definitions_has_two_mutants_or_more() -> None:
    counts = Counter(mutant.breaks for mutant in definition_mutants().values())

    rules = select(applies=["schema"], groups=["definitions"])
    assert rules
    for rule in rules:
        assert counts[rule.id] >= 2, rule.id
