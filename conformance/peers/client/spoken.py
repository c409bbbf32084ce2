"""The APIs that the reference client speaks, and in which versions."""

from __future__ import annotations

from conformance.peers.played import Ranges
from conformance.wire.frames import API_VERSIONS

PRODUCE, FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR = 0, 1, 2, 3, 10
DESCRIBE_GROUPS, CREATE_TOPICS, INIT_PRODUCER_ID, SUBSCRIPTIONS, PUSH = 15, 19, 22, 71, 72
SPOKEN: Ranges = {
    PRODUCE: (3, 13),
    FETCH: (0, 18),
    LIST_OFFSETS: (1, 10),
    METADATA: (0, 13),
    FIND_COORDINATOR: (0, 6),
    DESCRIBE_GROUPS: (0, 6),
    API_VERSIONS: (0, 5),
    CREATE_TOPICS: (2, 7),
    INIT_PRODUCER_ID: (0, 5),
    SUBSCRIPTIONS: (0, 0),
    PUSH: (0, 0),
}
BATCHES_SINCE = 4
"""The first version of FindCoordinator that asks for several keys at once."""
LAST_BY_NAME = 12
"""The last version of Produce and of Fetch that has names of topics; later ones have ids."""
