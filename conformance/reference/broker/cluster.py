"""The state that requests ask about and change: nodes, topics, configs, ACLs and quotas.

Code that the handlers share is here as well: permissions, and the rule for names. Handlers are
methods of the broker that are named after their requests; each module beside this one adds those of
one room. Each behaviour that a misbehaving broker would change is a method of its own.
"""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass, field
from typing import Any

from conformance.reference.broker.admin.topic_names import metric_name
from conformance.reference.broker.releases import Feature, Ranges

Value = dict[str, Any]
Entity = frozenset[tuple[str, str | None]]
"""The entity of a quota: names by their types, None for all that have no quota of their own."""
TOPIC = 2
"""The type of a topic, among resources that have configs and among those that have ACLs."""
ANONYMOUS = "User:ANONYMOUS"
MAX_REQUEST_BYTES = 1024 * 1024
MAX_PARTITIONS = 10_000
"""The limit for one request and for the cluster: small requests must not cost much memory."""
MAX_CONFIGURED = 10_000
"""The limit for resources with configs or quotas, for the same reason."""
MAX_ACLS = 1_000
MAX_FILTERS = 100
"""The limit for filters of one request, each of which may be answered with all ACLs."""
MAX_DESCRIBED = 1_000
"""The limit for resources in one request, each answered with dozens of configs."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `value` has the fields of all versions (see `defaults`)."""

    api_key: int
    version: int
    header: Value
    value: Value
    principal: str = ANONYMOUS


@dataclass(frozen=True, slots=True)
class Batch:
    """The bytes of a batch in a log, from offset `begin` up to but not including `end`."""

    begin: int
    end: int
    data: bytes


@dataclass(slots=True)
class Producer:
    """A producer, as the log of one partition knows it.

    `sent` are its last batches: the first and the last sequence, and the base offset. `since` is
    the first offset of its open transaction, None without one.
    """

    epoch: int
    sent: list[tuple[int, int, int]] = field(default_factory=list)
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Aborted:
    """An aborted transaction in a log: its producer, its first offset and that of its end."""

    producer_id: int
    first: int
    last: int


@dataclass(slots=True)
class Topic:
    """A topic: its name, its id in the JSON form, and the replicas of each partition.

    A replica may be on a node that does not exist any more. `ends` are the offsets after the last
    record of each partition that has records, `logs` the batches that were written to each, and
    `starts` the offsets that records were deleted up to. `producers` are by partition and producer
    id, and `aborted` the transactions by partition.
    """

    name: str
    topic_id: str
    replicas: list[list[int]]
    ends: dict[int, int] = field(default_factory=dict)
    logs: dict[int, list[Batch]] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)
    producers: dict[int, dict[int, Producer]] = field(default_factory=dict)
    aborted: dict[int, list[Aborted]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Acl:
    """One ACL: the pattern of a resource, the principal, and the operation it allows or denies."""

    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The offset that a group committed for a partition, with the leader's epoch and a text."""

    offset: int = -1
    epoch: int = -1
    metadata: str = ""


@dataclass(slots=True)
class Transaction:
    """The state of a transactional id: its producer, and what its transaction has in it so far.

    `partitions` are by the names of topics; `offsets` are to be committed, by group and partition.
    """

    producer_id: int
    epoch: int
    timeout_ms: int
    state: str = "Empty"
    partitions: dict[tuple[str, int], None] = field(default_factory=dict)
    offsets: dict[str, dict[tuple[str, int], Committed]] = field(default_factory=dict)


@dataclass(slots=True)
class Member:
    """A member of a classic group: what it joined with, and the share that it was assigned.

    `joined_in` is the last generation that it joined, `assignment` is in the JSON form of bytes.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    protocols: dict[str, str]
    joined_in: int = 0
    assignment: str = ""


@dataclass(slots=True)
class ClassicGroup:
    """A group whose leader shares out: its members by id, and the ids that it gave out before.

    `awaited` are the members that have not joined the next generation yet.
    """

    name: str
    state: str = "Empty"
    protocol_type: str = ""
    protocol: str = ""
    generation: int = 0
    leader: str = ""
    members: dict[str, Member] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    awaited: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Consumer:
    """A member of a group of consumers (KIP-848): its epoch, and the topics that it wants.

    `is_told` says that it was given its assignment. In a group that is kept, `given` are the
    partitions that it was assigned last, and `owned` those that it said it has, by topic id.
    """

    epoch: int
    wants: tuple[str, ...] = ()
    is_told: bool = False
    given: frozenset[tuple[str, int]] | None = None
    owned: frozenset[tuple[str, int]] = frozenset()


@dataclass(kw_only=True)
class Cluster:
    """A cluster, as one node of it sees it. `port` 0 is replaced by the port that a server binds.

    `other_nodes` are registered beside this node, at the same address. Requests that are for the
    `controller`, by default this node, are carried out if this is it or `forwards` them, as every
    node of a KRaft cluster does. `users` are the passwords for SASL PLAIN by user; None means that
    no client authenticates. A login is valid for `session_lifetime_ms`, 0 for as long as its
    connection, unless its token ends before that. Without an `authorizer` there are no ACLs, and
    every principal may do everything. `consumers` are members by group and member id.
    What groups commit is `committed`, by group and partition, of a broker that `keeps_offsets`. One
    that `keeps_logs` checks what is written to them, and knows their producers and transactions;
    `time_ms` is the time that it sets in batches, since there is no clock here. The members of
    `groups` are those of a broker that `keeps_groups`, and `epochs` the epochs of its groups of
    consumers.
    """

    versions: Ranges
    cluster_id: str = "cmVmZXJlbmNlLWJyb2tlcg"
    node_id: int = 1
    other_nodes: tuple[int, ...] = ()
    controller: int | None = None
    forwards: bool = True
    host: str = "127.0.0.1"
    port: int = 0
    rack: str | None = None
    num_partitions: int = 1
    default_replication_factor: int = 1
    auto_create_topics: bool = True
    delete_topics_enabled: bool = True
    features: tuple[Feature, ...] = ()
    authorizer: bool = True
    super_users: frozenset[str] = frozenset({ANONYMOUS})
    users: dict[str, str] | None = None
    session_lifetime_ms: int = 0
    max_request_bytes: int = MAX_REQUEST_BYTES
    topics: dict[str, Topic] = field(default_factory=dict)
    configs: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    acls: dict[Acl, None] = field(default_factory=dict)
    quotas: dict[Entity, dict[str, float]] = field(default_factory=dict)
    consumers: dict[tuple[str, str], Consumer] = field(default_factory=dict)
    keeps_offsets: bool = False
    keeps_logs: bool = False
    time_ms: int = 1_767_225_600_000
    transactions: dict[str, Transaction] = field(default_factory=dict)
    committed: dict[str, dict[tuple[str, int], Committed]] = field(default_factory=dict)
    keeps_groups: bool = False
    groups: dict[str, ClassicGroup] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names_by_id: dict[str, str] = {}
        self._names_by_metric: dict[str, str] = {}
        self._partitions = 0

    @property
    def nodes(self) -> list[int]:
        """The ids of the nodes that are registered."""
        return [self.node_id, *self.other_nodes]

    def new_topic_id(self) -> str:
        """Return a fresh uuid in the JSON form."""
        return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")

    def add_topic(self, topic: Topic) -> None:
        """Add a topic."""
        self.topics[topic.name] = topic
        self._names_by_id[topic.topic_id] = topic.name
        self._names_by_metric[metric_name(topic.name)] = topic.name
        self._partitions += len(topic.replicas)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Add partitions with these replicas to a topic."""
        topic.replicas += replicas
        self._partitions += len(replicas)

    def remove_topic(self, topic: Topic) -> None:
        """Remove a topic, its configs, and the offsets that groups committed for it."""
        del self.topics[topic.name]
        del self._names_by_id[topic.topic_id]
        del self._names_by_metric[metric_name(topic.name)]
        self._partitions -= len(topic.replicas)
        self.configs.pop((TOPIC, topic.name), None)
        for offsets in self.committed.values():
            for name, index in [key for key in offsets if key[0] == topic.name]:
                del offsets[name, index]

    def topic_of_id(self, topic_id: str) -> Topic | None:
        """Return the topic that has this id, None without one."""
        name = self._names_by_id.get(topic_id)
        return None if name is None else self.topics[name]

    def colliding(self, name: str) -> str:
        """Return the topic that metrics would mix up with one of this name; empty without one."""
        return self._names_by_metric.get(metric_name(name), "")

    def partitions_left(self) -> int:
        """Return the number of partitions that the cluster can still add."""
        return MAX_PARTITIONS - self._partitions
