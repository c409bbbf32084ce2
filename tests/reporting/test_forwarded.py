"""What a malformed frame did to others beside a proxy's connection decides the harm and remedy."""

from __future__ import annotations

import pytest

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.findings import Causes
from conformance.results.aftermath import CUT, GONE, LOST, STOPPED, WAITED
from conformance.results.lines import FORWARD, Finding, Verdict, VerdictName

REQUESTS = "proxy-hardening.malformed-requests-survived"
MEMORY = f"{GONE}the proxy has ended; its last words: memory allocation of 9 bytes failed"
PANIC = f"{GONE}the proxy has ended; its last words: thread 'main' panicked at src/main.rs:1:1"


def verdict(detail: str, name: VerdictName = "fail", api: str = "Fetch") -> Verdict:
    return Verdict(
        rule=REQUESTS,
        class_="harden",
        case=f"{api}Request-v13/request-cut-short",
        message=f"{api}Request",
        version=13,
        op=FORWARD,
        outcome="closed",
        verdict=name,
        detail=detail,
        input="00",
    )


def findings(*verdicts: Verdict) -> list[Finding]:
    causes = Causes()
    for each in verdicts:
        causes.take(each)
    return causes.findings()


@pytest.mark.parametrize(
    ("detail", "name", "harm", "remedy"),
    [
        (f"a is not served{CUT}", "fail", "ends the connections of other clients", "ask again on"),
        (f"a is not served{WAITED}", "fail", "lets all other clients wait", "Hold no lock"),
        (f"a is not served{LOST}", "fail", "cuts all clients off", "Connect to the broker again"),
        (f"a is not served{STOPPED}", "fail", "stops the traffic of all", "free what it held"),
        (PANIC, "crash", "ends the process", "no panic"),
        (MEMORY, "crash", "take all memory", "Check each size and count"),
    ],
)
def test_each_harm_has_words_and_a_remedy_of_its_own(
    detail: str, name: VerdictName, harm: str, remedy: str
) -> None:
    [finding] = findings(verdict(detail, name))
    assert harm in harm_of(finding)
    assert remedy in remedy_of(finding)


def test_two_harms_of_one_api_are_two_findings_and_one_harm_of_two_apis_is_one() -> None:
    found = findings(
        verdict(f"a is not served{CUT}"),
        verdict(f"b has no answer{CUT}", api="Produce"),
        verdict(PANIC, "crash"),
    )
    assert [each.count for each in found] == [1, 2]
    assert in_a_clause(found[0]) == "can be ended by one malformed request"
