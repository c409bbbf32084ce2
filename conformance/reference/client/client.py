"""One client: its actions by name, and the restart of an action after a lost connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import CREATE_TOPICS
from conformance.reference.client.actions.administering import Administering
from conformance.reference.client.actions.altering import Altering
from conformance.reference.client.actions.consumers import Returning
from conformance.reference.client.actions.reading import Positions
from conformance.reference.client.actions.remaining import Remaining
from conformance.reference.client.actions.sharing import Sharing
from conformance.reference.client.actions.transacting import Twice
from conformance.reference.client.steps import Course, Failed, Lost, Wait


class Client(Administering, Altering, Positions, Remaining, Returning, Sharing, Twice):
    """One client that does one action and leaves.

    `again` is how often it begins anew after a lost connection, and `client_ids` are those that an
    action is about.
    """

    again = 2
    client_ids: ClassVar[Mapping[str, str | None]] = {
        "nameless": None,
        "blank": "",
        "lengthy": "x" * 300,
        "brimming": "x" * 240,
        "foreign": "cl\u00e9-\u540d-\U0001f99c",
    }

    def run(self, action: str) -> Course:
        """Do an action. Raises Failed."""
        self.mechanism = self.mechanisms.get(action, "")
        self.client_id = self.client_ids.get(action, self.name)
        for attempt in range(1, self.again + 1):
            try:
                yield from self.connect(None)
                yield from self.actions()[action]()
            except Lost as lost:
                why = str(lost)
                yield Wait(self.backoff(attempt))
            else:
                return
        raise Failed(why)

    def actions(self) -> Mapping[str, Any]:
        """Return the actions by name."""
        return {
            "topics": self.topics,
            "groups": self.groups,
            "create": self.create,
            "produce": self.produce,
            "consume": self.consume,
            "join": self.join,
            "sticky": self.sticky,
            "commits": self.commits,
            "member": self.member,
            "again": self.member_again,
            "change": self.member_changes,
            "remain": self.remain,
            "share": self.share,
            "shared": self.ask_shared,
            **self.ways_of_writing(),
            "transact": self.transact,
            "empty": self.empty,
            "fence": self.fence,
            "twice": self.twice,
            "login": self.topics,
            "scram": self.topics,
            "oauth": self.topics,
            "gssapi": self.topics,
            "listing": self.listing,
            "offsets": self.offsets,
            "configs": self.configs,
            "brokers": self.configs_of_both,
            "ends": self.ends,
            "latest": self.ask_latest,
            "grow": self.grow,
            "trim": self.trim,
            "alter": self.alter,
            "replace": self.replace,
            "acls": self.acls,
            "forget": self.forget,
            "delete": self.delete_topic,
            "dirs": self.dirs,
            **dict.fromkeys(self.client_ids, self.topics),
            "elect": self.elect,
            "describe": self.describe_topic,
            "cluster": self.describe_cluster,
            "lookup": self.lookup,
            "resume": self.resume,
            "read": self.read_records,
            "uncommitted": self.read_uncommitted,
            "pause": self.pause,
            "aside": self.set_aside,
            "widen": self.widen,
            "position": self.tell_positions,
        }

    def topics(self) -> Course:
        """List all topics."""
        answer = yield from self.metadata()
        self.check(answer.get("errorCode", error_codes.NONE), "the cluster")

    def create(self) -> Course:
        """Create a topic."""
        yield from self.reach_controller()
        version = self.version_of(CREATE_TOPICS)
        topic = {"name": "made-by-a-client", "numPartitions": 1, "replicationFactor": 1}
        answer = yield from self.ask(CREATE_TOPICS, version, {"topics": [topic], "timeoutMs": 5000})
        for each in answer["topics"]:
            self.check(each["errorCode"], f"the topic {each['name']}")
