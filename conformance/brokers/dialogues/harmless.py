"""One request of each API that changes nothing, whichever broker answers it.

It reads, only validates, holds an empty list, or uses names with the run's own prefix. It is
defined once per API, with the fields of all its versions, of which a version takes those that it
has; all others keep their defaults. It is answered at once: no request asks the broker to wait. An
API without such a request is left out, with the reason.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from conformance.brokers.dialogues.talk import SOFTWARE, Talk
from conformance.dialogue import NotApplicable
from conformance.schema.filling import filled

Fields = Mapping[str, Any]

NAME = "{name}"
"""Stands for a name that nothing has."""
SUBSCRIPTION = b64encode(struct.pack(">hii", 0, 0, -1)).decode()
"""The metadata of a member of protocol type `consumer` for each assignor: version 0 of
ConsumerProtocolSubscription, of no topic and without user data.
"""
NO_SUCH_ID = "x" * 21 + "A"
NO_SUCH_MEMBER = "kafka-conformance-member"
NO_REPLICA = -1
LEAVING = -1
"""The epoch of a member or a session that is over."""
ANYTHING = 1
"""The code for any operation and any permission, in filters of ACLs."""
TOPIC = 2
SOON_MS = 1000

_NOTHING: Fields = {}
_GROUP: Fields = {"groupId": NAME}
_GROUPS: Fields = {"groups": [NAME], "groupIds": [NAME], "groupsNames": [NAME]}
_MEMBER: Fields = {
    "groupId": NAME,
    "memberId": NO_SUCH_MEMBER,
    "members": [{"memberId": NO_SUCH_MEMBER}],
}
_JOINING_MEMBER: Fields = {
    **_MEMBER,
    "sessionTimeoutMs": 10_000,
    "rebalanceTimeoutMs": 10_000,
    "protocolType": "consumer",
    "protocols": [{"name": "range", "metadata": SUBSCRIPTION}],
}
_LEAVING_MEMBER: Fields = {**_MEMBER, "memberEpoch": LEAVING}
_PRODUCER: Fields = {"transactionalId": NAME, "producerId": -1, "producerEpoch": -1}
_TRANSACTION: Fields = {**_PRODUCER, "groupId": NAME}
_PARTITIONS: Fields = {"topics": [{"name": NAME, "partitionIndexes": [0], "partitions": [{}]}]}
_OFFSETS: list[Fields] = [{"name": NAME, "topicId": NO_SUCH_ID, "partitionIndexes": [0]}]
_IN_TRANSACTION: list[Fields] = [{"name": NAME, "partitions": [0]}]
_ACLS: Fields = {
    "resourceTypeFilter": TOPIC,
    "resourceNameFilter": NAME,
    "principalFilter": None,
    "hostFilter": None,
    "operation": ANYTHING,
    "permissionType": ANYTHING,
}
_CONFIGS: Fields = {
    "resources": [{"resourceType": TOPIC, "resourceName": NAME, "configurationKeys": None}],
    "validateOnly": True,
}
_NO_TOKEN: Fields = {"hmac": "AAAA", "renewPeriodMs": 1, "expiryTimePeriodMs": 1}
_TELEMETRY: Fields = {"clientInstanceId": NO_SUCH_ID}
_SHARE_SESSION: Fields = {
    "groupId": NAME,
    "memberId": NO_SUCH_ID,
    "shareSessionEpoch": LEAVING,
}

REQUESTS: dict[str, Fields] = {
    "Produce": {"acks": 1, "timeoutMs": SOON_MS},  # with acks 0 there is no answer
    "Fetch": {
        "replicaId": NO_REPLICA,
        "maxBytes": 1,
        "topics": [{"topic": NAME, "topicId": NO_SUCH_ID, "partitions": [{}]}],
    },
    "ListOffsets": {
        "replicaId": NO_REPLICA,
        "topics": [{"name": NAME, "partitions": [{"timestamp": -1, "maxNumOffsets": 1}]}],
        "timeoutMs": SOON_MS,
    },
    "Metadata": {"topics": [{"name": NAME}], "allowAutoTopicCreation": False},
    "OffsetCommit": _GROUP,
    "OffsetFetch": {**_GROUP, "topics": _OFFSETS, "groups": [{**_GROUP, "topics": _OFFSETS}]},
    "FindCoordinator": {"key": NAME, "coordinatorKeys": [NAME]},
    "JoinGroup": _JOINING_MEMBER,
    "Heartbeat": _MEMBER,
    "LeaveGroup": _MEMBER,
    "SyncGroup": _MEMBER,
    "DescribeGroups": _GROUPS,
    "ListGroups": _NOTHING,
    "SaslHandshake": {"mechanism": "PLAIN"},
    "ApiVersions": SOFTWARE,
    "CreateTopics": {
        "topics": [{"name": NAME, "numPartitions": 1, "replicationFactor": 1}],
        "timeoutMs": SOON_MS,
        "validateOnly": True,
    },
    "DeleteTopics": {"topics": [{"name": NAME}], "topicNames": [NAME], "timeoutMs": SOON_MS},
    "DeleteRecords": {"topics": [{"name": NAME, "partitions": [{}]}], "timeoutMs": SOON_MS},
    "InitProducerId": _NOTHING,  # no transaction has an empty id, and none is given out for it
    "OffsetForLeaderEpoch": {
        "replicaId": NO_REPLICA,
        "topics": [{"topic": NAME, "partitions": [{}]}],
    },
    "AddPartitionsToTxn": {
        "v3AndBelowTransactionalId": NAME,
        "v3AndBelowProducerId": -1,
        "v3AndBelowProducerEpoch": -1,
        "v3AndBelowTopics": _IN_TRANSACTION,
        "transactions": [{**_PRODUCER, "verifyOnly": True, "topics": _IN_TRANSACTION}],
    },
    "AddOffsetsToTxn": _TRANSACTION,
    "EndTxn": _TRANSACTION,
    "WriteTxnMarkers": _NOTHING,
    "TxnOffsetCommit": _TRANSACTION,
    "DescribeAcls": _ACLS,
    "CreateAcls": _NOTHING,
    "DeleteAcls": {"filters": [_ACLS]},
    "DescribeConfigs": _CONFIGS,
    "AlterConfigs": _CONFIGS,
    "AlterReplicaLogDirs": _NOTHING,
    "DescribeLogDirs": {"topics": [{"topic": NAME, "partitions": [0]}]},
    "SaslAuthenticate": _NOTHING,
    "CreatePartitions": {
        "topics": [{"name": NAME, "count": 1, "assignments": None}],
        "timeoutMs": SOON_MS,
        "validateOnly": True,
    },
    "CreateDelegationToken": {  # its renewer is no user, and its life would be over at once
        "ownerPrincipalType": None,
        "ownerPrincipalName": None,
        "renewers": [{"principalType": "Nobody", "principalName": NAME}],
        "maxLifetimeMs": 1,
    },
    "RenewDelegationToken": _NO_TOKEN,
    "ExpireDelegationToken": _NO_TOKEN,
    "DescribeDelegationToken": _NOTHING,
    "DeleteGroups": _GROUPS,
    "ElectLeaders": {"timeoutMs": SOON_MS},
    "IncrementalAlterConfigs": _CONFIGS,
    "AlterPartitionReassignments": {  # takes back what was never ordered
        "topics": [{"name": NAME, "partitions": [{"replicas": None}]}],
        "timeoutMs": SOON_MS,
    },
    "ListPartitionReassignments": {**_PARTITIONS, "timeoutMs": SOON_MS},
    "OffsetDelete": _GROUP,
    "DescribeClientQuotas": {"components": [{"entityType": "user", "match": NAME}]},
    "AlterClientQuotas": {
        "entries": [{"entity": [{"entityType": "user", "entityName": NAME}]}],
        "validateOnly": True,
    },
    "DescribeUserScramCredentials": {"users": [{"name": NAME}]},
    "AlterUserScramCredentials": {"deletions": [{"name": NAME, "mechanism": 1}]},
    "DescribeQuorum": {"topics": [{"topicName": "__cluster_metadata", "partitions": [{}]}]},
    "UpdateFeatures": {"timeoutMs": SOON_MS, "validateOnly": True},
    "FetchSnapshot": _PARTITIONS,
    "DescribeCluster": _NOTHING,
    "DescribeProducers": _PARTITIONS,
    "DescribeTransactions": {"transactionalIds": [NAME]},
    "ListTransactions": _NOTHING,
    "ConsumerGroupHeartbeat": _LEAVING_MEMBER,
    "ConsumerGroupDescribe": _GROUPS,
    "GetTelemetrySubscriptions": _TELEMETRY,
    "PushTelemetry": _TELEMETRY,
    "ListConfigResources": _NOTHING,
    "DescribeTopicPartitions": {"topics": [{"name": NAME}]},
    "ShareGroupHeartbeat": _LEAVING_MEMBER,
    "ShareGroupDescribe": _GROUPS,
    "ShareFetch": _SHARE_SESSION,
    "ShareAcknowledge": _SHARE_SESSION,
    "InitializeShareGroupState": _GROUP,
    "ReadShareGroupState": _GROUP,
    "WriteShareGroupState": _GROUP,
    "DeleteShareGroupState": _GROUP,
    "ReadShareGroupStateSummary": _GROUP,
    "StreamsGroupHeartbeat": _LEAVING_MEMBER,
    "StreamsGroupDescribe": _GROUPS,
    "DescribeShareGroupOffsets": {
        "groups": [{**_GROUP, "topics": [{"topicName": NAME, "partitions": [0]}]}]
    },
    "AlterShareGroupOffsets": _NOTHING,  # of no group: one with a name may come to be by it
    "DeleteShareGroupOffsets": _GROUP,
}
"""The request fields by API, except fields at their defaults."""

HARMLESS_SINCE = {"Metadata": 4, "CreateTopics": 1}
"""The first version that can say that the topics it names are not to be created. Those before it
name none."""

MAY_WAIT = frozenset({"JoinGroup"})
"""The APIs that a coordinator may answer later, when the group's other members have joined or did
not. Each request names a group of its own, so that no two of them wait for each other.
"""

_ORDER = "it is the controller's order to a broker, and carried out whoever it comes from"
_PLACE = "it speaks for a broker, and changes that broker's place in the cluster"
_ELECTION = "it takes part in the election of the metadata quorum's leader"
_VOTERS = "it changes who belongs to the metadata quorum"

LEFT_OUT = {
    "LeaderAndIsr": _ORDER,
    "StopReplica": _ORDER,
    "UpdateMetadata": _ORDER,
    "ControlledShutdown": _PLACE,
    "Vote": _ELECTION,
    "BeginQuorumEpoch": _ELECTION,
    "EndQuorumEpoch": _ELECTION,
    "AlterPartition": _PLACE,
    "Envelope": "it holds another request, which a broker hands on in the name of its own client",
    "BrokerRegistration": _PLACE,
    "BrokerHeartbeat": _PLACE,
    "UnregisterBroker": _PLACE,
    "AllocateProducerIds": "it uses up a block of producer ids",
    "ControllerRegistration": _VOTERS,
    "AssignReplicasToDirs": _PLACE,
    "AddRaftVoter": _VOTERS,
    "RemoveRaftVoter": _VOTERS,
    "UpdateRaftVoter": _VOTERS,
    "StreamsGroupTopologyDescriptionUpdate": "it stores what a member says of a group's topology",
    "UnregisterController": _VOTERS,
}
"""Requests that are never harmless, and why."""


def harmless(talk: Talk, api: str, version: int) -> dict[str, Any]:
    """Return the harmless request of an API in one version. Raises NotApplicable without one."""
    if api in LEFT_OUT:
        raise NotApplicable(f"nothing harmless can be asked: {LEFT_OUT[api]}")
    wanted = REQUESTS[api]
    if version < HARMLESS_SINCE.get(api, 0):
        wanted = {key: value for key, value in wanted.items() if key != "topics"} | {"topics": []}
    layout = talk.codec.form(f"{api}Request", version).layout
    alone = api in MAY_WAIT
    name = talk.facts.name("absent") if alone else f"{talk.facts.prefix}absent"
    return filled(layout, _named(wanted, name))


def _named(wanted: Any, name: str) -> Any:
    """Return a copy with a name in place of each placeholder."""
    if isinstance(wanted, Mapping):
        return {key: _named(value, name) for key, value in wanted.items()}
    if isinstance(wanted, list):
        return [_named(item, name) for item in wanted]
    return name if wanted == NAME else wanted
