"""A scenario: the reference broker with one thing about it, and what that decides."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from conformance.clients.scenarios.actions import (
    BESIDE,
    FEATURES,
    FILLED,
    FIRST,
    TOPICS,
    Action,
    played_for,
    with_removed,
)
from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.visit import Judgement, Visit, does_well
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.groups.share_groups import ShareSession
from conformance.reference.broker.releases import Ranges

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Scenario(Broker):
    """One thing that a broker may do to its clients, which the docstring tells in one sentence.

    `about` is the request that it is about, `action` what the client is asked to do, `decides` the
    judgement by rule: none counts behind one that is broken. `control_case` is its control case,
    the same without the one thing, `controls` are those of rules that need another, and `holds` is
    what has to hold of a visit here where it is the control case itself. `answers` is the API whose
    answer is played, by default the one that it is about: nothing is judged where that was not
    asked. `others` are played beside it, by their ids, where one broker is not enough.
    `leaves_open` are rules that hold whatever is played, and say nothing of what is played here.
    One that `is_long` takes much of what a driver gives its client: it is visited again alone where
    the driver gave up. `release` is that of Apache Kafka which the application is configured for,
    empty where it says nothing of its brokers, and `topic` is the one that is written to and read.
    `login` is the name and the password of its user, where it has one.
    Of one that `is_narrow` the connections hold little that is not read yet. One that `is_old`
    serves the versions that Kafka 4 has removed as well, as Apache Kafka 3.9 does. `configured` are
    settings of the broker, beside those of its bases, and `served` versions beside the usual ones.
    `contents` are the batches of the topic that is read; one that `is_batch_by_batch` gives one of
    them in an answer. A class `Sessions` within it is that of its connections.
    """

    about: ClassVar[str] = "ApiVersionsRequest"
    action: ClassVar[Action] = "topics"
    decides: ClassVar[Mapping[str, Judgement]] = {}
    control_case: ClassVar[type[Scenario] | None] = None
    controls: ClassVar[Mapping[str, type[Scenario]]] = {}
    holds: ClassVar[staticmethod[[Visit], None]] = staticmethod(does_well)
    answers: ClassVar[str | None] = None
    others: ClassVar[Mapping[int, type[Scenario]]] = {}
    leaves_open: ClassVar[frozenset[str]] = frozenset()
    is_long: ClassVar[bool] = False
    is_narrow: ClassVar[bool] = False
    is_old: ClassVar[bool] = False
    release: ClassVar[str] = ""
    topic: ClassVar[str] = FILLED
    login: ClassVar[tuple[str, str] | None] = None
    configured: ClassVar[Mapping[str, Any]] = {}
    served: ClassVar[Ranges] = {}
    contents: ClassVar[Sequence[Batch]] = [batch(0, ("k", "v"))]
    is_batch_by_batch: ClassVar[bool] = False
    known: ClassVar[list[type[Scenario]]] = []

    def __init_subclass__(
        cls,
        is_known: bool = True,
        about: str | None = None,
        action: Action | None = None,
        **more: Any,
    ) -> None:
        super().__init_subclass__(**more)
        if about is not None:
            cls.about = about
        if action is not None:
            cls.action = action
        if "Sessions" in vars(cls):
            cls.sessions = vars(cls)["Sessions"]
        if is_known:
            Scenario.known.append(cls)

    @classmethod
    def variant(cls, name: str, says: str, /, **members: Any) -> type[Self]:
        """Return a class of this kind with a sentence and members of its own, as a row of a table.

        It is of the module that calls this, as if it were written there.
        """
        module = sys._getframe(1).f_globals["__name__"]
        return type(name, (cls,), {"__module__": module, "__doc__": says, **members})

    def __init__(self, **settings: Any) -> None:
        usual: dict[str, Any] = {
            "versions": {**self.served_for(self.action), **self.beside(), **self.ranges()},
            "features": FEATURES.get(self.action, ()),
            "node_id": FIRST,
            "controller": FIRST,
        }
        for each in reversed(type(self).__mro__):
            usual.update(vars(each).get("configured", {}))
        super().__init__(**{**usual, **settings})
        self.company: Sequence[Scenario] = [self]
        for name, partitions in {self.topic: 1, **TOPICS}.items():
            replicas = [[self.leader_of(name)] for _ in range(partitions)]
            self.add_topic(Topic(name, id_of(name), replicas))

    @classmethod
    def served_for(cls, action: Action) -> Ranges:
        """Return the versions served to a client that is asked for this action."""
        return with_removed(played_for(action)) if cls.is_old else played_for(action)

    @classmethod
    def ranges(cls) -> Ranges:
        """Return the versions that it serves otherwise: from the removed ones on if it `is_old`."""
        if not cls.is_old:
            return cls.served
        lowest = {key: low for key, (low, _) in played_for(cls.action).items()}
        older = with_removed(cls.served)
        return {
            key: older[key] if range_[0] == lowest.get(key) else range_
            for key, range_ in cls.served.items()
        }

    @classmethod
    def beside(cls) -> Ranges:
        """Return the versions served otherwise, so that the client reaches that request."""
        return BESIDE.get(cls.about, {})

    def leader_of(self, topic: str) -> int:
        """The node that leads the partitions of a topic."""
        return FIRST

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return one record, in the topic that is read."""
        return self.records() if topic.name in (FILLED, self.topic) else []

    def records(self) -> list[Batch]:
        """Return the batches of the topic that is read."""
        return list(self.contents)

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return all records from an offset on, or those of one batch."""
        if not self.is_batch_by_batch:
            return super().records_from(topic, index, offset)
        later = (each.data for each in self.batches(topic, index) if each.end > offset)
        return next(later, b"")

    def check_heartbeat(self, request: Request) -> None:
        """Accept an incomplete heartbeat: its fields are judged later."""

    def check_share_epoch(self, session: ShareSession, epoch: int) -> None:
        """Accept any epoch of a share session: it is judged later."""

    def described_group(self, request: Request, name: str) -> Value:
        """Return the group as an existing one without members."""
        group = super().described_group(request, name)
        there = {"errorCode": 0, "groupState": "Empty", "protocolType": "consumer"}
        return {**group, **there, **({"errorMessage": None} if "errorMessage" in group else {})}

    @property
    def nodes(self) -> list[int]:
        """The brokers that are played side by side."""
        return [each.node_id for each in self.company]

    def brokers(self) -> list[Value]:
        """Return all brokers with their addresses."""
        return [
            {
                "nodeId": each.node_id,
                "host": each.host,
                "port": each.port,
                "rack": each.rack,
            }
            for each in self.company
        ]

    @classmethod
    def played(cls) -> list[Scenario]:
        """Return the brokers of this scenario, the one whose address the client gets first."""
        others = [other(node_id=node) for node, other in cls.others.items()]
        company = [cls(), *others]
        for each in company:
            each.company = company
        return company

    @classmethod
    def answered_api(cls) -> str:
        """Return the API that must have been asked for the scenario to count; empty if none."""
        return cls.about.removesuffix("Request") if cls.answers is None else cls.answers

    @classmethod
    def says(cls) -> str:
        """Return a description of the scenario, in one sentence."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def case(cls) -> str:
        """The id of the case that it is."""
        return f"{cls.about}/{_WORD.sub('-', cls.__name__).lower()}"


def id_of(name: str) -> str:
    """A topic's id, the same on all brokers of a scenario."""
    return base64.urlsafe_b64encode(name.encode().ljust(16, b"-")[:16]).decode().rstrip("=")
