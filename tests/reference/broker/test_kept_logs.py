"""A broker that keeps logs checks what is written, and forgets the oldest producers."""

import pytest

from conformance.brokers.mutants import stocked
from conformance.brokers.mutants.records.reading import OfSessions
from conformance.brokers.mutants.records.transactions import WITH_TRANSACTIONS
from conformance.brokers.score import verdicts_of
from conformance.reference.broker import broker as reference
from conformance.reference.broker.groups import kept_transactions
from conformance.reference.broker.records import producers
from conformance.reference.broker.releases import NAMES, stored_versions
from conformance.schema.record_batch import LAYOUT
from tests.reference.broker.asking import ask
from tests.reference.broker.test_produce import RECORD, batch, produced

SESSIONS = ("log.session-has-changes-alone", "log.session-epoch-refused")


def keeping(**settings):
    made = reference.Broker(**{**WITH_TRANSACTIONS, **settings})
    return stocked(made)


def of_producer(broker, producer_id, sequence=0):
    value = {
        **LAYOUT.default_value(),
        "producerId": producer_id,
        "producerEpoch": 0,
        "baseSequence": sequence,
        "records": [{**RECORD, "offsetDelta": 0}],
    }
    return broker.writes.encode("RecordBatch", 2, value)


def initialised(broker, name):
    asked = {"transactionalId": name, "transactionTimeoutMs": 1000}
    found = ask(broker, "InitProducerId", 2, asked)
    return found["errorCode"], found["producerId"], found["producerEpoch"]


@pytest.mark.parametrize("rule", SESSIONS)
def test_a_broker_with_sessions_keeps_their_rules(rule):
    assert {each.verdict for each in verdicts_of(stocked(OfSessions()), rule)} == {"pass"}


def test_two_batches_are_taken_unless_logs_are_kept():
    assert produced(stocked(reference.Broker()), name="events", data=batch() + batch())[0] == 0
    assert produced(keeping(), name="events", data=batch() + batch())[0] == 87


def test_a_transactional_id_is_known_again_where_logs_are_kept():
    broker = keeping()
    assert [initialised(broker, "t") for _ in range(2)] == [(0, 1, 0), (0, 1, 1)]
    plain = reference.Broker(stored_versions(names=NAMES))
    assert [initialised(plain, "t") for _ in range(2)] == [(0, 1, 0), (0, 2, 0)]


def test_the_oldest_producers_of_a_partition_are_forgotten(monkeypatch):
    monkeypatch.setattr(producers, "MOST_PRODUCERS", 2)
    broker = keeping()
    for producer_id in (1, 2, 3):
        assert produced(broker, name="events", data=of_producer(broker, producer_id))[0] == 0
    assert list(broker.topics["events"].producers[0]) == [2, 3]


def test_the_oldest_transactional_ids_are_forgotten(monkeypatch):
    monkeypatch.setattr(kept_transactions, "MOST_TRANSACTIONS", 2)
    broker = keeping()
    for name in ("t", "u", "v"):
        initialised(broker, name)
    assert list(broker.transactions) == ["u", "v"]
