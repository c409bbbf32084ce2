"""Produce: records are counted, and without acknowledgement nobody is told."""

import base64
from typing import Any

import pytest

from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import LAYOUT
from tests.reference.broker.asking import ask, frame, with_topics

RECORD: dict[str, Any] = {
    "attributes": 0,
    "timestampDelta": 0,
    "key": None,
    "value": "AAE=",
    "headers": [],
}


def batch(number=1):
    records = [{**RECORD, "offsetDelta": index} for index in range(number)]
    value = {**LAYOUT.default_value(), "lastOffsetDelta": number - 1, "records": records}
    return ReferenceCodec().encode("RecordBatch", 2, value)


def request(name="a", index=0, data=None, acks=1, version=9, topic_id=None):
    records = base64.b64encode(batch() if data is None else data).decode()
    item = {"partitionData": [{"index": index, "records": records}]}
    named = {"name": name} if version < 13 else {"topicId": topic_id}
    return {
        "transactionalId": None,
        "acks": acks,
        "timeoutMs": 1000,
        "topicData": [{**named, **item}],
    }


def produced(broker, version=9, **given):
    answer = ask(broker, "Produce", version, request(version=version, **given))
    [topic] = answer["responses"]
    [found] = topic["partitionResponses"]
    return found["errorCode"], found["baseOffset"]


@pytest.mark.parametrize("version", range(3, 13))
def test_records_are_counted(version):
    broker = with_topics("a")
    assert produced(broker, version, data=batch(3)) == (0, 0)
    assert produced(broker, version) == (0, 3)


def test_a_topic_is_written_to_by_its_id():
    broker = with_topics("a")
    assert produced(broker, 13, topic_id=broker.topics["a"].topic_id) == (0, 0)
    assert produced(broker, 13, topic_id="AAAAAAAAAAAAAAAAAAAAAQ") == (100, -1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": "nope"}, 3),
        ({"index": 1}, 3),
        ({"index": -1}, 3),
        ({"data": b"no batch"}, 2),
        ({"data": batch()[:-1] + b"!"}, 2),
        ({"acks": 2}, 21),
    ],
)
def test_what_can_not_be_written_is_refused(given, expected):
    assert produced(with_topics("a"), **given) == (expected, -1)


def test_without_acknowledgement_there_is_no_answer():
    session = with_topics("a").session()
    assert session.receive(frame("Produce", 9, request(acks=0))) == []
    assert not session.closed
    assert produced(session) == (0, 1)


def test_without_acknowledgement_an_error_is_told_by_hanging_up():
    session = with_topics("a").session()
    assert session.receive(frame("Produce", 9, request("nope", acks=0))) == []
    assert session.closed
