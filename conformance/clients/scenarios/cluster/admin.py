"""An application's requests about a cluster: groups of any type, their offsets, configs, ends of
topics.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from conformance.api_keys import OFFSET_FETCH
from conformance.clients.scenarios.actions import BESIDE, PLAYED
from conformance.clients.scenarios.cluster.nodes import SECOND
from conformance.clients.scenarios.groups.committing import CommittedBefore
from conformance.clients.scenarios.judging import asks_broker
from conformance.clients.scenarios.plain_brokers import (
    ServesBrokers,
    ServesGroups,
    ServesListing,
    ServesLookups,
    ServesTopics,
)
from conformance.clients.scenarios.playing import Closes
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.releases import Ranges

NULL_SINCE = 2
"""The first version of OffsetFetch in which null stands for all topics, and of ListOffsets with an
isolation level.
"""
GROUPS_SINCE = 8


def asks_for_all(visit: Visit) -> None:
    """Judge that OffsetFetch has null in place of topics, which means all of them."""
    asked = [each for each in visit.of("OffsetFetch") if each.value and each.version >= NULL_SINCE]
    require(asked, "it asked no OffsetFetch that may be about all topics")
    for each in asked:
        value: Value = each.value or {}
        groups = value["groups"] if each.version >= GROUPS_SINCE else [value]
        for group in groups:
            if group["topics"] is not None:
                what = f"OffsetFetch v{each.version} has the topics {group['topics']}"
                raise Broken(what, "null, which is all", each.frame)


def lists_all(visit: Visit) -> None:
    """Judge that all topics are asked for: by null, or by an empty list in version 0."""
    asked = require([each for each in visit.of("Metadata") if each.value], "it asked no Metadata")
    for each in asked:
        topics = (each.value or {})["topics"]
        if topics is None or (not each.version and not topics):
            return
    last = asked[-1]
    what = f"Metadata v{last.version} has the topics {(last.value or {})['topics']}"
    raise Broken(what, "null, which is all", last.frame)


class AllTopics(Scenario, about="MetadataRequest"):
    """Is asked for all topics."""

    decides: ClassVar = {"client-requests.all-topics-asked": lists_all}


class _Committed(CommittedBefore, is_known=False, action="offsets"):
    """Has an offset of the group, and serves one version of OffsetFetch."""

    about = "OffsetFetchRequest"
    control_case = ServesTopics


for _version in range(NULL_SINCE, PLAYED[OFFSET_FETCH][1] + 1):
    _Committed.variant(
        f"AllOffsetsInV{_version}",
        f"Is asked for all that a group committed in OffsetFetch v{_version} alone.",
        served={OFFSET_FETCH: (_version, _version)},
        decides={"client-requests.null-for-all": asks_for_all},
    )


def tells_what_is_committed(visit: Visit) -> None:
    """Judge that each ListOffsets asks for committed records alone."""
    asked = [each for each in visit.of("ListOffsets") if each.value]
    require(asked, "it asked no ListOffsets")
    for each in asked:
        level: int | None = None
        if each.version >= NULL_SINCE and each.value:
            level = each.value["isolationLevel"]
        if level != 1:
            said = "does not say what is to be read" if level is None else f"says {level}"
            raise Broken(f"ListOffsets v{each.version} {said}", "isolation level 1", each.frame)


class EndOfCommitted(Scenario, about="ListOffsetsRequest", action="ends"):
    """Serves ListOffsets in all versions, to a client that reads nothing but what is committed."""

    decides: ClassVar = {"client-requests.isolation-told": tells_what_is_committed}


class NoPartitionsToEnd(Scenario, about="MetadataRequest", action="ends"):
    """Tells in Metadata of no partitions of the topic whose end is asked."""

    decides: ClassVar = {"client-answers.missing-partition-survived": survives}

    def described_topic(self, topic: Topic) -> Value:
        return {**super().described_topic(topic), "partitions": []}


_OF_CONFIGS = "DescribeConfigs"


class _ConfigsOfOne(Scenario, about="DescribeConfigsRequest", action="configs"):
    """The broker whose configs are asked, beside one that is the controller."""

    configured: ClassVar = {"controller": SECOND}


class _ClosesOnConfigs(Closes, about="DescribeConfigsRequest", action="brokers"):
    """Closes the connection on DescribeConfigs."""


class ConfigsHalfClosed(ServesBrokers):
    """Describes its configs to a client that asks those of a broker as well that closes on it."""

    others: ClassVar = {SECOND: _ClosesOnConfigs}
    decides: ClassVar = {"client-answers.end-survived": survives}


class ConfigsElsewhere(_ConfigsOfOne):
    """Is broker 2 and the controller, to a client that asks for the configs of broker 1."""

    others: ClassVar = {1: _ConfigsOfOne}
    decides: ClassVar = {"client-requests.configs-of-that-broker": asks_broker(_OF_CONFIGS, 1)}
    configured: ClassVar = {"node_id": SECOND}


def each_once(visit: Visit) -> None:
    """The client says each group once, where it says any."""
    require(visit.ended.text, "the driver does not tell of the groups")
    succeeds(visit)
    twice = [name for name, count in Counter(visit.ended.text.split()).items() if count > 1]
    if twice:
        raise Broken(f"it tells of {', '.join(twice)} more than once", "once", visit.ended.text)


class ListedTwice(ServesListing):
    """Tells of a group that another broker tells of as well, as both may when it is moved."""

    others: ClassVar = {SECOND: ServesListing}
    control_case = ServesListing
    decides: ClassVar = {"client-answers.groups-told-once": each_once}


class _MemberInside(ServesGroups, about="DescribeGroupsRequest"):
    """Describes groups that have a member."""

    control_case = ServesGroups
    state: ClassVar[str] = "Stable"
    member: ClassVar[Value] = {"memberMetadata": "", "memberAssignment": ""}

    def described_group(self, request: Request, name: str) -> Value:
        inside = {"memberId": "m", "groupInstanceId": None, "clientId": "c", "clientHost": "/h"}
        told = {"groupState": self.state, "protocolData": "range"}
        members = [{**inside, **self.member}]
        return {**super().described_group(request, name), **told, "members": members}


_READ = {"client-answers.members-of-groups-read": succeeds}


class MemberWithoutMetadata(_MemberInside):
    """Describes a group that rebalances, and whose member has no metadata and no share."""

    state = "PreparingRebalance"
    decides: ClassVar = _READ


class MemberWithUserData(_MemberInside):
    """Describes a group whose member has data of its own beside its subscription and its share."""

    decides: ClassVar = _READ
    member: ClassVar = {
        "memberMetadata": "AAAAAAABAAZldmVudHMAAAAB/w==",
        "memberAssignment": "AAAAAAABAAZldmVudHMAAAABAAAAAAAAAAH/",
    }


class MemberWithNullUserData(_MemberInside):
    """Describes a group whose member has null in place of data of its own."""

    decides: ClassVar = _READ
    member: ClassVar = {
        "memberMetadata": "AAAAAAABAAZldmVudHP/////",
        "memberAssignment": "AAAAAAABAAZldmVudHMAAAABAAAAAP////8=",
    }


class GroupOfWorkers(Scenario, about="DescribeGroupsRequest", action="groups"):
    """Describes each group as one of Kafka Connect's workers."""

    control_case = ServesLookups
    decides: ClassVar = {"client-groups.other-types-survived": survives}

    @classmethod
    def beside(cls) -> Ranges:
        """Return the versions served where groups are looked up."""
        return BESIDE[ServesLookups.about]

    def described_group(self, request: Request, name: str) -> Value:
        """Return a group of another protocol, without members."""
        group = super().described_group(request, name)
        return {**group, "groupState": "Empty", "protocolType": "connect"}
