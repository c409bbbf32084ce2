"""The APIs that the reference client speaks, and in which versions."""

from __future__ import annotations

from conformance.reference.broker.played import Ranges
from conformance.wire.frames import API_VERSIONS

PRODUCE, FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR = 0, 1, 2, 3, 10
OFFSET_COMMIT, OFFSET_FETCH, JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP = 8, 9, 11, 12, 13, 14
LIST_GROUPS, DESCRIBE_CONFIGS, SASL_HANDSHAKE, SASL_AUTHENTICATE = 16, 32, 17, 36
DESCRIBE_GROUPS, CREATE_TOPICS, INIT_PRODUCER_ID, SUBSCRIPTIONS, PUSH = 15, 19, 22, 71, 72
OFFSET_FOR_LEADER_EPOCH = 23
ADD_PARTITIONS_TO_TXN, ADD_OFFSETS_TO_TXN, END_TXN, TXN_OFFSET_COMMIT = 24, 25, 26, 28
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
    INIT_PRODUCER_ID: (0, 5),
    OFFSET_FOR_LEADER_EPOCH: (2, 4),
    ADD_PARTITIONS_TO_TXN: (0, 3),
    ADD_OFFSETS_TO_TXN: (0, 4),
    END_TXN: (0, 5),
    TXN_OFFSET_COMMIT: (0, 5),
    SUBSCRIPTIONS: (0, 0),
    PUSH: (0, 0),
}
BATCHES_SINCE = 4
"""The first version of FindCoordinator that asks for several keys at once."""
LAST_BY_NAME = {PRODUCE: 12, FETCH: 12, OFFSET_COMMIT: 9, OFFSET_FETCH: 9}
"""The last versions that have names of topics; later ones have ids."""
