"""Brokers as they are: what a client must do well with before what a scenario plays counts."""

from __future__ import annotations

import base64
import struct
from typing import Any, ClassVar

from conformance.clients.scenarios.actions import END, OTHER, PASSWORD, USER, USERS
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


class ServesCreation(Scenario, action="create"):
    """A broker as it is, to a client that creates a topic."""


class ServesWriting(Scenario, action="produce"):
    """A broker as it is, to a client that writes a record."""


class ServesReading(Scenario, action="consume"):
    """A broker as it is, to a client that reads a record."""


class ServesMembers(Scenario, action="join"):
    """A broker as it is, to a client that reads a record as a member of a group."""


class ServesSticky(Scenario, action="sticky"):
    """A broker as it is, to a member of a group that leaves members what they have."""


class ServesCommits(Scenario, action="commits"):
    """A broker as it is, to a member of a group that commits many times."""


class ServesConsumers(Scenario, action="member"):
    """A broker as it is, to a member of a group whose coordinator shares out."""


class ServesAgain(Scenario, action="again"):
    """A broker as it is, to a member whose coordinator shares out, and that comes again."""


class ServesChanges(Scenario, action="change"):
    """A broker as it is, to a member of a group that wants another topic as well."""


class ServesShares(Scenario, action="share"):
    """A broker as it is, to a member of a share group."""


class ServesSharedOffsets(Scenario, action="shared"):
    """A broker that finds a coordinator for each key, to who asks where a share group is."""

    def check_key(self, request: Request, key: str) -> None:
        """Accept a key of any kind."""


class ServesOffsetLookups(Scenario, action="lookup"):
    """A broker as it is, to a client that looks offsets up."""


class ServesResuming(Scenario, action="resume"):
    """A broker as it is, to a client that reads a record where a group has come to."""


class ServesBatches(Scenario, action="batch"):
    """A broker as it is, to a client that writes several records at once."""


class ServesGzip(Scenario, action="gzip"):
    """A broker as it is, to a client that compresses with gzip."""


class ServesSnappy(Scenario, action="snappy"):
    """A broker as it is, to a client that compresses with snappy."""


class ServesLz4(Scenario, action="lz4"):
    """A broker as it is, to a client that compresses with lz4."""


class ServesZstd(Scenario, action="zstd"):
    """A broker as it is, to a client that compresses with zstd."""


class ServesUnacknowledged(Scenario, action="unacknowledged"):
    """A broker as it is, to a client that waits for no answer."""


class ServesIdempotent(Scenario, action="idempotent"):
    """A broker as it is, to a client that writes two records as an idempotent producer."""


class ServesStreams(Scenario, action="stream"):
    """A broker as it is, to a client that writes on before what it wrote is acknowledged."""


class ServesFlushes(Scenario, action="flush"):
    """A broker as it is, to a client that flushes what it was given."""


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


class ServesTwoTopics(Scenario, action="both"):
    """A broker as it is, to a client that writes to two topics."""


class ServesMaking(Scenario, action="made"):
    """A broker that makes a topic that is written to, where it may."""


class ServesPatient(Scenario, action="patient"):
    """A broker as it is, to a client that gives it a long time for a record."""


class ServesTransactions(Scenario, action="transact"):
    """A broker as it is, to a client that writes in a transaction."""


class ServesEmptyTransactions(Scenario, action="empty"):
    """A broker as it is, to a client that commits a transaction with nothing in it."""


class ServesFencing(Scenario, action="fence"):
    """A broker as it is, to an administrator who fences the producers of a transaction off."""


class ServesTwoTransactions(Scenario, action="twice"):
    """A broker as it is, to a client that writes two transactions, one behind the other."""


class ServesLater(Scenario, action="later"):
    """A broker as it is, to a client that writes again when the time for its records is up."""


class LogsIn(Scenario, is_known=False, about="SaslHandshakeRequest", action="login"):
    """A broker that has a user, and another one whose name is odd."""

    login = USER, PASSWORD

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"users": USERS, "authorizer": False, **settings})


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


class ServesOffsets(Scenario, action="offsets"):
    """A broker as it is, to a client that lists all that a group committed."""


class ServesConfigs(Scenario, action="configs"):
    """A broker as it is, to a client that describes its configs."""


class ServesBrokers(Scenario, about="DescribeConfigsRequest", action="brokers"):
    """One of two brokers as they are, to a client that describes the configs of both."""

    others: ClassVar = {SECOND: Scenario}


class ServesEnds(Scenario, action="ends"):
    """A broker as it is, to a client that asks where a partition ends."""


class ServesLatest(Scenario, action="latest"):
    """A broker as it is, to an administrator who asks where a partition ends."""


class ServesGrowth(Scenario, action="grow"):
    """A broker as it is, to a client that asks for more partitions with validateOnly."""


class ServesTrimming(Scenario, action="trim"):
    """A broker as it is, to a client that deletes the first record of a topic."""


class ServesElections(Scenario, action="elect"):
    """A broker as it is, to a client that has the leader of a partition elected."""


class ServesDescription(Scenario, action="describe"):
    """A broker as it is, to a client that describes a topic."""


class ServesDescribedClusters(Scenario, about="MetadataRequest", action="cluster"):
    """A broker as it is, to a client that is asked for the controller."""


class ServesRecords(Scenario, action="read"):
    """A broker as it is, to a client that reads all records of a partition and tells each."""

    def records(self) -> list[Batch]:
        """Return one record, and the last one."""
        return [batch(0, ("k", "v"), (END, "e"))]


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
        del index
        return _MANY if topic.name == OTHER else []

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The next one."""
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


class ServesTopicsAside(ServesPauses, action="aside"):
    """Has more and more records in two topics, to a client that pauses one of them."""

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return many batches for either partition."""
        del topic, index
        return _MANY


class ServesWidening(ServesPauses, action="widen"):
    """Has more and more records in two partitions, to a client that is assigned the second late."""


class ServesPosition(Scenario, about="FetchRequest", action="position"):
    """Has two records and gives them one by one, to a client that tells where it is."""

    def records(self) -> list[Batch]:
        """Return one record, and the last one."""
        return [batch(0, ("k", "v")), batch(1, (END, "e"))]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The next one."""
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


class ServesAlteration(Scenario, action="alter"):
    """A broker as it is, to a client that alters one of its configs."""


class ServesReplacement(Scenario, action="replace"):
    """A broker as it is, to a client that gives it a config in place of all."""


class ServesAcls(Scenario, action="acls"):
    """A broker as it is, to a client that creates an ACL, describes it and deletes it."""


class ServesForgetting(Scenario, action="forget"):
    """A broker as it is, to a client that deletes what a group committed."""


class ServesDeletion(Scenario, action="delete"):
    """A broker as it is, to a client that deletes a topic."""


class ServesDirs(Scenario, action="dirs"):
    """A broker as it is, to a client that describes its log dirs."""


class ServesNameless(Scenario, action="nameless"):
    """A broker as it is, to a client that has no client id."""


class ServesBlank(Scenario, action="blank"):
    """A broker as it is, to a client whose client id is empty."""


class ServesLengthy(Scenario, action="lengthy"):
    """A broker as it is, to a client with a client id of 300 bytes."""


class ServesBrimming(Scenario, action="brimming"):
    """A broker as it is, to a client with a client id of 240 bytes."""


class ServesForeign(Scenario, action="foreign"):
    """A broker as it is, to a client with a client id beyond ASCII."""


_MANY = [batch(offset, ("k", "v")) for offset in range(MANY)]
