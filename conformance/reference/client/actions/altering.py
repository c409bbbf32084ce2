"""Changes that an application asks for: of configs, ACLs, offsets, a topic; and its log dirs."""

from __future__ import annotations

from typing import Any

from conformance.api_keys import (
    ALTER_CONFIGS,
    CREATE_ACLS,
    DELETE_ACLS,
    DELETE_TOPICS,
    DESCRIBE_ACLS,
    DESCRIBE_LOG_DIRS,
    INCREMENTAL_ALTER_CONFIGS,
    OFFSET_DELETE,
)
from conformance.reference.client.actions.changing import Changing
from conformance.reference.client.actions.groups import Groups
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Failed, Trying
from conformance.testee_protocol import Value

BROKER = 4
"""The type of a resource of configs."""
STRUCTS_SINCE = 6
"""The first version of DeleteTopics that has a struct for each topic."""
OTHER_TOPIC = "orders.v2"
THIS_BROKER = 1
CONFIG = {"name": "log.cleaner.threads", "value": "2"}
ACL = {
    "resourceType": 2,
    "resourceName": TOPIC,
    "resourcePatternType": 3,
    "principal": "User:alice",
    "host": "*",
    "operation": 3,
    "permissionType": 3,
}
"""An ACL that allows `alice` to read the topic `events`."""
FILTER = {
    "resourceTypeFilter": ACL["resourceType"],
    "resourceNameFilter": ACL["resourceName"],
    "patternTypeFilter": ACL["resourcePatternType"],
    "principalFilter": ACL["principal"],
    "hostFilter": ACL["host"],
    "operation": ACL["operation"],
    "permissionType": ACL["permissionType"],
}
"""A filter that matches this ACL."""


class Altering(Changing, Groups):
    """The actions that change a cluster, each sent to the broker that has to do it."""

    def reach_this_broker(self) -> Course:
        """Connect to the broker that alone may answer. Raises Failed."""
        answer = yield from self.metadata()
        if not (yield from self.reach(answer, self.broker_to_ask(answer))):
            raise Failed(f"there is no broker {THIS_BROKER}")

    def broker_to_ask(self, answer: Value) -> int:
        """Return the broker itself, in any order of Metadata."""
        del answer
        return THIS_BROKER

    def alter(self) -> Course:
        """Set one config of a broker."""
        yield from self.change(INCREMENTAL_ALTER_CONFIGS)

    def replace(self) -> Course:
        """Give a broker this config, and no other."""
        yield from self.change(ALTER_CONFIGS)

    def change(self, api_key: int) -> Course:
        """Change the configs of a broker by one request or the other."""
        yield from self.reach_this_broker()
        resource = {"resourceType": BROKER, "resourceName": str(THIS_BROKER), "configs": [CONFIG]}
        answer = yield from self.ask_as_given(api_key, {"resources": [resource]})
        for each in answer["responses"]:
            self.check(each["errorCode"], f"the configs of broker {THIS_BROKER}")

    def wanted(self, api_key: int, change: Value) -> Value:
        """Return a change as it is asked for."""
        del api_key
        return change

    def acls(self) -> Course:
        """Create an ACL, describe it and delete it."""
        yield from self.metadata()
        created = yield from self.ask_as_given(CREATE_ACLS, {"creations": [ACL]})
        for each in created["results"]:
            self.check(each["errorCode"], "the ACL that is to be created")
        described = yield from self.ask_as_given(DESCRIBE_ACLS, FILTER)
        self.check(described["errorCode"], "the ACLs")
        if not described["resources"]:
            raise Failed("the ACL that was created is not there")
        deleted = yield from self.ask_as_given(DELETE_ACLS, {"filters": [FILTER]})
        for each in deleted["filterResults"]:
            self.check(each["errorCode"], "the ACL that is to be deleted")

    def ask_as_given(self, api_key: int, change: Value) -> Any:
        """Ask for a change, and return the answer."""
        wanted = self.wanted(api_key, change)
        return (yield from self.ask(api_key, self.version_of(api_key), wanted))

    def forget(self) -> Course:
        """Delete the offset that a group committed of a partition."""
        yield from self.trying(self.delete_offset, "the offsets of group-a")

    def delete_offset(self) -> Trying:
        """Delete the offset at the group's present coordinator; return the first error code."""
        yield from self.metadata()
        found = (yield from self.coordinators(["group-a"]))["group-a"]
        if found["errorCode"]:
            return int(found["errorCode"])
        yield from self.reach_for_offsets(found)
        topic = {"name": TOPIC, "partitions": [{"partitionIndex": 0}]}
        wanted = {"groupId": "group-a", "topics": [topic]}
        answer = yield from self.ask_as_given(OFFSET_DELETE, wanted)
        codes = [one["errorCode"] for each in answer["topics"] for one in each["partitions"]]
        return next((int(each) for each in (answer["errorCode"], *codes) if each), 0)

    def reach_for_offsets(self, coordinator: Value) -> Course:
        """Connect to the group's coordinator."""
        yield from self.connect((coordinator["host"], coordinator["port"]))

    def delete_topic(self) -> Course:
        """Delete a topic."""
        yield from self.trying(self.delete_once, f"the topic {OTHER_TOPIC}")

    def delete_once(self) -> Trying:
        """Delete the topic at the present controller; return the error code."""
        yield from self.reach_controller()
        is_named = self.version_of(DELETE_TOPICS) < STRUCTS_SINCE
        given = {"topicNames": [OTHER_TOPIC]} if is_named else {"topics": [{"name": OTHER_TOPIC}]}
        answer = yield from self.ask_as_given(DELETE_TOPICS, {**given, "timeoutMs": 5000})
        return next((int(each["errorCode"]) for each in answer["responses"]), 0)

    def dirs(self) -> Course:
        """Describe the log dirs of a broker."""
        yield from self.reach_this_broker()
        answer = yield from self.ask_as_given(DESCRIBE_LOG_DIRS, {"topics": None})
        for each in (answer, *answer["results"]):
            self.check(each.get("errorCode", 0), f"the log dirs of broker {THIS_BROKER}")
