"""Frames that break one rule are found by that rule, and their well-formed control cases break
none."""

import base64
import struct
from dataclasses import dataclass

import pytest

from conformance.codecs.cases.vectors import read_vectors
from tests.captures.speaking import (
    CODEC,
    NAMES,
    audited_line,
    broken,
    exchanged,
    greeting,
    hello,
    request,
    response,
    sized,
)
from tests.captures.writing import Line

READABLE = "client-requests.readable"
TOPICS = {"topics": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAA", "name": "a"}]}
NODE = {"nodeId": 1, "host": "b", "port": 9092, "rack": None}


@dataclass(frozen=True)
class Planted:
    """A frame that breaks a rule, and the one that does not; the frames it comes between."""

    rule: str
    bad: bytes
    good: bytes
    asked: bytes | None = None
    answered: bytes | None = None


def tagged(frame: bytes, *tags: tuple[int, bytes]) -> bytes:
    """A frame that ended with an empty tag section, with these tags in it."""
    assert frame[-1] == 0
    body = b"".join(bytes([tag, len(value)]) + value for tag, value in tags)
    return frame[:-1] + bytes([len(tags)]) + body


EPOCH_AND_READY = ((1, struct.pack(">q", 7)), (3, b"\x01"))
METADATA = request("Metadata", 12, TOPICS, 1)
METADATA_1 = request("Metadata", 1, {"topics": [{"name": "a"}]}, 1)
NODES = response("Metadata", 12, {"brokers": [NODE], "controllerId": 1}, 1)
NODES_1 = response("Metadata", 1, {"brokers": [NODE]}, 1)
FOUND = response("FindCoordinator", 3, {"host": "b"}, 1)
FINDS = request("FindCoordinator", 3, {"key": "g"}, 1)
HELLO = hello()
AT = HELLO.index(b"\x06black")
EMPTY_TAGS = METADATA.index(b"\0\x02")

REQUESTS = [
    Planted(
        "tags.ascending", tagged(HELLO, (9, b"y"), (8, b"x")), tagged(HELLO, (8, b"x"), (9, b"y"))
    ),
    Planted("framing.nothing-after-end", HELLO + b"\0", HELLO),
    Planted("compact.null-not-written", HELLO[:AT] + b"\0" + HELLO[AT + 6 :], HELLO),
    Planted(
        "primitives.null-not-written",
        METADATA_1.replace(b"\0\x01a", b"\xff\xff"),
        METADATA_1,
    ),
    Planted("request-header.flexible-adds-tags", METADATA[:11] + METADATA[12:], METADATA),
    Planted(
        "request-header.flexible-adds-tags", METADATA_1[:11] + b"\0" + METADATA_1[11:], METADATA_1
    ),
    Planted("request-header.controlled-shutdown-v0", METADATA_1[:8] + METADATA_1[11:], METADATA_1),
    Planted("primitives.string-plain-utf8", HELLO.replace(b"\0\x01c", b"\0\x01\xff"), HELLO),
    Planted("primitives.varint-shortest", HELLO.replace(b"\x06black", b"\x86\0black"), HELLO),
    Planted("tags.section-ends-struct", HELLO[:-1], HELLO),
    Planted(READABLE, METADATA_1[:-1], METADATA_1),
    Planted(READABLE, METADATA[:12] + b"\x02\0\0", METADATA),
    Planted("primitives.boolean-one-or-zero", METADATA[:-2] + b"\x05\0", METADATA[:-2] + b"\x01\0"),
    Planted(
        "client-requests.software-named",
        request("ApiVersions", 3, NAMES | {"clientSoftwareName": "-black"}, 1),
        HELLO,
    ),
    Planted(
        "client-coordinators.keys-fit",
        request("FindCoordinator", 4, {"coordinatorKeys": [""]}, 1),
        request("FindCoordinator", 4, {"coordinatorKeys": ["g"]}, 1),
    ),
]
RESPONSES = [
    Planted(
        "tags.ascending",
        tagged(greeting(), *reversed(EPOCH_AND_READY)),
        tagged(greeting(), *EPOCH_AND_READY),
        asked=HELLO,
    ),
    Planted("tags.default-left-out", tagged(greeting(), (3, b"\0")), greeting(), asked=HELLO),
    Planted(
        "tags.size-is-plain-length",
        tagged(greeting(), (3, b"\x01")).replace(b"\x03\x01\x01", b"\x03\x02\x01"),
        tagged(greeting(), (3, b"\x01")),
        asked=HELLO,
    ),
    Planted(
        "response-header.api-versions-stays-v0",
        greeting()[:4] + b"\0" + greeting()[4:],
        greeting(),
        asked=HELLO,
    ),
    Planted("response-header.flexible-adds-tags", NODES[:4] + NODES[5:], NODES, asked=METADATA),
    Planted("response-header.body-has-request-version", NODES_1, NODES, asked=METADATA),
    Planted("framing.nothing-after-end", NODES + b"xy", NODES, asked=METADATA),
    Planted("compact.null-not-written", FOUND.replace(b"\x02b", b"\0"), FOUND, asked=FINDS),
    Planted("framing.correlation-id-echoed", b"\0\0\0\x09" + NODES[4:], NODES, asked=METADATA),
]


def audited_frames(folder, asked, answered, profile="kafka"):
    line = exchanged((asked, answered)) if answered else Line().opens().asks(sized(asked)).closes()
    return audited_line(folder, line, profile=profile)


@pytest.mark.parametrize("planted", REQUESTS, ids=lambda each: each.rule)
def test_a_request_that_breaks_a_rule_is_found_and_its_control_case_is_not(planted, tmp_path):
    _, verdicts = audited_frames(tmp_path, planted.bad, None)
    assert broken(verdicts) == {planted.rule}
    assert "client" in verdicts[0].who or "black" in verdicts[0].who
    _, verdicts = audited_frames(tmp_path, planted.good, None)
    assert verdicts
    assert not broken(verdicts)


@pytest.mark.parametrize("planted", RESPONSES, ids=lambda each: each.rule)
def test_an_answer_that_breaks_a_rule_is_found_and_its_control_case_is_not(planted, tmp_path):
    _, verdicts = audited_frames(tmp_path, planted.asked, planted.bad)
    assert broken(verdicts) == {planted.rule}
    assert {each.who for each in verdicts if each.verdict.verdict != "pass"} == {
        "broker 10.0.0.1:9092"
    }
    _, verdicts = audited_frames(tmp_path, planted.asked, planted.good)
    assert verdicts
    assert not broken(verdicts)


def test_a_violation_shows_the_bytes_around_it(tmp_path):
    _, verdicts = audited_frames(tmp_path, HELLO[:AT] + b"\0" + HELLO[AT + 6 :], None)
    shown = next(each.verdict for each in verdicts if each.verdict.verdict == "fail")
    (marked,) = [row for row in shown.annotated if row.differs]
    assert (marked.offset, marked.path) == (AT, "clientSoftwareName(length)")
    assert bytes.fromhex(shown.actual) == HELLO[:AT] + b"\0" + HELLO[AT + 6 :]


def test_a_rule_of_kafka_alone_is_a_note_by_the_specification(tmp_path):
    longer = HELLO.replace(b"\x06black", b"\x86\0black")
    tables, _ = audited_frames(tmp_path, longer, None, profile="spec")
    assert not tables.violations
    assert [each.rule for each in tables.notes.values()] == ["primitives.varint-shortest"]


def test_an_answer_of_version_0_that_refuses_a_version_breaks_nothing(tmp_path):
    refusal = CODEC.encode_response(
        "ApiVersionsResponse", 0, {"correlationId": 1}, {"errorCode": 35, "apiKeys": []}
    )
    _, verdicts = audited_frames(tmp_path, HELLO, refusal)
    assert verdicts
    assert not broken(verdicts)


def test_a_batch_with_a_wrong_checksum_and_one_too_many_are_found(tmp_path):
    (batch,) = [each.data for each in read_vectors("RecordBatch") if each.id.endswith("v2-plain")]
    wrong = batch[:17] + bytes([batch[17] ^ 1]) + batch[18:]
    invalid, several = {"client-requests.records-valid"}, {"client-requests.one-batch"}
    for data, rules in ((wrong, invalid), (batch * 2, several), (batch, set())):
        partition = {"index": 0, "records": _base64(data)}
        topics = {"topicData": [{"name": "a", "partitionData": [partition]}], "acks": 1}
        _, verdicts = audited_frames(tmp_path, request("Produce", 9, topics, 1), None)
        assert broken(verdicts) == rules


def test_a_correlation_id_that_waits_already_is_found(tmp_path):
    twice = Line().opens().asks(sized(hello(1)), sized(hello(1)))
    _, verdicts = audited_line(tmp_path, twice, profile="kafka")
    assert broken(verdicts) == {"client-requests.correlation-ids-differ"}
    anew = Line().opens().asks(sized(hello(1))).answers(sized(greeting(1))).asks(sized(hello(1)))
    _, verdicts = audited_line(tmp_path, anew, profile="kafka")
    assert verdicts
    assert not broken(verdicts)


def test_answers_out_of_order_are_found(tmp_path):
    line = Line().opens().asks(sized(hello(1)), sized(hello(2)))
    _, verdicts = audited_line(tmp_path, line.answers(sized(greeting(2)), sized(greeting(1))))
    assert broken(verdicts) == {"framing.responses-in-order"}
    line = Line().opens().asks(sized(hello(1)), sized(hello(2)))
    _, verdicts = audited_line(tmp_path, line.answers(sized(greeting(1)), sized(greeting(2))))
    assert verdicts
    assert not broken(verdicts)


def test_secrets_are_in_no_verdict(tmp_path):
    token = request("SaslAuthenticate", 2, {"authBytes": _base64(b"\0alice\0hunter2")}, 1)
    _, verdicts = audited_frames(tmp_path, token + b"\0", None)
    assert broken(verdicts) == {"framing.nothing-after-end"}
    assert b"hunter2".hex() not in str(verdicts)
    assert "aHVudGVyMg" not in str(verdicts)
    assert "hunter2" not in str(verdicts)


def _base64(data):
    return base64.b64encode(data).decode()
