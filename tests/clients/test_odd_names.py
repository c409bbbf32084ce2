"""A name with commas and equal signs is a scenario of its own, and shows what SCRAM was told."""

from __future__ import annotations

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.score import rules_with_scenarios, verdicts_of
from conformance.reporting.breaches import in_a_clause
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Verdict

RULE = "client-sasl.odd-names-as-given"
OF_LOGINS = [rule for rule in rules_with_scenarios() if rule.startswith("client-sasl.")]


def verdicts_on(mutant: str) -> list[Verdict]:
    return verdicts_of(client_mutants()[mutant], OF_LOGINS)


@pytest.mark.parametrize("mutant", ["NamesTheUserAsItIs", "EscapesThePassword"])
def test_a_client_that_writes_it_wrongly_is_judged_by_all_other_rules(mutant: str) -> None:
    verdicts = verdicts_on(mutant)
    assert [(each.rule, each.verdict) for each in verdicts if each.verdict != "pass"] == [
        (RULE, "fail")
    ]


def shown(mutant: str) -> list[str]:
    """The messages of SCRAM that stand in what the finding shows, without what varies."""
    [broken] = [each for each in verdicts_on(mutant) if each.verdict in BROKEN]
    lines = [line.split(" ", 4)[-1] for line in broken.actual]
    return [each.partition(",r=")[0][:22] for each in lines if each.startswith(("client", "serv"))]


def test_the_messages_up_to_the_proof_are_shown() -> None:
    assert shown("NamesTheUserAsItIs") == ["client-first n,,n=one,"]
    first, final, server = shown("EscapesThePassword")
    assert first == "client-first n,,n=one="
    assert final.startswith("client-final c=")
    assert server.startswith("server-first r=")


@pytest.mark.parametrize("mutant", ["NamesTheUserAsItIs", "EscapesThePassword"])
def test_the_driver_is_not_suspected_where_a_request_shows_it(mutant: str) -> None:
    causes = Causes()
    for verdict in verdicts_on(mutant):
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    [found] = causes.findings()
    assert "driver" not in in_a_clause(found)
