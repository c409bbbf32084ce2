"""A proxy that refuses one version of one API is caught, whichever it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.codecs.score import wrong
from conformance.proxies.converse import converse
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.in_process import LinkPeer, direct
from conformance.proxies.mutants.versions import JUDGED_BY, OTHERS, RefusesOneVersion, rows
from conformance.proxies.score import every_case, rules_of_proxies
from conformance.reference.proxy.translation import USUAL
from conformance.results.lines import Verdict
from conformance.rules import catalogue

PRODUCE = 0


def judged(proxy: RefusesOneVersion, wanted: Callable[[ProxyCase], bool]) -> list[Verdict]:
    _, known = every_case(USUAL)
    asked = [each for each in known if wanted(each)]
    rules = {rule: catalogue()[rule] for rule in rules_of_proxies()}
    return list(converse(asked, LinkPeer(proxy), rules, "kafka", None, direct))


@pytest.mark.parametrize(("api", "key", "version"), [*rows()], ids=str)
def test_one_refused_version_is_charged_to_the_rule_that_judges_it(api, key, version):
    messages = (f"{api}Request", f"{api}Response")
    found = judged(RefusesOneVersion(key, version), lambda case: case.message in messages)
    broken = wrong(found)
    assert {verdict.rule for verdict in broken} == {JUDGED_BY.get(api, OTHERS)}
    if api != "ApiVersions":  # whose every version is asked for in some dialogues
        assert {verdict.version for verdict in broken} == {version}


@pytest.mark.parametrize(
    "wanted",
    [
        lambda case: case.message == "ProduceRequest" and case.version in (9, 12),
        lambda case: case.message == "ProduceResponse" and case.version in (9, 12),
        lambda case: case.id == "ProduceRequest-v12/new-leader-in-produce",
        lambda case: case.id == "ProduceRequest-v12-defaults/forwarded",
    ],
    ids=["two versions", "answers alone", "a case that another rule judges", "a case of its own"],
)
def test_a_refused_version_is_charged_once_whatever_is_selected(wanted):
    broken = wrong(judged(RefusesOneVersion(PRODUCE, 12), wanted))
    assert [verdict.rule for verdict in broken] == [OTHERS]
    assert broken[0].version == 12


def test_what_is_not_proven_names_what_is_broken_first():
    found = judged(RefusesOneVersion(PRODUCE, 12), lambda case: case.message == "ProduceRequest")
    unproven = [verdict for verdict in found if verdict.verdict == "not-proven"]
    assert unproven
    assert all(each.detail.startswith(f"{OTHERS} is broken first: ") for each in unproven)
