"""When versions, fields and tags of a message came and went."""

from __future__ import annotations

import pytest

from conformance.definitions.evolution.history import History, State, UnknownHistory, history
from conformance.schema.releases import definitions, releases


def of(name: str) -> History:
    return history(name, [definitions(release) for release in reversed(releases())])


def field(found: History, place: str) -> list[State]:
    return next(list(states) for states in found.fields if states[-1].place == place)


def test_versions_came_and_went() -> None:
    told = [
        (
            each.since,
            each.until,
            str(each.valid),
            list(map(str, each.came)),
            list(map(str, each.went)),
        )
        for each in of("FetchRequest").ranges
    ]

    assert told[0] == ("2.8.2", "3.0.2", "0-12", ["0-12"], [])
    assert told[1] == ("3.1.2", "3.4.1", "0-13", ["13"], [])
    assert told[-2] == ("4.0.2", "4.0.2", "4-17", [], ["0-3"])
    assert told[-1] == ("4.1.2", "4.4.0", "4-18", ["18"], [])


def test_field_that_ended_with_a_version_has_both_states() -> None:
    states = field(of("FetchRequest"), "ReplicaId")

    assert [(each.since, each.until, str(each.versions)) for each in states] == [
        ("2.8.2", "3.4.1", "0+"),
        ("3.5.2", "4.4.0", "0-14"),
    ]


def test_tagged_field_is_followed_by_its_tag() -> None:
    states = field(of("PartitionRecord"), "LastKnownElr")

    assert [(each.since, each.until, each.place, each.tag) for each in states] == [
        ("3.7.2", "3.7.2", "LastKnownELR", 2),
        ("3.8.1", "4.4.0", "LastKnownElr", 2),
    ]


def test_struct_that_was_renamed_keeps_what_is_in_it() -> None:
    found = of("FetchResponse")

    assert [each.name for each in field(found, "Responses.Partitions")] == [
        "PartitionResponses",
        "Partitions",
    ]
    assert len(field(found, "Responses.Partitions.HighWatermark")) == 1


@pytest.mark.parametrize("name", ["AlterIsrRequest", "AlterPartitionRequest"])
def test_message_is_found_by_any_name_that_it_had(name: str) -> None:
    found = of(name)

    assert found.name == "AlterPartitionRequest"
    assert [each.name for each in found.ranges][:2] == ["AlterIsrRequest", "AlterPartitionRequest"]


def test_field_that_went_in_the_middle_comes_last_and_has_its_end() -> None:
    *_, gone = of("AlterIsrRequest").fields

    assert [(each.since, each.until, each.name) for each in gone] == [
        ("2.8.2", "3.2.3", "Name"),
        ("3.3.2", "3.9.2", "TopicName"),
    ]


def test_fields_of_a_retired_message_end_with_it() -> None:
    found = of("LeaderAndIsrRequest")

    assert {states[-1].until for states in found.fields} == {"3.9.2"}
    assert str(found.ranges[-1].valid) == "none"


def test_unstable_version_of_a_response_is_said_by_its_request() -> None:
    assert [each.unstable for each in of("ConsumerGroupHeartbeatResponse").ranges][:2] == [
        True,
        False,
    ]


def test_one_field_with_what_is_in_it() -> None:
    found = of("FetchRequest").of("forgottenTopicsData")

    assert [states[-1].place for states in found.fields] == [
        "ForgottenTopicsData",
        "ForgottenTopicsData.Topic",
        "ForgottenTopicsData.TopicId",
        "ForgottenTopicsData.Partitions",
    ]


def test_field_is_found_by_a_name_that_it_had() -> None:
    (states,) = of("PartitionRecord").of("LastKnownELR").fields

    assert states[-1].place == "LastKnownElr"


def test_unknown_names_are_told_with_near_ones() -> None:
    with pytest.raises(UnknownHistory, match=r"'FetchReq'.*did you mean FetchRequest"):
        of("FetchReq")
    with pytest.raises(UnknownHistory, match=r"'MinByte'.*did you mean MinBytes"):
        of("FetchRequest").of("MinByte")


def test_each_history_ends_with_what_the_newest_release_has() -> None:
    last = {name: of(name).ranges[-1] for name in definitions().names}

    assert [name for name, each in last.items() if each.until != releases()[0]] == []
    assert [name for name, each in last.items() if each.valid != definitions()[name].valid] == []
