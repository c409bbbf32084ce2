"""Each entry of a request has its one result: in all APIs, and before any rule about effects."""

import pytest

from conformance.brokers.dialogues.entries import (
    ENTRIES,
    OTHERWISE,
    Entries,
    apis,
    difference,
    entries_of,
)
from conformance.brokers.dialogues.harmless import LEFT_OUT
from conformance.brokers.dialogues.results import SEVERAL, several
from conformance.brokers.dialogues.talk import ONE_FOR_EACH, Facts, Talk, api_keys
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import made_with, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.codec import ReferenceCodec

CODEC = ReferenceCodec()
EFFECTS = (
    "partitions.added",
    "topics.deleted-is-gone",
    "topics.created-with-configs",
    "configs.replaced-whole",
    ONE_FOR_EACH,
)


def owed_by(api: str, version: int) -> Entries:
    found = entries_of(api, version)
    assert found is not None
    return found


def has_lists(api: str, version: int) -> bool:
    forms = (CODEC.form(f"{api}{end}", version) for end in ("Request", "Response"))
    return all(any(each.type.element for each in form.layout.fields) for form in forms)


def test_each_api_with_lists_on_both_sides_owes_results_or_says_why_not():
    lists = {
        api
        for api in api_keys()
        for version in CODEC.versions(f"{api}Request")
        if has_lists(api, version)
    }
    assert lists <= {*apis(), *OTHERWISE, *LEFT_OUT}
    assert set(apis()).isdisjoint(OTHERWISE)
    assert all(each.source for each in ENTRIES)


@pytest.mark.parametrize("api", list(apis()))
def test_each_api_is_asked_with_several_entries(api):
    served = Broker(**made_with(ONE_FOR_EACH)).versions
    talk = Talk(Facts(served, writes=True))
    low, high = talk.facts.range_of(api)
    owed = owed_by(api, high)
    if api != "CreateAcls":
        assert len(several(talk, owed, high)[owed.levels[0].asked]) == SEVERAL
    verdicts = verdicts_of(stocked(Broker(**made_with(ONE_FOR_EACH))), ONE_FOR_EACH, quick=True)
    asked = {each.version for each in verdicts if each.message == f"{api}Request"}
    assert {high} <= asked
    assert {each.verdict for each in verdicts} == {"pass"}
    assert low <= high


def test_an_answer_that_fails_as_a_whole_owes_nothing():
    owed = owed_by("AlterPartitionReassignments", 0)
    asked = {"topics": [{"name": "a", "partitions": [{"partitionIndex": 0}]}]}
    assert difference(owed, asked, {"errorCode": 31, "responses": []}) == ""
    wrong = difference(owed, asked, {"errorCode": 0, "responses": []})
    assert wrong == 'no result for name "a"'


def test_results_inside_results_are_owed_as_well():
    owed = owed_by("DeleteRecords", 2)
    asked = {"topics": [{"name": "a", "partitions": [{"partitionIndex": 3}]}]}
    answer = {"topics": [{"name": "a", "partitions": []}]}
    assert difference(owed, asked, answer) == 'no result for partitionIndex 3 of name "a"'


def test_a_topic_to_delete_is_known_by_its_name_or_its_id():
    owed = owed_by("DeleteTopics", 6)
    one, zero = "x" * 21 + "A", "A" * 22
    asked = {"topics": [{"name": "a", "topicId": zero}, {"name": None, "topicId": one}]}
    both = [{"name": "a", "topicId": "y" * 21 + "A"}, {"name": "b", "topicId": one}]
    assert difference(owed, asked, {"responses": both}) == ""
    assert "no result" in difference(owed, asked, {"responses": both[:1]})
    stranger = {"name": "c", "topicId": "z" * 21 + "A"}
    assert "3 results for 2" in difference(owed, asked, {"responses": [*both, stranger]})
    alone = {"topics": [asked["topics"][0], asked["topics"][0], asked["topics"][1]]}
    assert "not asked for" in difference(owed, alone, {"responses": [*both, stranger]})


def test_each_api_has_mutants_that_leave_out_double_and_add_a_result():
    breaking = {m.__name__ for m in broker_mutants().values() if m.breaks == ONE_FOR_EACH}
    for api in apis():
        assert {f"{api}LastLeftOut", f"{api}FirstTwice"} <= breaking
        assert (f"{api}StrangerAdded" in breaking) == bool(ENTRIES_BY_API[api].levels[-1].by)


ENTRIES_BY_API = {each.api: each for each in ENTRIES}


class GrowthHasNoResults(Broker):
    """Adds partitions, and answers with nothing about the topics that it added them to."""

    def create_partitions(self, request: Request) -> Value:
        """The failures alone."""
        found = super().create_partitions(request)
        return {**found, "results": [each for each in found["results"] if each["errorCode"]]}


class DeletionHasNoResults(Broker):
    """The same for DeleteTopics."""

    def delete_topics(self, request: Request) -> Value:
        """The failures alone."""
        found = super().delete_topics(request)
        return {**found, "responses": [each for each in found["responses"] if each["errorCode"]]}


class DescribesNothing(Broker):
    """Answers DescribeConfigs without results and without an error."""

    def describe_configs(self, request: Request) -> Value:
        """None."""
        return {**super().describe_configs(request), "results": []}


@pytest.mark.parametrize(
    ("broker", "api", "effect"),
    [
        (GrowthHasNoResults, "CreatePartitions", "partitions.added"),
        (DeletionHasNoResults, "DeleteTopics", "topics.deleted-is-gone"),
        (DescribesNothing, "DescribeConfigs", "topics.created-with-configs"),
    ],
)
def test_results_that_are_missing_are_not_blamed_on_effects(broker, api, effect):
    verdicts = verdicts_of(stocked(broker()), *EFFECTS, quick=True)
    failed = {(each.rule, each.message) for each in verdicts if each.verdict == "fail"}
    assert failed == {(ONE_FOR_EACH, f"{api}Request")}
    [first, *_] = (each.detail for each in verdicts if each.rule == effect)
    assert first.startswith(f"{ONE_FOR_EACH} is broken first: the answer to {api}")
