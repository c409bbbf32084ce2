"""FindCoordinator on brokers that know batches of keys and on those that do not (KIP-699).

A client may ask any broker who looks after a group. During an upgrade one of them takes many keys
and the next one takes one, so what is sent has to fit the broker that it is sent to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import BESIDE
from conformance.clients.scenarios.judging import (
    BATCHES_SINCE,
    all_of,
    keys_fit,
    never_above,
    where_asked,
    where_usual,
)
from conformance.clients.scenarios.plain_brokers import ServesLookups
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.each_version import ALONE
from conformance.clients.scenarios.visit import Visit, require, succeeds, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker import errors
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import Ranges

NEW, OLD = (0, 6), (0, 3)
SECOND = 2
OLD_GROUPS = 1
"""The highest version of DescribeGroups that the older of two brokers has."""
GROUPS = ("group-a", "group-b")
HOMES = {GROUPS[0]: SECOND}
"""The coordinators by group; the first broker coordinates all other groups."""


class OneKeyAtATime(Scenario, about="FindCoordinatorRequest", action="groups"):
    """Serves FindCoordinator up to version 3, which has one key."""

    served: ClassVar = {10: OLD}
    answers = "ApiVersions"
    controls: ClassVar = {"client-coordinators.batch-is-split": ALONE[10, OLD[1]]}
    decides: ClassVar = {
        "client-coordinators.keys-fit": keys_fit,
        "client-coordinators.batch-is-split": where_usual("FindCoordinator", succeeds),
    }


def joined(visit: Visit) -> None:
    """Judge that the client succeeds, if two of its requests came together."""
    require(visit.together, "no two of its requests came together")
    succeeds(visit)


class JoinedAnswers(Scenario, about="FindCoordinatorRequest", action="groups"):
    """Sends the answers to requests that come together in one piece."""

    served: ClassVar = {10: OLD}
    control_case = OneKeyAtATime
    decides: ClassVar = {"client-answers.joined": joined}

    class Sessions(Session):
        """Joins what it writes."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            whole = b"".join(super().answers(data))
            if whole:
                yield whole


class ManyKeysAtOnce(Scenario, about="FindCoordinatorRequest", action="groups"):
    """Serves FindCoordinator in versions 4 and above alone, which have many keys."""

    served: ClassVar = {10: (4, 6)}
    decides: ClassVar = {"client-coordinators.keys-fit": keys_fit}


def many_keys_known(visit: Visit) -> None:
    """Judge that FindCoordinator is asked in a version that has many keys."""
    for each in visit.of("FindCoordinator"):
        if each.version < BATCHES_SINCE:
            what = f"FindCoordinator v{each.version} was asked of a broker that has v{NEW[1]}"
            raise Broken(what, f"v{BATCHES_SINCE} or above", each.frame)


def keys_together(visit: Visit) -> None:
    """The first FindCoordinator that may have many keys has those of both groups."""
    asked = [each for each in visit.of("FindCoordinator") if each.version >= BATCHES_SINCE]
    first = next((each for each in asked if each.value), None)
    if first is None or first.value is None:
        raise NotApplicable("it asked no FindCoordinator that may have many keys")
    keys = first.value["coordinatorKeys"]
    if not set(GROUPS) <= set(keys):
        raise Broken(
            f"the first FindCoordinator has the keys {keys}", ", ".join(GROUPS), first.frame
        )


class OneKeyOrMany(Scenario, about="FindCoordinatorRequest", action="groups"):
    """Serves FindCoordinator in versions with one key and in those with many."""

    served: ClassVar = {10: NEW}
    decides: ClassVar = {
        "client-coordinators.many-where-served": many_keys_known,
        "client-coordinators.keys-together": keys_together,
    }


class _OfTwo(Scenario, about="FindCoordinatorRequest", action="groups"):
    """One of two brokers, each of which looks after one group."""

    def coordinator(self, request: Request, key: str) -> Value:
        found = super().coordinator(request, key)
        home = HOMES.get(key, self.company[0].node_id)
        for each in self.company:
            if each.node_id == home and found["errorCode"] == error_codes.NONE:
                return {**found, "nodeId": home, "host": each.host, "port": each.port}
        return found

    def described_group(self, request: Request, name: str) -> Value:
        """Return the group; NOT_COORDINATOR for groups that another broker coordinates."""
        group = super().described_group(request, name)
        home = HOMES.get(name, self.company[0].node_id)
        return (
            group if home == self.node_id else {**group, "errorCode": error_codes.NOT_COORDINATOR}
        )


class _New(_OfTwo):
    """One that takes many keys."""

    served: ClassVar = {10: NEW}


class _Old(_OfTwo):
    """One that takes one key, and is older in other requests, too."""

    served: ClassVar = {10: OLD, 15: (0, OLD_GROUPS), 3: (0, 8)}


class OldAlone(Scenario, about="FindCoordinatorRequest", action="groups"):
    """Serves what the older of two brokers has, and has no other beside it."""

    served: ClassVar = _Old.served


class NewBesideOld(_New):
    """Is asked first and takes many keys; a second broker takes one."""

    others: ClassVar = {SECOND: _Old}
    control_case = OldAlone
    decides: ClassVar = {
        "client-coordinators.keys-fit": keys_fit,
        "client-versions.list-of-this-broker": all_of(
            where_asked(
                "DescribeGroups", never_above("DescribeGroups", OLD_GROUPS, SECOND), node=SECOND
            ),
            never_above("FindCoordinator", OLD[1], SECOND),
            never_above("Metadata", 8, SECOND),
        ),
        "client-coordinators.found-on-each": succeeds,
    }


class OldBesideNew(_Old):
    """Is asked first and takes one key; a second broker takes many."""

    others: ClassVar = {SECOND: _New}
    control_case = OldAlone
    decides: ClassVar = {
        "client-coordinators.keys-fit": keys_fit,
        "client-versions.list-of-this-broker": all_of(
            where_asked("DescribeGroups", never_above("DescribeGroups", OLD_GROUPS, 1), node=1),
            never_above("FindCoordinator", OLD[1], 1),
            never_above("Metadata", 8, 1),
        ),
        "client-coordinators.found-on-each": succeeds,
    }


class _HangsUpOnce(_OfTwo):
    """Hangs up on the first FindCoordinator of all, so that another broker may be asked."""

    hung_up = False

    def find_coordinator(self, request: Request) -> Value:
        first = self.company[0]
        assert isinstance(first, _HangsUpOnce)
        if self is first and not first.hung_up:
            first.hung_up = True
            raise Hangup
        return super().find_coordinator(request)


_LOST = {
    "client-coordinators.keys-fit": keys_fit,
    "client-answers.end-survived": survives,
}


class NewLostBesideOld(_HangsUpOnce, _New):
    """Takes many keys and hangs up on the first of them; a second broker takes one."""

    others: ClassVar = {SECOND: _Old}
    decides: ClassVar = _LOST


class OldLostBesideNew(_HangsUpOnce, _Old):
    """Takes one key and hangs up on the first; a second broker takes many."""

    others: ClassVar = {SECOND: _New}
    decides: ClassVar = _LOST


_PASSES = {"client-coordinators.moved-is-asked-again": succeeds}


class _NotYet(Scenario, action="groups"):
    """Answers with an error that passes, the first time."""

    code: ClassVar[int]
    answered = False

    def passing(self, entry: Value) -> Value:
        """An entry of an answer, with the error or without it."""
        return {**entry, "errorCode": self.code} if not self.answered else entry


class _GroupsNotYet(_NotYet, about="DescribeGroupsRequest"):
    """Is not the coordinator yet, to DescribeGroups."""

    control_case = ServesLookups

    @classmethod
    def beside(cls) -> Ranges:
        """Return the versions served where groups are looked up."""
        return BESIDE[ServesLookups.about]

    def describe_groups(self, request: Request) -> Value:
        answer = super().describe_groups(request)
        answer["groups"] = [self.passing(each) for each in answer["groups"]]
        self.answered = True
        return answer


class CoordinatorMoved(_GroupsNotYet):
    """Answers the first DescribeGroups with NOT_COORDINATOR."""

    code = error_codes.NOT_COORDINATOR
    decides: ClassVar = _PASSES


class CoordinatorLoads(_GroupsNotYet):
    """Answers the first DescribeGroups with COORDINATOR_LOAD_IN_PROGRESS."""

    code = error_codes.COORDINATOR_LOAD_IN_PROGRESS
    decides: ClassVar = _PASSES


class CoordinatorNotThereYet(_NotYet, about="FindCoordinatorRequest"):
    """Answers the first FindCoordinator with COORDINATOR_NOT_AVAILABLE."""

    code = error_codes.COORDINATOR_NOT_AVAILABLE
    decides: ClassVar = _PASSES

    def coordinator(self, request: Request, key: str) -> Value:
        if self.answered:
            return super().coordinator(request, key)
        return self.no_coordinator(errors.Refused(self.code))

    def find_coordinator(self, request: Request) -> Value:
        answer = super().find_coordinator(request)
        self.answered = True
        return answer


class ServesReader(Scenario, about="FindCoordinatorRequest", action="resume"):
    """A broker whose FindCoordinator is as others have it, to a reader that is no member."""


class ServesMember(Scenario, about="FindCoordinatorRequest", action="join"):
    """A broker whose FindCoordinator is as others have it, to a member."""


class CoordinatorNotThereYetForReader(CoordinatorNotThereYet, action="resume"):
    """Answers the first FindCoordinator of a reader that is no member so."""

    control_case = ServesReader


class CoordinatorNotThereYetForMember(CoordinatorNotThereYet, action="join"):
    """Answers the first FindCoordinator of a member so."""

    control_case = ServesMember
