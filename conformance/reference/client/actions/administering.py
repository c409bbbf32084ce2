"""Questions of an application about a cluster: groups, offsets, configs, ends of topics."""

from __future__ import annotations

from conformance import error_codes
from conformance.api_keys import DESCRIBE_CONFIGS, LIST_GROUPS, LIST_OFFSETS, OFFSET_FETCH
from conformance.reference.client.actions.groups import Groups
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Failed
from conformance.testee_protocol import Value

BROKER = 4
"""The type of a resource of configs."""
GROUPS_SINCE = 8
LATEST, COMMITTED = -1, 1


class Administering(Groups):
    """The actions that ask about a cluster, and change nothing."""

    def listing(self) -> Course:
        """List all groups: each broker lists those that it coordinates."""
        answer = yield from self.metadata()
        for node in answer["brokers"]:
            yield from self.connect((node["host"], node["port"]))
            listed = yield from self.ask(LIST_GROUPS, self.version_of(LIST_GROUPS), {})
            self.check(listed["errorCode"], f"the groups of broker {node['nodeId']}")
            self.told += [each["groupId"] for each in self.news(listed["groups"])]

    def news(self, groups: list[Value]) -> list[Value]:
        """Return the groups that were not reported yet."""
        return [each for each in groups if each["groupId"] not in self.told]

    def offsets(self) -> Course:
        """List all offsets that a group committed, of all topics."""
        yield from self.metadata()
        found = yield from self.coordinators(["group-a"])
        coordinator = found["group-a"]
        self.check(coordinator["errorCode"], "the coordinator of group-a")
        yield from self.connect((coordinator["host"], coordinator["port"]))
        version = self.version_of(OFFSET_FETCH)
        about = {"groupId": "group-a", "topics": self.all_topics(version)}
        wanted = about if version < GROUPS_SINCE else {"groups": [about]}
        answer = yield from self.ask(OFFSET_FETCH, version, wanted)
        for each in answer.get("groups", [answer]):
            self.check(each.get("errorCode", error_codes.NONE), "the offsets of group-a")

    def all_topics(self, version: int) -> list[Value] | None:
        """Return the value that asks for all topics; the oldest versions have none for it."""
        return None if version > 1 else []

    def describe_cluster(self) -> Course:
        """Report the broker that is the controller, which version 0 of Metadata does not name."""
        answer = yield from self.metadata()
        controller = self.controller_in(answer)
        self.told = ["none" if controller is None else str(controller)]

    def controller_in(self, answer: Value) -> int | None:
        """Return the controller in an answer, None without one."""
        controller = answer.get("controllerId", -1)
        return None if controller < 0 else int(controller)

    def configs(self) -> Course:
        """Describe the configs of broker 1."""
        yield from self.configs_of(1)

    def configs_of_both(self) -> Course:
        """Describe the configs of brokers 1 and 2."""
        for number in (1, 2):
            yield from self.configs_of(number)

    def configs_of(self, number: int) -> Course:
        """Describe the configs of a broker, which it alone knows."""
        answer = yield from self.metadata()
        if not (yield from self.reach(answer, self.whose_configs(answer, number))):
            raise Failed(f"there is no broker {number}")
        name = {"resourceName": str(number), "configurationKeys": None}
        wanted = {"resources": [{"resourceType": BROKER, **name}]}
        answer = yield from self.ask(DESCRIBE_CONFIGS, self.version_of(DESCRIBE_CONFIGS), wanted)
        for each in answer["results"]:
            self.check(each["errorCode"], f"the configs of broker {number}")

    def whose_configs(self, answer: Value, number: int) -> int:
        """Return the broker to ask."""
        del answer
        return number

    def ends(self) -> Course:
        """Ask where the committed records of the partition end."""
        yield from self.reach_leader()
        partition = {"partitionIndex": 0, "timestamp": LATEST, "currentLeaderEpoch": -1}
        topics = [{"name": TOPIC, "partitions": [partition]}]
        wanted = {"replicaId": -1, "isolationLevel": self.isolation, "topics": topics}
        answer = yield from self.ask(LIST_OFFSETS, self.version_of(LIST_OFFSETS), wanted)
        for each in answer["topics"]:
            for one in each["partitions"]:
                self.check(one["errorCode"], f"the end of {TOPIC}")

    isolation = COMMITTED
