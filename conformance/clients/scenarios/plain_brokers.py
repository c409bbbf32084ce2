"""Brokers as they are: what a client must do well with before what a scenario plays counts."""

from __future__ import annotations

import base64
import struct
from typing import Any, ClassVar

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


class ServesSticky(Scenario):
    """A broker as it is, to a member of a group that leaves members what they have."""

    action = "sticky"


class ServesCommits(Scenario):
    """A broker as it is, to a member of a group that commits many times."""

    action = "commits"


class ServesConsumers(Scenario):
    """A broker as it is, to a member of a group whose coordinator shares out."""

    action = "member"


class ServesAgain(Scenario):
    """A broker as it is, to a member whose coordinator shares out, and that comes again."""

    action = "again"


class ServesChanges(Scenario):
    """A broker as it is, to a member of a group that wants another topic as well."""

    action = "change"


class ServesShares(Scenario):
    """A broker as it is, to a member of a share group."""

    action = "share"


class ServesSharedOffsets(Scenario):
    """A broker that finds a coordinator for each key, to who asks where a share group is."""

    action = "shared"

    def check_key(self, request: Request, key: str) -> None:
        """Accept a key of any kind."""


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


class ServesStreams(Scenario):
    """A broker as it is, to a client that writes on before what it wrote is acknowledged."""

    action = "stream"


class ServesFlushes(Scenario):
    """A broker as it is, to a client that flushes what it was given."""

    action = "flush"


class ServesMany(Scenario):
    """A broker that reads the heads of batches alone, to a client that writes very many records."""

    action: ClassVar[Action] = "many"

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Append after the records that are there; return the offset."""
        if request.version < BATCHES_SINCE:
            return super().append(request, topic, data)
        offset = topic.ends.get(data["index"], 0)
        (last,) = _LAST_DELTA.unpack_from(base64.b64decode(data["records"] or ""))
        topic.ends[data["index"]] = offset + int(last) + 1
        return offset


class ServesLarge(Scenario):
    """A broker as it is, to a client that writes large records."""

    action: ClassVar[Action] = "large"


class ServesTwoTopics(Scenario):
    """A broker as it is, to a client that writes to two topics."""

    action = "both"


class ServesMaking(Scenario):
    """A broker that makes a topic that is written to, where it may."""

    action = "made"


class ServesPatient(Scenario):
    """A broker as it is, to a client that gives it a long time for a record."""

    action = "patient"


class ServesTransactions(Scenario):
    """A broker as it is, to a client that writes in a transaction."""

    action = "transact"


class ServesEmptyTransactions(Scenario):
    """A broker as it is, to a client that commits a transaction with nothing in it."""

    action = "empty"


class ServesFencing(Scenario):
    """A broker as it is, to an administrator who fences the producers of a transaction off."""

    action = "fence"


class ServesTwoTransactions(Scenario):
    """A broker as it is, to a client that writes two transactions, one behind the other."""

    action = "twice"


class ServesLater(Scenario):
    """A broker as it is, to a client that writes again when the time for its records is up."""

    action = "later"


class LogsIn(Scenario, is_known=False):
    """A broker that has a user, and another one whose name is odd."""

    about = "SaslHandshakeRequest"
    action: ClassVar[Action] = "login"
    login = USER, PASSWORD

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"users": USERS, "authorizer": False, **settings})


class ServesLogins(LogsIn):
    """A broker as it is, to a client that logs in by PLAIN."""


class ServesScram(LogsIn):
    """A broker as it is, to a client that logs in by SCRAM."""

    about = "SaslAuthenticateRequest"
    action: ClassVar[Action] = "scram"


class ServesOauth(LogsIn):
    """A broker as it is, to a client that logs in by OAUTHBEARER."""

    about = "SaslAuthenticateRequest"
    action: ClassVar[Action] = "oauth"


class ServesGssapi(LogsIn):
    """A broker as it is but for a Kerberos that seals nothing, to a client that logs in by it."""

    about = "SaslAuthenticateRequest"
    action: ClassVar[Action] = "gssapi"
    sessions = UnsealedSession


class ServesSteady(LogsIn):
    """A broker as it is, to a client that logs in and writes for some time."""

    action: ClassVar[Action] = "steady"


class ServesRemaining(LogsIn):
    """A broker as it is, to a client that logs in and is a member of a group for some time."""

    action: ClassVar[Action] = "remain"


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


class ServesBrokers(Scenario):
    """One of two brokers as they are, to a client that describes the configs of both."""

    about = "DescribeConfigsRequest"
    action: ClassVar[Action] = "brokers"
    others: ClassVar = {SECOND: Scenario}


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


class ServesElections(Scenario):
    """A broker as it is, to a client that has the leader of a partition elected."""

    action = "elect"


class ServesDescription(Scenario):
    """A broker as it is, to a client that describes a topic."""

    action = "describe"


class ServesDescribedClusters(Scenario):
    """A broker as it is, to a client that is asked for the controller."""

    about = "MetadataRequest"
    action = "cluster"


class ServesRecords(Scenario):
    """A broker as it is, to a client that reads all records of a partition and tells each."""

    action: ClassVar[Action] = "read"

    def records(self) -> list[Batch]:
        """Return one record, and the last one."""
        return [batch(0, ("k", "v"), (END, "e"))]


class ServesUncommitted(ServesRecords):
    """A broker as it is, to a client that reads what is not committed as well."""

    action = "uncommitted"


class HeldBack(Session):
    """Gives no records sooner than after a while, and answers at once who asks for none."""

    def fetch(self, request: Request) -> Value:
        body = super().fetch(request)
        is_empty = not request.value["topics"] and not request.value.get("sessionId", 0)
        self.delay_s = HELD_S if is_empty else max(self.delay_s, HELD_S)
        return body


class ServesPauses(Scenario):
    """Has more and more records in two partitions, to a client that pauses them."""

    about = "FetchRequest"
    action: ClassVar[Action] = "pause"
    sessions = HeldBack

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return many batches, of a record each."""
        del index
        return _MANY if topic.name == OTHER else []

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The next one."""
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


class ServesTopicsAside(ServesPauses):
    """Has more and more records in two topics, to a client that pauses one of them."""

    action = "aside"

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return many batches for either partition."""
        del topic, index
        return _MANY


class ServesWidening(ServesPauses):
    """Has more and more records in two partitions, to a client that is assigned the second late."""

    action = "widen"


class ServesPosition(Scenario):
    """Has two records and gives them one by one, to a client that tells where it is."""

    about = "FetchRequest"
    action = "position"

    def records(self) -> list[Batch]:
        """Return one record, and the last one."""
        return [batch(0, ("k", "v")), batch(1, (END, "e"))]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The next one."""
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


class ServesAlteration(Scenario):
    """A broker as it is, to a client that alters one of its configs."""

    action = "alter"


class ServesReplacement(Scenario):
    """A broker as it is, to a client that gives it a config in place of all."""

    action = "replace"


class ServesAcls(Scenario):
    """A broker as it is, to a client that creates an ACL, describes it and deletes it."""

    action = "acls"


class ServesForgetting(Scenario):
    """A broker as it is, to a client that deletes what a group committed."""

    action = "forget"


class ServesDeletion(Scenario):
    """A broker as it is, to a client that deletes a topic."""

    action = "delete"


class ServesDirs(Scenario):
    """A broker as it is, to a client that describes its log dirs."""

    action = "dirs"


class ServesNameless(Scenario):
    """A broker as it is, to a client that has no client id."""

    action = "nameless"


class ServesBlank(Scenario):
    """A broker as it is, to a client whose client id is empty."""

    action = "blank"


class ServesLengthy(Scenario):
    """A broker as it is, to a client with a client id of 300 bytes."""

    action = "lengthy"


class ServesBrimming(Scenario):
    """A broker as it is, to a client with a client id of 240 bytes."""

    action = "brimming"


class ServesForeign(Scenario):
    """A broker as it is, to a client with a client id beyond ASCII."""

    action = "foreign"


_MANY = [batch(offset, ("k", "v")) for offset in range(MANY)]
