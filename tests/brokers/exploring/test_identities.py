"""Ids of two brokers that stand for each other, whichever way a value is read."""

import pytest

from conformance.brokers.exploring.asking.topics import unknown_id
from conformance.brokers.exploring.batches import producers_replaced
from conformance.brokers.exploring.comparing import Comparison
from conformance.brokers.exploring.identities import PLACE, Identities, Pairs
from conformance.brokers.mutants import stocked
from conformance.reference.broker.broker import Broker
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import ZERO_UUID
from conformance.schema.record_batch import LAYOUT, MAGIC, RECORD_BATCH

CODEC = ReferenceCodec()
ONE, TWO, THREE = (unknown_id(name) for name in "abc")


def identities() -> Identities:
    return Identities("kafka-conformance-7")


def test_a_name_of_a_conversation_is_as_long_with_the_target():
    known = identities()
    named = known.to_target({"name": f"{PLACE}a"})
    assert named["name"].startswith("kafka-conformance-7")
    assert len(named["name"]) == len(PLACE) + 1
    assert known.to_model(named) == {"name": f"{PLACE}a"}


def test_other_names_stay_as_they_are():
    assert identities().to_target(["", ".", "events"]) == ["", ".", "events"]


def test_ids_of_topics_are_translated_both_ways():
    known = identities()
    assert known.bind("topicId", ONE, TWO)
    assert known.to_target({"topics": [{"topicId": ONE}]}) == {"topics": [{"topicId": TWO}]}
    assert known.to_model({"topicId": TWO}) == {"topicId": ONE}


def test_an_id_that_nothing_gave_stands_for_itself():
    assert identities().to_target({"topicId": ONE}) == {"topicId": ONE}


@pytest.mark.parametrize(("model", "target"), [(ONE, THREE), (THREE, TWO)])
def test_no_id_stands_for_two(model, target):
    known = identities()
    assert known.bind("topicId", ONE, TWO)
    assert not known.bind("topicId", model, target)
    assert known.bind("topicId", ONE, TWO)


def test_no_id_stands_for_none():
    assert not identities().bind("topicId", ONE, ZERO_UUID)
    assert identities().bind("topicId", ZERO_UUID, ZERO_UUID)


def test_epochs_of_a_producer_are_translated_with_its_id():
    known = identities()
    assert known.bind("producerId", 1, 4000)
    assert known.bind_epoch(1, 0, 0)
    assert known.bind_epoch(1, 1, 2)  # Apache Kafka fences twice where a transaction was open
    asked = {"producerId": 1, "producerEpoch": 1}
    assert known.to_target(asked) == {"producerId": 4000, "producerEpoch": 2}
    assert known.to_model({"producerId": 4000, "producerEpoch": 2}) == asked


def test_an_epoch_to_come_is_as_far_away():
    known = identities()
    known.bind("producerId", 1, 4000)
    known.bind_epoch(1, 3, 6)
    asked = {"producerId": 1, "producerEpoch": 4}
    assert known.to_target(asked) == {"producerId": 4000, "producerEpoch": 7}


def test_epochs_only_rise():
    known = identities()
    assert known.bind_epoch(1, 1, 5)
    assert not known.bind_epoch(1, 2, 4)


def batch(producer: int, epoch: int) -> str:
    import base64

    value = {**LAYOUT.default_value(), "producerId": producer, "producerEpoch": epoch}
    return base64.b64encode(CODEC.encode(RECORD_BATCH, MAGIC, value)).decode()


def test_producers_in_batches_are_translated_and_the_checksum_with_them():
    known = identities()
    known.bind("producerId", 1, 4000)
    known.bind_epoch(1, 0, 9)
    asked = {"partitionData": [{"index": 0, "records": batch(1, 0)}]}
    assert known.to_target(asked)["partitionData"][0]["records"] == batch(4000, 9)
    assert known.to_model(known.to_target(asked)) == asked


def test_a_wrong_checksum_stays_wrong():
    import base64

    data = bytearray(base64.b64decode(batch(1, 0)))
    data[17] ^= 1
    wrong = base64.b64encode(data).decode()
    changed = base64.b64decode(producers_replaced(wrong, lambda _: 4000, lambda _, epoch: epoch))
    assert changed[17:21] == data[17:21]
    assert int.from_bytes(changed[43:51], "big") == 4000


def test_answers_with_other_ids_say_the_same():
    known = identities()
    comparison = Comparison(CODEC, known)
    model = {"topics": [{"name": f"{PLACE}a", "topicId": ONE, "errorCode": 0}]}
    target = {
        "topics": [{**known.to_target({"name": f"{PLACE}a"}), "topicId": TWO, "errorCode": 0}]
    }
    assert comparison.difference("Metadata", model, target) is None
    target["topics"][0]["topicId"] = THREE
    found = comparison.difference("Metadata", model, target)
    assert found is not None
    assert found.kind == "Metadata.topics.topicId"


def test_a_broker_that_is_stocked_has_no_name_of_a_conversation():
    assert not any(name.startswith(PLACE) for name in stocked(Broker()).topics)


def test_an_id_that_comes_back_as_it_was_asked_for_stands_for_nothing():
    pairs = Pairs()
    assert pairs.bind("member-A", "member-A")
    assert pairs.bind("member-A", "consumer-1")
    assert not pairs.bind("member-A", "consumer-2")
