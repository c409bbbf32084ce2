"""The state that requests ask about and change: nodes, topics, configs, ACLs and quotas.

What the handlers share is here as well: who may do what, and when a name is one. Handlers are
methods of the broker that are named after their requests; each module beside this one adds those
of one room. Whatever a misbehaving broker would do differently is a method of its own.
"""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass, field
from typing import Any

from conformance.reference.broker.admin.naming import metric_name
from conformance.reference.broker.releases import Feature, Ranges

Value = dict[str, Any]
Entity = frozenset[tuple[str, str | None]]
"""Whom a quota is for: names by their types, None for all that have no quota of their own."""
TOPIC = 2
"""The type of a topic, among resources that have configs as among those that have ACLs."""
ANONYMOUS = "User:ANONYMOUS"
MAX_REQUEST_BYTES = 1024 * 1024
MAX_PARTITIONS = 10_000
"""Of one request, and of the whole cluster: a request of few bytes must not cost much memory."""
MAX_CONFIGURED = 10_000
"""Of resources that something is set of, for the same reason."""
MAX_ACLS = 1_000
MAX_FILTERS = 100
"""Of one request, each of which may be answered with all ACLs."""
MAX_DESCRIBED = 1_000
"""Of resources in one request, each of which is answered with dozens of configs."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `value` has the fields of all versions (see `defaults`)."""

    api_key: int
    version: int
    header: Value
    value: Value
    principal: str = ANONYMOUS


@dataclass(slots=True)
class Topic:
    """A topic: its name, its id in the JSON form, and the replicas of each partition.

    A replica may be on a node that is not there any more. `ends` are the offsets behind the last
    record of each partition, of those that were given any.
    """

    name: str
    topic_id: str
    replicas: list[list[int]]
    ends: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Acl:
    """One ACL: the pattern of a resource, and what it allows or denies whom."""

    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int


@dataclass(slots=True)
class Consumer:
    """A member of a group of consumers (KIP-848): its epoch, and the topics that it wants.

    `is_told` says whether it was given its assignment.
    """

    epoch: int
    wants: tuple[str, ...] = ()
    is_told: bool = False


@dataclass(kw_only=True)
class Cluster:
    """A cluster, as one node of it sees it. `port` 0 is replaced by the port that a server binds.

    `other_nodes` are registered beside this node, at the same address. Requests that are for the
    `controller`, by default this node, are carried out if this is it or `forwards` them, as every
    node of a KRaft cluster does.
    `users` are the passwords for SASL PLAIN by user; None means that nobody authenticates. A login
    is good for `session_lifetime_ms`, 0 for as long as its connection, unless its token ends before
    that. Without
    an `authorizer` there are no ACLs, and everybody may do everything. `consumers` are members by
    group and member id.
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

    def __post_init__(self) -> None:
        self._names_by_id: dict[str, str] = {}
        self._names_by_metric: dict[str, str] = {}
        self._partitions = 0

    @property
    def nodes(self) -> list[int]:
        """The ids of the nodes that are registered."""
        return [self.node_id, *self.other_nodes]

    def new_topic_id(self) -> str:
        """A fresh uuid in the JSON form."""
        return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")

    def add_topic(self, topic: Topic) -> None:
        """Hold one topic more."""
        self.topics[topic.name] = topic
        self._names_by_id[topic.topic_id] = topic.name
        self._names_by_metric[metric_name(topic.name)] = topic.name
        self._partitions += len(topic.replicas)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Hold so many partitions more of a topic."""
        topic.replicas += replicas
        self._partitions += len(replicas)

    def remove_topic(self, topic: Topic) -> None:
        """Hold a topic no more, nor what was set of it."""
        del self.topics[topic.name]
        del self._names_by_id[topic.topic_id]
        del self._names_by_metric[metric_name(topic.name)]
        self._partitions -= len(topic.replicas)
        self.configs.pop((TOPIC, topic.name), None)

    def topic_of_id(self, topic_id: str) -> Topic | None:
        """The topic that has this id."""
        name = self._names_by_id.get(topic_id)
        return None if name is None else self.topics[name]

    def colliding(self, name: str) -> str:
        """The topic that metrics would mix up with one of this name; empty where there is none."""
        return self._names_by_metric.get(metric_name(name), "")

    def partitions_left(self) -> int:
        """How many more partitions the cluster takes."""
        return MAX_PARTITIONS - self._partitions
