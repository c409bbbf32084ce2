"""Frames: how they are cut, what ends a connection, and that answers keep the order."""

import struct

import pytest

from conformance.reference.broker.broker import Broker
from tests.reference.broker.asking import bare, frame, metadata, read, sized

ASK = frame("Metadata", 1, metadata([], 1))
ASK_AGAIN = frame("Metadata", 1, metadata([], 1), correlation_id=-8)


@pytest.fixture
def session():
    return Broker().session()


def test_a_request_is_answered_when_its_last_byte_has_come(session):
    for byte in ASK[:-1]:
        assert session.receive(bytes([byte])) == []
    assert len(session.receive(ASK[-1:])) == 1


def test_many_requests_at_once_are_answered_in_their_order(session):
    answers = session.receive(ASK + ASK_AGAIN + ASK)
    assert [read("Metadata", 1, each)[0] for each in answers] == [7, -8, 7]


@pytest.mark.parametrize("correlation_id", [-1, 2**31 - 1, -(2**31), 0])
def test_a_correlation_id_is_echoed_whatever_it_is(session, correlation_id):
    (answer,) = session.receive(frame("ApiVersions", 0, {}, correlation_id))
    assert read("ApiVersions", 0, answer)[0] == correlation_id


@pytest.mark.parametrize("size", [-1, 0, 2**31 - 1, -(2**31), 1024 * 1024 + 1])
def test_a_size_that_can_be_none_ends_the_connection_at_once(session, size):
    assert session.receive(struct.pack(">i", size)) == []
    assert session.closed


def test_a_frame_of_the_greatest_size_is_read():
    session = Broker(max_request_bytes=len(ASK) - 4).session()
    assert len(session.receive(ASK)) == 1


@pytest.mark.parametrize(
    "data",
    [
        bare(9999, 0),
        bare(-1, 0),
        bare(3, 99),
        bare(3, -1),
        bare(3, 1),
        sized(b"\0\3"),
        sized(b"\0"),
        bare(3, 1, struct.pack(">i", 2**31 - 1)),
    ],
    ids=[
        "unknown key",
        "negative key",
        "version above",
        "version below",
        "body missing",
        "header cut",
        "one byte",
        "count of 2^31-1",
    ],
)
def test_what_is_no_request_ends_the_connection(session, data):
    assert session.receive(data) == []
    assert session.closed


def test_what_was_answered_before_still_goes_out_and_nothing_after_is_read(session):
    answers = session.receive(ASK + bare(9999, 0) + ASK)
    assert len(answers) == 1
    assert session.closed
    assert session.receive(ASK) == []


def test_bytes_behind_the_last_field_are_ignored(session):
    (answer,) = session.receive(sized(ASK[4:] + b"\1\2\3"))
    assert answer == Broker().session().receive(ASK)[0]


def test_a_client_id_below_null_is_null(session):
    data = sized(struct.pack(">hhihi", 3, 1, 7, -5, 0))
    assert len(session.receive(data)) == 1


def test_unknown_tags_of_header_and_body_are_skipped(session):
    tagged = b"\x02\x63\x01x\x64\x00"
    data = bare(3, 9, tagged + b"\x01" + b"\0\0\0" + tagged)
    (answer,) = session.receive(data)
    assert read("Metadata", 9, answer)[1]["topics"] == []


def test_a_name_that_cannot_be_written_again_ends_the_connection(session):
    not_utf8 = b"\xff" * 32767
    data = bare(3, 1, struct.pack(">ih", 1, len(not_utf8)) + not_utf8)
    assert session.receive(data) == []
    assert session.closed
