"""The APIs that the reference client speaks, and in which versions."""

from __future__ import annotations

from conformance.api_keys import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    DELETE_RECORDS,
    DESCRIBE_CONFIGS,
    DESCRIBE_GROUPS,
    END_TXN,
    FETCH,
    FIND_COORDINATOR,
    GET_TELEMETRY_SUBSCRIPTIONS,
    HEARTBEAT,
    INIT_PRODUCER_ID,
    JOIN_GROUP,
    LEAVE_GROUP,
    LIST_GROUPS,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    OFFSET_FOR_LEADER_EPOCH,
    PRODUCE,
    PUSH_TELEMETRY,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
    SYNC_GROUP,
    TXN_OFFSET_COMMIT,
)
from conformance.reference.broker.releases import Ranges

SPOKEN: Ranges = {
    PRODUCE: (3, 13),
    FETCH: (0, 18),
    LIST_OFFSETS: (1, 10),
    METADATA: (0, 13),
    OFFSET_COMMIT: (2, 10),
    OFFSET_FETCH: (1, 10),
    FIND_COORDINATOR: (0, 6),
    JOIN_GROUP: (0, 9),
    HEARTBEAT: (0, 4),
    LEAVE_GROUP: (0, 5),
    SYNC_GROUP: (0, 5),
    DESCRIBE_GROUPS: (0, 6),
    API_VERSIONS: (0, 5),
    LIST_GROUPS: (0, 5),
    SASL_HANDSHAKE: (0, 1),
    CREATE_TOPICS: (2, 7),
    DESCRIBE_CONFIGS: (0, 4),
    SASL_AUTHENTICATE: (0, 2),
    CREATE_PARTITIONS: (0, 3),
    DELETE_RECORDS: (0, 2),
    INIT_PRODUCER_ID: (0, 5),
    OFFSET_FOR_LEADER_EPOCH: (2, 4),
    ADD_PARTITIONS_TO_TXN: (0, 3),
    ADD_OFFSETS_TO_TXN: (0, 4),
    END_TXN: (0, 5),
    TXN_OFFSET_COMMIT: (0, 5),
    CONSUMER_GROUP_HEARTBEAT: (0, 1),
    GET_TELEMETRY_SUBSCRIPTIONS: (0, 0),
    PUSH_TELEMETRY: (0, 0),
}
BATCHES_SINCE = 4
"""The first version of FindCoordinator that asks for several keys at once."""
LAST_BY_NAME = {PRODUCE: 12, FETCH: 12, OFFSET_COMMIT: 9, OFFSET_FETCH: 9}
"""The last versions that have names of topics; later ones have ids."""
