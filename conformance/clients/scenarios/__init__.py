"""What is played to a client to see whether it keeps a rule: a broker with one thing about it.

A scenario is a class: the reference broker with a method or two overridden, as a mutant is, and a
table of the rules that it decides, each with the judgement on what the client did. It is found by
its module's being in this package. Every scenario has a control case, by default the broker as it
is: the client must do well there before anything that it does here counts.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import new_class
from typing import Any, ClassVar, Literal, get_args

from conformance.api_keys import LIST_OFFSETS
from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.visit import Judgement, Visit, does_well
from conformance.modules import import_all
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.groups.share_groups import ShareSession
from conformance.reference.broker.records.fetch import Batch
from conformance.reference.broker.releases import (
    FOR_CLIENTS,
    FOR_CONSUMERS,
    FOR_SHARES,
    IMPLEMENTED,
    Feature,
    Ranges,
    stored_versions,
)

Action = Literal[
    "topics",
    "groups",
    "create",
    "produce",
    "consume",
    "join",
    "member",
    "share",
    "shared",
    "lookup",
    "resume",
    "batch",
    "gzip",
    "snappy",
    "lz4",
    "zstd",
    "unacknowledged",
    "idempotent",
    "patient",
    "transact",
    "empty",
    "login",
    "scram",
    "listing",
    "offsets",
    "configs",
    "ends",
    "latest",
    "grow",
    "trim",
    "describe",
    "read",
]
"""What a client is asked to do. topics: list all of them. groups: describe two groups. create: make
a topic. produce: write one record. consume: read one, from the begin of a topic. join: read one as
a member of a group, commit its offset, and leave. member: the same in the protocol of KIP-848.
share: read one as a member of a share group, acknowledge it, and leave.
shared: ask where a share group is in a topic.
lookup: ask for the first offset of a topic, the
next one, and that of a time. resume: read one where a group has come to, without being a member,
and commit its offset. batch: write several records at once; gzip, snappy, lz4 and zstd: the same
compressed. unacknowledged: write one that no broker answers to. idempotent: write two, one after
the other, as an idempotent producer. patient: write one, and give brokers as long for it as can be
said. transact: write one and an offset in a transaction. empty: begin a transaction, and commit it
with nothing in it. login and scram: list all topics behind a login, by PLAIN or by SCRAM-SHA-256.
listing: list all groups. offsets: list all that a group committed. configs: describe the configs of
broker 1. ends: tell where a partition ends, of what is committed. latest: ask as an administrator
where it ends. grow: ask whether a topic may have a second partition. trim: delete the first record
of a topic. describe: describe a topic. read: read all records of a partition, up to the one with
the key `end`, and tell each."""
ACTIONS: tuple[Action, ...] = get_args(Action)
USER, PASSWORD = "one,two=three", "four=five,six"
"""Who logs in: with letters that SCRAM has a meaning of its own for."""
FILLED = "events"
"""The topic that is written to and read."""
END = "end"
"""The key of the last record of a topic that is read as a whole."""
TOPICS = {FILLED: 1, "orders.v2": 2}
TELEMETRY = (71, 72)
PLAYED = {
    key: range_
    for key, range_ in stored_versions(names=IMPLEMENTED | FOR_CLIENTS).items()
    if key not in TELEMETRY
}
PLAYED[LIST_OFFSETS] = (0, PLAYED[LIST_OFFSETS][1])
"""What is served: telemetry alone is not, as by a broker that nobody gave a use for it. Of
ListOffsets version 0 is, which brokers before 4.0 have and some clients ask alone."""
FOR_ACTION: Mapping[Action, Ranges] = {
    "member": stored_versions(names=FOR_CONSUMERS),
    "share": stored_versions(names=FOR_SHARES),
    "shared": stored_versions(names=FOR_SHARES),
}
"""What is served besides for an action: who knows of it asks it of other groups as well."""
FEATURES: Mapping[Action, tuple[Feature, ...]] = {
    "member": (Feature("group.version", 0, 1, 1),),
    "share": (Feature("share.version", 0, 1, 1),),
    "shared": (Feature("share.version", 0, 1, 1),),
}
"""The features of the cluster for an action."""
BESIDE: Mapping[str, Ranges] = {"FindCoordinatorRequest": {15: (0, 2)}}
"""What is served otherwise, by the request that a scenario is about.

Groups are described once they are found, and DescribeGroups is in no version that one client or
another is known to stumble over: it has scenarios of its own. Who has none of these versions is
played the `whole` scenario.
"""
FIRST = 1
"""The broker that the client is told of."""
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
    the driver gave up.
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
    known: ClassVar[list[type[Scenario]]] = []

    def __init_subclass__(cls, is_known: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        if is_known:
            Scenario.known.append(cls)

    def __init__(self, **settings: Any) -> None:
        usual = {
            "versions": {**PLAYED, **FOR_ACTION.get(self.action, {}), **self.beside()},
            "features": FEATURES.get(self.action, ()),
            "node_id": FIRST,
            "controller": FIRST,
        }
        super().__init__(**{**usual, **settings})
        self.company: Sequence[Scenario] = [self]
        for name, partitions in TOPICS.items():
            replicas = [[self.leader_of(name)] for _ in range(partitions)]
            self.add_topic(Topic(name, id_of(name), replicas))

    @classmethod
    def beside(cls) -> Ranges:
        """What is served otherwise, so that nothing stands before what it is about."""
        return BESIDE.get(cls.about, {})

    def leader_of(self, topic: str) -> int:
        """The node that leads the partitions of a topic."""
        del topic
        return FIRST

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """One record, in the topic that is read."""
        del index
        return self.records() if topic.name == FILLED else []

    def records(self) -> list[Batch]:
        """What the topic that is read holds."""
        return [batch(0, ("k", "v"))]

    def check_heartbeat(self, request: Request) -> None:
        """Who says too little of itself is a member all the same: what it said is judged."""

    def check_share_epoch(self, session: ShareSession, epoch: int) -> None:
        """Likewise of the epochs of share sessions."""

    def described_group(self, request: Request, name: str) -> Value:
        """Every group is there, and has no members now."""
        group = super().described_group(request, name)
        there = {"errorCode": 0, "groupState": "Empty", "protocolType": "consumer"}
        return {**group, **there, **({"errorMessage": None} if "errorMessage" in group else {})}

    @property
    def nodes(self) -> list[int]:
        """The brokers that are played side by side."""
        return [each.node_id for each in self.company]

    def brokers(self) -> list[Value]:
        """All of them, where they are."""
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
        """The brokers of this scenario, the one that the client is told of first."""
        others = [other(node_id=node) for node, other in cls.others.items()]
        company = [cls(), *others]
        for each in company:
            each.company = company
        return company

    @classmethod
    def answered_api(cls) -> str:
        """The API without whose being asked nothing was played; empty where there is none."""
        return cls.about.removesuffix("Request") if cls.answers is None else cls.answers

    @classmethod
    def says(cls) -> str:
        """What is played, in one sentence."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def case(cls) -> str:
        """The id of the case that it is."""
        return f"{cls.about}/{_WORD.sub('-', cls.__name__).lower()}"


class ServesTopics(Scenario):
    """A broker as it is."""


class ServesGroups(Scenario):
    """A broker as it is, to a client that asks about groups."""

    action = "groups"


class ServesLookups(ServesGroups):
    """A broker as it is, to a client that looks up who looks after groups."""

    about = "FindCoordinatorRequest"


class ServesCreation(Scenario):
    """A broker as it is, to a client that creates a topic."""

    action = "create"


class ServesWriting(Scenario):
    """A broker as it is, to a client that writes a record."""

    action = "produce"


class ServesReading(Scenario):
    """A broker as it is, to a client that reads a record."""

    action = "consume"


class ServesMembers(Scenario):
    """A broker as it is, to a client that reads a record as a member of a group."""

    action = "join"


class ServesConsumers(Scenario):
    """A broker as it is, to a member of a group whose coordinator shares out."""

    action = "member"


class ServesShares(Scenario):
    """A broker as it is, to a member of a share group."""

    action = "share"


class ServesSharedOffsets(Scenario):
    """A broker that finds a coordinator for each key, to who asks where a share group is."""

    action = "shared"

    def check_key(self, request: Request, key: str) -> None:
        """Whatever kind of key it is said to be."""


class ServesOffsetLookups(Scenario):
    """A broker as it is, to a client that looks offsets up."""

    action = "lookup"


class ServesResuming(Scenario):
    """A broker as it is, to a client that reads a record where a group has come to."""

    action = "resume"


class ServesBatches(Scenario):
    """A broker as it is, to a client that writes several records at once."""

    action = "batch"


class ServesGzip(Scenario):
    """A broker as it is, to a client that compresses with gzip."""

    action = "gzip"


class ServesSnappy(Scenario):
    """A broker as it is, to a client that compresses with snappy."""

    action = "snappy"


class ServesLz4(Scenario):
    """A broker as it is, to a client that compresses with lz4."""

    action = "lz4"


class ServesZstd(Scenario):
    """A broker as it is, to a client that compresses with zstd."""

    action = "zstd"


class ServesUnacknowledged(Scenario):
    """A broker as it is, to a client that waits for no answer."""

    action = "unacknowledged"


class ServesIdempotent(Scenario):
    """A broker as it is, to a client that writes two records as an idempotent producer."""

    action = "idempotent"


class ServesPatient(Scenario):
    """A broker as it is, to a client that gives it a long time for a record."""

    action = "patient"


class ServesTransactions(Scenario):
    """A broker as it is, to a client that writes in a transaction."""

    action = "transact"


class ServesEmptyTransactions(Scenario):
    """A broker as it is, to a client that commits a transaction with nothing in it."""

    action = "empty"


class LogsIn(Scenario, is_known=False):
    """A broker that has a user."""

    about = "SaslHandshakeRequest"
    action: ClassVar[Action] = "login"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"users": {USER: PASSWORD}, **settings})


class ServesLogins(LogsIn):
    """A broker as it is, to a client that logs in by PLAIN."""


class ServesScram(LogsIn):
    """A broker as it is, to a client that logs in by SCRAM."""

    about = "SaslAuthenticateRequest"
    action: ClassVar[Action] = "scram"


class ServesListing(Scenario):
    """A broker that looks after a group, to a client that lists all groups."""

    about = "ListGroupsRequest"
    action = "listing"

    def list_groups(self, request: Request) -> Value:
        group = {"groupId": "group-a", "protocolType": "consumer", "groupState": "Empty"}
        return {**super().list_groups(request), "groups": [{**group, "groupType": "classic"}]}


class ServesOffsets(Scenario):
    """A broker as it is, to a client that lists all that a group committed."""

    action = "offsets"


class ServesConfigs(Scenario):
    """A broker as it is, to a client that describes its configs."""

    action = "configs"


class ServesEnds(Scenario):
    """A broker as it is, to a client that asks where a partition ends."""

    action = "ends"


class ServesLatest(Scenario):
    """A broker as it is, to an administrator who asks where a partition ends."""

    action = "latest"


class ServesGrowth(Scenario):
    """A broker as it is, to a client that asks whether a topic may have more partitions."""

    action = "grow"


class ServesTrimming(Scenario):
    """A broker as it is, to a client that deletes the first record of a topic."""

    action = "trim"


class ServesDescription(Scenario):
    """A broker as it is, to a client that describes a topic."""

    action = "describe"


class ServesRecords(Scenario):
    """A broker as it is, to a client that reads all records of a partition and tells each."""

    action = "read"

    def records(self) -> list[Batch]:
        """One, and the last."""
        return [batch(0, ("k", "v"), (END, "e"))]


MEMBERS: tuple[int, ...] = (8, 9, 11, 12, 13, 14)
"""What is asked to be a member: OffsetCommit, OffsetFetch, JoinGroup, Heartbeat, LeaveGroup and
SyncGroup."""
WELL: Mapping[Action, type[Scenario]] = {
    each.action: each
    for each in (
        ServesTopics,
        ServesGroups,
        ServesCreation,
        ServesWriting,
        ServesReading,
        ServesMembers,
        ServesConsumers,
        ServesShares,
        ServesSharedOffsets,
        ServesOffsetLookups,
        ServesResuming,
        ServesBatches,
        ServesGzip,
        ServesSnappy,
        ServesLz4,
        ServesZstd,
        ServesUnacknowledged,
        ServesIdempotent,
        ServesPatient,
        ServesTransactions,
        ServesEmptyTransactions,
        ServesLogins,
        ServesScram,
        ServesListing,
        ServesOffsets,
        ServesConfigs,
        ServesEnds,
        ServesLatest,
        ServesGrowth,
        ServesTrimming,
        ServesDescription,
        ServesRecords,
    )
}


def id_of(name: str) -> str:
    """A topic's id, the same on all brokers of a scenario."""
    return base64.urlsafe_b64encode(name.encode().ljust(16, b"-")[:16]).decode().rstrip("=")


def control_case_of(scenario: type[Scenario]) -> type[Scenario]:
    """What a client must do well with before this scenario counts."""
    usual = ServesLookups if scenario.about == ServesLookups.about else WELL[scenario.action]
    return scenario.control_case or usual


def control_of(scenario: type[Scenario], rule: str) -> type[Scenario]:
    """What a client must do well with before this scenario counts for this rule."""
    return scenario.controls.get(rule, control_case_of(scenario))


def ground_of(scenario: type[Scenario]) -> type[Scenario]:
    """The broker that does nothing wrong, and serves the same beside what a scenario is about."""
    is_lookup = scenario.beside() == ServesLookups.beside()
    return ServesLookups if is_lookup else WELL[scenario.action]


def whole(scenario: type[Scenario]) -> type[Scenario]:
    """The same with nothing served otherwise `beside` it, and a control case like that."""
    if not scenario.beside():
        return scenario
    if scenario not in _whole:
        fields: dict[str, Any] = {
            "__doc__": scenario.__doc__,
            "__module__": scenario.__module__,
            "beside": classmethod(lambda _: {}),
            "others": {node: whole(other) for node, other in scenario.others.items()},
            "controls": {rule: whole(other) for rule, other in scenario.controls.items()},
        }
        made: type[Scenario] = new_class(
            scenario.__name__, (scenario,), {"is_known": False}, lambda names: names.update(fields)
        )
        _whole[scenario] = made
        made.control_case = whole(control_case_of(scenario))
    return _whole[scenario]


_whole: dict[type[Scenario], type[Scenario]] = {}


@cache
def scenarios() -> dict[str, type[Scenario]]:
    """Every scenario that decides something by its name, module by module."""
    import_all(__name__, __path__)
    return {each.__name__: each for each in Scenario.known if each.decides}
