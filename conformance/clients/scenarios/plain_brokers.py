"""Brokers as they are: what a client must do well with before what a scenario plays counts."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from typing import ClassVar

from conformance.clients.scenarios.actions import END, OTHER, PASSWORD, USER, USERS, Action
from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.kerberos import UnsealedSession
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.records.produce import BATCHES_SINCE

HELD_S = 0.05
MANY = 200
SECOND = 2
_LAST_DELTA = struct.Struct(">23xi")
"""The position in a batch of the last offset's delta."""


class ServesTopics(Scenario):
    """A broker as it is."""


class ServesGroups(Scenario, action="groups"):
    """A broker as it is, to a client that asks about groups."""


class ServesLookups(ServesGroups, about="FindCoordinatorRequest"):
    """A broker as it is, to a client that looks up who looks after groups."""


class ServesWriting(Scenario, action="produce"):
    """A broker as it is, to a client that writes a record."""


class ServesReading(Scenario, action="consume"):
    """A broker as it is, to a client that reads a record."""


class ServesMembers(Scenario, action="join"):
    """A broker as it is, to a client that reads a record as a member of a group."""


class ServesSharedOffsets(Scenario, action="shared"):
    """A broker that finds a coordinator for each key, to who asks where a share group is."""

    def check_key(self, request: Request, key: str) -> None:
        """Accept a key of any kind."""


class ServesMany(Scenario, action="many"):
    """A broker that reads the heads of batches alone, to a client that writes very many records."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Append after the records that are there; return the offset."""
        if request.version < BATCHES_SINCE:
            return super().append(request, topic, data)
        offset = topic.ends.get(data["index"], 0)
        (last,) = _LAST_DELTA.unpack_from(base64.b64decode(data["records"] or ""))
        topic.ends[data["index"]] = offset + int(last) + 1
        return offset


class ServesLarge(Scenario, action="large"):
    """A broker as it is, to a client that writes large records."""


class ServesMaking(Scenario, action="made"):
    """A broker that makes a topic that is written to, where it may."""


class ServesTransactions(Scenario, action="transact"):
    """A broker as it is, to a client that writes in a transaction."""


class LogsIn(Scenario, is_known=False, about="SaslHandshakeRequest", action="login"):
    """A broker that has a user, and another one whose name is odd."""

    login = USER, PASSWORD
    configured: ClassVar = {"users": USERS, "authorizer": False}


class ServesLogins(LogsIn):
    """A broker as it is, to a client that logs in by PLAIN."""


class ServesScram(LogsIn, about="SaslAuthenticateRequest", action="scram"):
    """A broker as it is, to a client that logs in by SCRAM."""


class ServesOauth(LogsIn, about="SaslAuthenticateRequest", action="oauth"):
    """A broker as it is, to a client that logs in by OAUTHBEARER."""


class ServesGssapi(LogsIn, about="SaslAuthenticateRequest", action="gssapi"):
    """A broker as it is but for a Kerberos that seals nothing, to a client that logs in by it."""

    sessions = UnsealedSession


class ServesSteady(LogsIn, action="steady"):
    """A broker as it is, to a client that logs in and writes for some time."""


class ServesRemaining(LogsIn, action="remain"):
    """A broker as it is, to a client that logs in and is a member of a group for some time."""


class ServesListing(Scenario, about="ListGroupsRequest", action="listing"):
    """A broker that looks after a group, to a client that lists all groups."""

    def list_groups(self, request: Request) -> Value:
        group = {"groupId": "group-a", "protocolType": "consumer", "groupState": "Empty"}
        return {**super().list_groups(request), "groups": [{**group, "groupType": "classic"}]}


class ServesBrokers(Scenario, about="DescribeConfigsRequest", action="brokers"):
    """One of two brokers as they are, to a client that describes the configs of both."""

    others: ClassVar = {SECOND: Scenario}


class ServesDescribedClusters(Scenario, about="MetadataRequest", action="cluster"):
    """A broker as it is, to a client that is asked for the controller."""


class ServesRecords(Scenario, action="read"):
    """A broker as it is, to a client that reads all records of a partition and tells each."""

    contents: ClassVar = [batch(0, ("k", "v"), (END, "e"))]


class ServesUncommitted(ServesRecords, action="uncommitted"):
    """A broker as it is, to a client that reads what is not committed as well."""


class HeldBack(Session):
    """Gives no records sooner than after a while, and answers at once who asks for none."""

    def fetch(self, request: Request) -> Value:
        body = super().fetch(request)
        is_empty = not request.value["topics"] and not request.value.get("sessionId", 0)
        self.delay_s = HELD_S if is_empty else max(self.delay_s, HELD_S)
        return body


class ServesPauses(Scenario, about="FetchRequest", action="pause"):
    """Has more and more records in two partitions, to a client that pauses them."""

    sessions = HeldBack

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return many batches, of a record each."""
        return _MANY if topic.name == OTHER else []

    is_batch_by_batch = True


class ServesTopicsAside(ServesPauses, action="aside"):
    """Has more and more records in two topics, to a client that pauses one of them."""

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return many batches for either partition."""
        return _MANY


class ServesWidening(ServesPauses, action="widen"):
    """Has more and more records in two partitions, to a client that is assigned the second late."""


class ServesPosition(Scenario, about="FetchRequest", action="position"):
    """Has two records and gives them one by one, to a client that tells where it is."""

    contents: ClassVar = [batch(0, ("k", "v")), batch(1, (END, "e"))]
    is_batch_by_batch = True


_MANY = [batch(offset, ("k", "v")) for offset in range(MANY)]


_AS_IT_IS: Mapping[str, tuple[Action, str]] = {
    "ServesCreation": ("create", "a client that creates a topic"),
    "ServesSticky": ("sticky", "a member of a group that leaves members what they have"),
    "ServesCommits": ("commits", "a member of a group that commits many times"),
    "ServesConsumers": ("member", "a member of a group whose coordinator shares out"),
    "ServesAgain": ("again", "a member whose coordinator shares out, and that comes again"),
    "ServesChanges": ("change", "a member of a group that wants another topic as well"),
    "ServesShares": ("share", "a member of a share group"),
    "ServesOffsetLookups": ("lookup", "a client that looks offsets up"),
    "ServesResuming": ("resume", "a client that reads a record where a group has come to"),
    "ServesBatches": ("batch", "a client that writes several records at once"),
    "ServesGzip": ("gzip", "a client that compresses with gzip"),
    "ServesSnappy": ("snappy", "a client that compresses with snappy"),
    "ServesLz4": ("lz4", "a client that compresses with lz4"),
    "ServesZstd": ("zstd", "a client that compresses with zstd"),
    "ServesUnacknowledged": ("unacknowledged", "a client that waits for no answer"),
    "ServesIdempotent": (
        "idempotent",
        "a client that writes two records as an idempotent producer",
    ),
    "ServesStreams": ("stream", "a client that writes on before what it wrote is acknowledged"),
    "ServesFlushes": ("flush", "a client that flushes what it was given"),
    "ServesTwoTopics": ("both", "a client that writes to two topics"),
    "ServesPatient": ("patient", "a client that gives it a long time for a record"),
    "ServesEmptyTransactions": ("empty", "a client that commits a transaction with nothing in it"),
    "ServesFencing": ("fence", "an administrator who fences the producers of a transaction off"),
    "ServesTwoTransactions": (
        "twice",
        "a client that writes two transactions, one behind the other",
    ),
    "ServesLater": ("later", "a client that writes again when the time for its records is up"),
    "ServesOffsets": ("offsets", "a client that lists all that a group committed"),
    "ServesConfigs": ("configs", "a client that describes its configs"),
    "ServesEnds": ("ends", "a client that asks where a partition ends"),
    "ServesLatest": ("latest", "an administrator who asks where a partition ends"),
    "ServesGrowth": ("grow", "a client that asks whether a topic may have more partitions"),
    "ServesTrimming": ("trim", "a client that deletes the first record of a topic"),
    "ServesElections": ("elect", "a client that has the leader of a partition elected"),
    "ServesDescription": ("describe", "a client that describes a topic"),
    "ServesAlteration": ("alter", "a client that alters one of its configs"),
    "ServesReplacement": ("replace", "a client that gives it a config in place of all"),
    "ServesAcls": ("acls", "a client that creates an ACL, describes it and deletes it"),
    "ServesForgetting": ("forget", "a client that deletes what a group committed"),
    "ServesDeletion": ("delete", "a client that deletes a topic"),
    "ServesDirs": ("dirs", "a client that describes its log dirs"),
    "ServesNameless": ("nameless", "a client that has no client id"),
    "ServesBlank": ("blank", "a client whose client id is empty"),
    "ServesLengthy": ("lengthy", "a client with a client id of 300 bytes"),
    "ServesBrimming": ("brimming", "a client with a client id of 240 bytes"),
    "ServesForeign": ("foreign", "a client with a client id beyond ASCII"),
}
"""By the name of a plain broker, what its client is asked for, and a description of the client."""
for _name, (_action, _client) in _AS_IT_IS.items():
    Scenario.variant(_name, f"A broker as it is, to {_client}.", action=_action)
