"""Conversations, whose answers are compared with the reference broker's: see `exploring`.

A run that explores makes up its own. This one is always the same: what is written to a log is read
and looked up again, after the begin of the log was deleted too.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import BATCHES_SINCE, LATEST, MAX_BYTES, batch
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.exploring.cases import RULE, held
from conformance.brokers.exploring.conversation import Asked
from conformance.brokers.exploring.identities import PLACE
from conformance.dialogue import Dialogue, NotApplicable
from conformance.schema.filling import filled

NEEDS = ("Metadata", "Produce", "Fetch", "ListOffsets", "DeleteRecords", "DeleteTopics")
NAME = f"{PLACE}log"
TIME_MS = 10_000


@question(RULE, "CreateTopics", needs=NEEDS, wants=("writes", "explores"))
def _a_log_that_is_cut_off(talk: Talk) -> Dialogue:
    if len(talk.facts.nodes) > 1:
        raise NotApplicable("conversations are held with a single broker")
    records = b64encode(batch(talk, 0, "a", "b", "c")).decode()
    topic = {"name": NAME, "numPartitions": 1, "replicationFactor": 1}
    partition = {"partitionIndex": 0, "timestamp": LATEST, "currentLeaderEpoch": -1}
    to_delete = {"name": NAME, "partitions": [{"partitionIndex": 0, "offset": 1}]}
    data = {"name": NAME, "partitionData": [{"index": 0, "records": records}]}
    yield from held(
        talk.facts,
        (
            _asked(talk, "CreateTopics", topics=[topic], timeoutMs=TIME_MS),
            _asked(
                talk, "Produce", transactionalId=None, acks=-1, timeoutMs=TIME_MS, topicData=[data]
            ),
            _fetch(talk),
            _asked(talk, "DeleteRecords", topics=[to_delete], timeoutMs=TIME_MS),
            _fetch(talk),
            _asked(
                talk,
                "ListOffsets",
                replicaId=-1,
                topics=[{"name": NAME, "partitions": [partition]}],
            ),
        ),
    )


def _fetch(talk: Talk) -> Asked:
    wanted = {
        "partition": 0,
        "currentLeaderEpoch": -1,
        "fetchOffset": 1,
        "lastFetchedEpoch": -1,
        "logStartOffset": -1,
        "partitionMaxBytes": MAX_BYTES,
    }
    topic = {"topic": NAME, "partitions": [wanted]}
    fields = {"maxWaitMs": 0, "minBytes": 0, "maxBytes": MAX_BYTES, "sessionEpoch": -1}
    return _asked(talk, "Fetch", replicaId=-1, topics=[topic], **fields)


def _asked(talk: Talk, api: str, **fields: Any) -> Asked:
    """Return a request in the highest version that names topics by their names."""
    low, high = talk.facts.range_of(api)
    version = max(low, min(high, LAST_BY_NAME.get(api, high)))
    if version < BATCHES_SINCE.get(api, 0):
        raise NotApplicable(f"{api} has no version with batches")
    layout = talk.codec.form(f"{api}Request", version).layout
    return Asked(api, version, filled(layout, fields))


LAST_BY_NAME = {"Produce": 12, "Fetch": 12}
