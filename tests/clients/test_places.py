"""Each of the header's and the tags' rules is broken by its own defect and by no other's."""

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios.requests.headers import tags_where_flexible
from conformance.clients.scenarios.visit import Sent, Visit
from conformance.clients.score import verdicts_of
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.client import Client, Failed
from conformance.results.lines import BROKEN

HEADERS = {
    "request-header.v1-fields",
    "request-header.flexible-adds-tags",
    "request-header.client-id-not-compact",
}
PLACES = {
    "tags.unknown-skipped",
    "tags.unknown-skipped-in-element",
    "tags.unknown-skipped-in-struct",
    "response-header.unknown-tag-skipped",
}


API_VERSIONS_V0 = bytes.fromhex("0012 0000 00000001 0002 6d65")
METADATA_V1 = bytes.fromhex("0003 0001 00000001 0002 6d65")
NO_TOPICS = bytes.fromhex("ffffffff")


def asked(api, frame):
    version = int.from_bytes(frame[2:4], "big")
    return Visit(sent=[Sent(0.0, 0, 1, frame, api, version, None, None, "can't be read")])


def broken(client, rules):
    return {each.rule for each in verdicts_of(client, rules) if each.verdict in BROKEN} & set(rules)


def mutants_of(rules):
    return [name for name, each in client_mutants().items() if each.breaks in rules]


@pytest.mark.parametrize("name", mutants_of(HEADERS))
def test_a_wrong_request_header_breaks_the_rule_that_it_is_about(name):
    mutant = client_mutants()[name]
    assert broken(mutant, HEADERS) == {mutant.breaks}


@pytest.mark.parametrize("name", mutants_of(PLACES))
def test_tags_that_are_not_skipped_break_the_rule_of_their_place(name):
    mutant = client_mutants()[name]
    assert broken(mutant, PLACES) == {mutant.breaks, *mutant.implies}


def test_a_missing_tag_section_is_a_matter_of_the_header():
    [rule] = broken(client_mutants()["NoTagsInHeaders"], HEADERS)
    assert rule == "request-header.flexible-adds-tags"


def test_a_byte_behind_the_body_is_none():
    assert not broken(client_mutants()["ByteBehindTheBody"], HEADERS)


def test_a_zero_behind_no_body_may_be_of_either():
    with pytest.raises(NotApplicable):
        tags_where_flexible(asked("ApiVersions", API_VERSIONS_V0 + b"\0"))


def test_a_zero_before_a_body_is_of_the_header():
    with pytest.raises(Broken, match="Metadata v1 has a header with a tag section"):
        tags_where_flexible(asked("Metadata", METADATA_V1 + b"\0" + NO_TOPICS))


def test_a_body_that_is_wrong_is_none():
    class LosesTheLastByte(Client):
        def frame(self, api_key, version, number, wanted):
            whole = super().frame(api_key, version, number, wanted)
            return len(whole[4:-1]).to_bytes(4, "big") + whole[4:-1]

    assert not broken(LosesTheLastByte, HEADERS)
    assert broken(LosesTheLastByte, ["client-requests.readable"])


class KnowsNoLeaders(Client):
    def read(self, api_key, version, frame):
        value = super().read(api_key, version, frame)
        if "currentLeader" in str(value):
            raise Failed("a leader that was not asked for")
        return value


def test_a_client_that_is_told_of_no_leader_is_not_blamed_for_the_tags_there():
    rule = "tags.unknown-skipped-in-struct"
    assert {each.verdict for each in verdicts_of(KnowsNoLeaders, [rule])} == {"not-proven"}


def test_response_headers_are_judged_where_the_other_kind_is_read():
    rules = ["response-header.v0-fields", "response-header.flexible-adds-tags"]
    assert broken(client_mutants()["TagsInEveryAnswer"], rules) == {rules[0]}
    assert broken(client_mutants()["NoTagsInHeadersOfAnswers"], rules) == {rules[1]}
