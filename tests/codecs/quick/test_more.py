"""A quick run asks more of messages that fail, so that causes can be told apart."""

from __future__ import annotations

from pathlib import Path

from conformance.codecs.mutants import mutants
from conformance.codecs.quick.choosing import quick_families
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.cli.conftest import run

MUTANT = "Int64ByWayOfDouble"


def test_messages_that_fail_are_asked_more(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    target = f"conformance.codecs.mutants:{MUTANT}"
    assert run("codec", target, "--quick", "--results", str(results)).code == 1
    asked = {line.case for line in read_lines(results) if isinstance(line, Verdict)}
    chosen = quick_families(ObjectTarget(mutants()[MUTANT]()).hello)
    cases = (case for each in chosen.values() for family in each for case in family.cases)
    assert asked - {case.id for case in cases if case.is_asked}
