"""What KIP-482 and KIP-511 are about stays a must, and breaking it fails a run as it is by default.

Whatever class other rules come to have: flexible headers, the order of tags, the lengths of null
and the fallback of ApiVersions each keep rules of class must, and whoever breaks one of them is
told so under the profile that nobody had to choose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.brokers import score as broker_score
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.clients import score as client_score
from conformance.clients.mutants import client_mutants
from conformance.codecs import score as codec_score
from conformance.codecs.kind import Codecs
from conformance.codecs.mutants import mutants
from conformance.gate.options import RunOptions
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import PROFILES, catalogue

FLOOR = {
    "flexible headers": (
        ("codec", "request-header.flexible-adds-tags"),
        ("codec", "response-header.flexible-adds-tags"),
        ("codec", "response-header.api-versions-stays-v0"),
        ("broker", "request-header.flexible-adds-tags"),
        ("broker", "response-header.flexible-adds-tags"),
        ("broker", "response-header.api-versions-stays-v0"),
        ("client", "request-header.flexible-adds-tags"),
        ("client", "response-header.flexible-adds-tags"),
        ("client", "response-header.api-versions-stays-v0"),
    ),
    "tag order": (
        ("codec", "tags.ascending"),
        ("codec", "tags.unknown-merged-in-order"),
    ),
    "null lengths": (
        ("codec", "compact.null-is-zero"),
        ("codec", "compact.null-not-written"),
        ("codec", "nullable-structs.null-marker"),
        ("codec", "primitives.null-array"),
        ("codec", "primitives.null-bytes"),
        ("codec", "primitives.null-not-written"),
        ("codec", "primitives.null-string"),
    ),
    "fallback": (
        ("codec", "api-versions.unsupported-version-read-as-v0"),
        ("broker", "api-versions.unsupported-answered-in-v0"),
        ("broker", "api-versions.unsupported-names-own-range"),
        ("client", "client-fallback.answer-read-as-asked"),
        ("client", "client-fallback.refusal-is-no-list"),
        ("client", "client-fallback.refusal-is-v0"),
    ),
}
EVERY = [(kind, rule) for rules in FLOOR.values() for kind, rule in rules]
MUTANTS: dict[str, Callable[[], dict[str, Any]]] = {
    "codec": mutants,
    "broker": broker_mutants,
    "client": client_mutants,
}


def verdicts(kind: str, mutant: Any) -> list[Verdict]:
    """What a mutant's own rule says of it."""
    if kind == "codec":
        return codec_score.verdicts_of_rule(mutant(), mutant.breaks, mutant.messages)
    if kind == "broker":
        return broker_score.verdicts_of(stocked(mutant()), mutant.breaks)
    return client_score.verdicts_of(mutant, [mutant.breaks])


@pytest.mark.parametrize(("kind", "rule"), EVERY)
def test_breaking_a_rule_of_the_floor_fails_a_run(kind: str, rule: str) -> None:
    assert catalogue()[rule].class_ == "must"
    assert "must" in PROFILES[RunOptions(Codecs()).profile]
    breaking = [each for each in MUTANTS[kind]().values() if each.breaks == rule]
    assert breaking
    for mutant in breaking:
        found = {each.verdict for each in verdicts(kind, mutant) if each.class_ == "must"}
        assert found & BROKEN, mutant.__name__
