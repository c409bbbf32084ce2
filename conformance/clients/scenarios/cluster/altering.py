"""Altering and deleting, and log dirs: requests with the given values, to the right broker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import ALTERED, FILLED, OTHER, PRINCIPAL, Action
from conformance.clients.scenarios.cluster.nodes import SECOND
from conformance.clients.scenarios.judging import all_of, asks_broker
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.playing import in_camel_case
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import Visit, judgement, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.admin.access import ALLOW, LITERAL, READ
from conformance.reference.broker.admin.configs import BROKER, SET
from conformance.reference.broker.cluster import TOPIC, Request, Value
from conformance.results.text import json_text

FIRST = 1
GROUP = "group-a"
_CONFIG = {"name": ALTERED[0], "configOperation": SET, "value": ALTERED[1]}
_RESOURCE = {"resourceType": BROKER, "resourceName": str(FIRST), "configs": [_CONFIG]}
_CHANGE: Value = {"resources": [_RESOURCE], "validateOnly": False}
_MAY = {"operation": READ, "permissionType": ALLOW}
_ACL = {
    "resourceType": TOPIC,
    "resourceName": FILLED,
    "resourcePatternType": LITERAL,
    "principal": PRINCIPAL,
    "host": "*",
    **_MAY,
}
_FILTER: Value = {
    "resourceTypeFilter": TOPIC,
    "resourceNameFilter": FILLED,
    "patternTypeFilter": LITERAL,
    "principalFilter": PRINCIPAL,
    "hostFilter": "*",
    **_MAY,
}
_GIVEN: dict[str, tuple[Action, Value]] = {
    "IncrementalAlterConfigs": ("alter", _CHANGE),
    "AlterConfigs": ("replace", _CHANGE),
    "CreateAcls": ("acls", {"creations": [_ACL]}),
    "DescribeAcls": ("acls", _FILTER),
    "DeleteAcls": ("acls", {"filters": [_FILTER]}),
    "OffsetDelete": (
        "forget",
        {
            "groupId": GROUP,
            "topics": [{"name": FILLED, "partitions": [{"partitionIndex": 0}]}],
        },
    ),
    "DeleteTopics": ("delete", {"topicNames": [OTHER], "topics": [{"name": OTHER}]}),
    "DescribeLogDirs": ("dirs", {"topics": None}),
}
"""By API: the action, and the fields of its request."""


def difference(given: Any, found: Any, name: str = "it") -> str:
    """Return the difference of a value from the given one, as far as its version has it, or ""."""
    if isinstance(given, dict) and isinstance(found, dict):
        inside = [difference(given[key], found[key], key) for key in given if key in found]
    elif isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        inside = [difference(one, other, name) for one, other in zip(given, found, strict=True)]
    else:
        what = f"{name} is {json_text(found)}, and {json_text(given)} was given"
        inside = [what if given != found else ""]
    return next(filter(None, inside), "")


def _deletion(value: Value) -> Value:
    """A DeleteTopics that has a topic's id, as if it had its name."""
    ids = {id_of(OTHER): OTHER}
    named = [{"name": ids.get(each["topicId"], each["name"])} for each in value.get("topics", ())]
    return {**value, "topics": named} if "topics" in value else value


def _dirs(value: Value) -> Value:
    """A DescribeLogDirs that names topics, as if it had all where the filled one is among them."""
    named = [each["topic"] for each in value["topics"] or ()]
    return {**value, "topics": None} if FILLED in named else value


_SAME: dict[str, Callable[[Value], Value]] = {"DeleteTopics": _deletion, "DescribeLogDirs": _dirs}
"""Other requests with the same meaning, by API."""


def _is_about(given: Value, found: Value) -> bool:
    """True if a request is about anything: one that has no elements changes nothing."""
    lists = [key for key, each in given.items() if isinstance(each, list) and key in found]
    return not lists or any(found[key] for key in lists)


@judgement
def as_given(visit: Visit, api: str, given: Value) -> None:
    """Judge that each request of an API has what the application gave, and nothing else."""
    asked = [each for each in visit.of(api) if each.value is not None and not each.wrong]
    require(asked, f"it did not ask {api}")
    for each in asked:
        found = _SAME.get(api, dict)(each.value or {})
        differs = difference(given, found)
        if differs and _is_about(given, found):
            raise Broken(f"{api} v{each.version}: {differs}", str(given), each.frame)


for _api, (_action, _value) in _GIVEN.items():
    Scenario.variant(
        f"OneOf{_api}",
        f"Is asked for one {_api}, and looks at what it is about.",
        about=f"{_api}Request",
        action=_action,
        control_case=ServesTopics,
        decides={"client-requests.asked-as-given": as_given(_api, _value)},
    )


class _Controlled(Scenario):
    """The broker that something is asked of, beside one that is the controller."""

    configured: ClassVar = {"controller": SECOND}


class _Controller(_Controlled):
    """The controller, whose address the client gets first."""

    configured: ClassVar = {"node_id": SECOND}


_OF_THAT_BROKER = ("IncrementalAlterConfigs", "AlterConfigs", "DescribeLogDirs")
for _api in _OF_THAT_BROKER:
    _action = _GIVEN[_api][0]
    _shared = {"__module__": __name__, "about": f"{_api}Request", "action": _action}
    _one = type(f"_OneOfTwoFor{_api}", (_Controlled,), _shared)
    _Controller.variant(
        f"{_api}Elsewhere",
        f"Is broker 2 and the controller, to a client that asks broker 1 for {_api}.",
        **_shared,
        others={FIRST: _one},
        decides={"client-requests.broker-itself-asked": asks_broker(_api, FIRST)},
    )


class _OfTwo(Scenario, about="OffsetDeleteRequest", action="forget"):
    """One of two brokers, the second of which looks after the group."""

    def coordinator(self, request: Request, key: str) -> Value:
        found = super().coordinator(request, key)
        home = self.company[-1]
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}

    def offset_delete(self, request: Request) -> Value:
        answer = super().offset_delete(request)
        is_home = self is self.company[-1]
        return answer if is_home else {**answer, "errorCode": error_codes.NOT_COORDINATOR}


def at_coordinator(visit: Visit) -> None:
    """Judge that OffsetDelete goes to the group's coordinator, and to no other broker."""
    asked = require(visit.of("OffsetDelete"), "it did not ask OffsetDelete")
    for each in asked:
        if each.node != SECOND:
            what = f"OffsetDelete v{each.version} asks broker {each.node}"
            raise Broken(what, f"broker {SECOND}, which looks after the group", each.frame)


class OffsetsOfAnother(_OfTwo):
    """Is asked to delete the offset of a group that a second broker looks after."""

    others: ClassVar = {SECOND: _OfTwo}
    decides: ClassVar = {
        "client-coordinators.offsets-deleted-there": all_of(at_coordinator, succeeds)
    }


class _RefusesDeletion(Scenario, about="OffsetDeleteRequest", action="forget"):
    """Answers the first OffsetDelete with an error that passes."""

    code: ClassVar[int]
    left = 1

    def offset_delete(self, request: Request) -> Value:
        answer = super().offset_delete(request)
        self.left -= 1
        return answer if self.left < 0 else {**answer, "topics": [], "errorCode": self.code}


for _name in ("NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"):
    _RefusesDeletion.variant(
        f"{in_camel_case(_name)}InOffsetDelete",
        f"Answers the first OffsetDelete with {_name}.",
        code=getattr(error_codes, _name),
        decides={"client-coordinators.moved-is-asked-again": succeeds},
    )
