"""A handler that checks nothing of what it is asked is one finding; a missing check is another."""

import pytest

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.mutants.topics.requests import (
    FactorZeroDefaulted,
    NegativePartitionsDefaulted,
)
from conformance.brokers.score import verdicts_of
from conformance.brokers.unchecked import refusals, unchecked
from conformance.gate.likeness import MutantLineUp, Pictures, explained
from conformance.reference.broker.broker import Broker
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Finding

NOBODY = MutantLineUp("broker", (), lambda mutant, rules: (), handlers=unchecked)
"""Without mutants to be held against."""


def findings(broker: Broker, *apis: str) -> list[Finding]:
    """What is told of the rules about what some APIs refuse."""
    causes, pictures = Causes(), Pictures()
    rules = dict.fromkeys(rule for api in apis for rule in refusals()[api])
    for verdict in verdicts_of(stocked(broker), *rules):
        pictures.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    return causes.findings((), explained(NOBODY, pictures.seen, causes.sorts()))


@pytest.mark.parametrize("api", list(refusals()))
def test_a_handler_without_checks_is_one_finding_that_lists_its_rules(api):
    [found] = findings(broker_mutants()[f"{api}ChecksNothing"](), api)
    assert found.diagnosis == f"a broker that checks nothing of what {api} asks"
    assert len(found.rules) > 1


class LacksTwoChecks(FactorZeroDefaulted, NegativePartitionsDefaulted):
    """Lacks the checks of both."""


def test_two_checks_that_are_missing_are_two_findings():
    found = findings(LacksTwoChecks(), "CreateTopics")
    assert sorted(each.rules for each in found) == [
        ["topics.impossible-factor-refused"],
        ["topics.no-partitions-refused"],
    ]
    assert not any("checks nothing" in each.diagnosis for each in found)
