"""A rule fails only where its control case passes, and where the client asked what is played."""

import struct
from typing import ClassVar

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.control_cases import control_of
from conformance.clients.score import PATIENCE_S, meet, rules_with_scenarios, verdicts_of
from conformance.reference.client import Client, Failed, Lost, Open, Wait
from conformance.results.lines import BROKEN
from conformance.schema.releases import definitions
from tests.reference.broker.asking import bare

SCENARIOS = scenarios()
CONTROLS = {
    control.__name__: control
    for scenario in SCENARIOS.values()
    for control in (control_of(scenario, rule) for rule in scenario.decides)
}
NEWER = 9
"""A version of ApiVersions that nobody has yet."""


class NeverAsksVersions(Client):
    """Sends versions that it was told of beforehand, as clients do that are older than KIP-35."""

    versions: ClassVar = {**Client.versions, 3: (0, 4), 10: (0, 2), 15: (0, 2), 22: (0, 1)}

    def connect(self, address):
        yield Open(address)
        self.served = self.versions


class KnowsANewerVersion(Client):
    """Begins with an ApiVersions that came after those that are known here."""

    versions: ClassVar = {**Client.versions, 18: (0, NEWER)}

    def frame(self, api_key, version, number, wanted):
        if api_key != 18 or version != NEWER:
            return super().frame(api_key, version, number, wanted)
        whole = super().frame(api_key, 5, number, wanted)[4:]
        data = whole[:2] + struct.pack(">h", NEWER) + whole[4:] + b"what is new"
        return struct.pack(">i", len(data)) + data


class ReadsNoAnswer(Client):
    """Can't read Metadata, in whatever version."""

    def read(self, api_key, version, frame):
        if api_key == 3:
            raise Failed("what is this?")
        return super().read(api_key, version, frame)


def charged(client, *rules):
    return {each.rule for each in verdicts_of(client, rules) if each.verdict in BROKEN}


def test_a_client_that_never_asks_apiversions_is_not_judged_by_what_is_answered_to_it():
    groups = ("client-fallback", "client-versions")
    rules = [rule for rule in rules_with_scenarios() if rule.startswith(groups)]
    found = verdicts_of(NeverAsksVersions, rules)
    about = [each for each in found if each.message == "ApiVersionsRequest"]
    assert {each.rule for each in about if each.verdict in BROKEN} == {
        "client-versions.greets-each-connection"
    }
    of_invalid = [each for each in about if each.rule == "client-fallback.invalid-request-ends"]
    assert {each.verdict for each in of_invalid} == {"unsupported"}


def test_a_request_above_those_that_we_know_is_answered_as_kip_511_says_and_not_judged():
    visit = meet(KnowsANewerVersion(), SCENARIOS["Plain"])
    assert [each.version for each in visit.of("ApiVersions")] == [NEWER, 5]
    assert not any(each.wrong for each in visit.sent)


def test_a_client_that_knows_more_than_we_do_keeps_every_rule():
    assert not charged(KnowsANewerVersion)


def test_a_version_below_zero_is_judged():
    class AsksMinusOne(Client):
        def version_of(self, api_key):
            return -1 if api_key == 3 else super().version_of(api_key)

        def frame(self, api_key, version, number, wanted):
            whole = super().frame(api_key, abs(version), number, wanted)
            return whole[:6] + struct.pack(">h", version) + whole[8:]

    assert charged(AsksMinusOne, "client-requests.readable") == {"client-requests.readable"}


@pytest.mark.parametrize("name", ["MetadataMissing", "MetadataOutOfReach", "MetadataLowAboveHigh"])
def test_what_is_not_listed_is_not_answered(name):
    session = SCENARIOS[name]().session()
    assert session.receive(bare(18, 0))
    assert session.receive(bare(3, 1, struct.pack(">i", -1))) == []
    assert session.closed


def test_whoever_fails_without_the_one_thing_is_told_what_failed_first():
    rule = "client-answers.nulls-read"
    [verdict] = [
        each
        for each in verdicts_of(ReadsNoAnswer, [rule])
        if each.case == "MetadataRequest/nulls-in-metadata"
    ]
    assert verdict.verdict == "not-proven"
    assert "ApiVersionsRequest/serves-topics failed first" in verdict.detail


def test_a_client_that_fails_where_nothing_is_wrong_does_not_pass():
    [verdict] = [each for each in verdicts_of(ReadsNoAnswer) if each.verdict in BROKEN]
    assert verdict.rule == "client-versions.each-version-read"
    assert verdict.case == "ApiVersionsRequest/serves-topics"
    assert "what is this?" in verdict.detail


def test_what_comes_behind_a_request_that_nobody_can_read_is_not_charged():
    mutant = client_mutants()["NoTagsInHeadersOfMetadata"]
    behind = [each for each in verdicts_of(mutant) if each.verdict == "not-proven" and each.actual]
    assert behind
    assert {each.detail.split()[0] for each in behind} == {mutant.breaks}


@pytest.mark.parametrize("name", CONTROLS)
def test_the_reference_client_holds_with_each_control_case(name):
    CONTROLS[name].holds(meet(Client(), CONTROLS[name]))


def test_every_api_whose_answer_is_played_is_one():
    requests = definitions().requests.values()
    played = {each.answered_api() for each in SCENARIOS.values()} - {""}
    assert {f"{api}Request" for api in played} <= set(requests)


class AsksMetadataAndHangs(Client):
    """Asks what is not listed, and comes to no end."""

    def version_of(self, api_key):
        return super().version_of(api_key) if api_key in self.served else 0

    def topics(self):
        try:
            yield from super().topics()
        except Lost:
            yield Wait(PATIENCE_S)


def test_what_was_sent_is_a_failure_however_the_client_ended():
    rule = "client-versions.unlisted-is-not-asked"
    found = [each for each in verdicts_of(AsksMetadataAndHangs, [rule]) if each.rule == rule]
    of_metadata = [each for each in found if each.case == "MetadataRequest/metadata-missing"]
    assert [(each.outcome, each.verdict) for each in of_metadata] == [("hung", "fail")]
