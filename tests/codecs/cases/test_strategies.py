"""The strategies that others use: values of the message, which shrink to what matters."""

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from conformance.codecs.cases.strategies import bodies, frames, malformed, messages
from conformance.reference.codec import LenientCodec, PlainCodec, ReferenceCodec
from conformance.schema.releases import form_for
from conformance.wire.errors import DecodeError
from conformance.wire.reader import UNKNOWN_TAGS

MESSAGES = [
    ("MetadataRequest", 0),
    ("MetadataResponse", 12),
    ("FetchRequest", 17),
    ("FetchResponse", 16),
    ("ApiVersionsResponse", 3),
    ("ConsumerGroupHeartbeatResponse", 0),
    ("DescribeClientQuotasResponse", 1),
    ("ConsumerProtocolSubscription", 3),
]
FORMS = pytest.mark.parametrize(("message", "version"), MESSAGES)
CODEC, PLAIN = ReferenceCodec(), PlainCodec()
A_FEW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


@FORMS
def test_a_value_survives_the_codec(message, version):
    @A_FEW
    @given(messages(message, version, unknown_tags=True))
    def check(value):
        data = CODEC.encode(message, version, value)
        assert data == PLAIN.encode(message, version, value)
        again, rest = CODEC.decode(message, version, data)
        assert not rest
        assert CODEC.encode(message, version, again) == data

    check()


@FORMS
def test_a_malformed_body_is_refused(message, version):
    @A_FEW
    @given(malformed(message, version))
    def check(edit):
        for codec in (CODEC, PLAIN, LenientCodec()):
            with pytest.raises(DecodeError):
                codec.decode(message, version, edit.data)
        assert edit.why

    check()


@A_FEW
@given(st.data())
def test_a_frame_has_the_header_of_its_version(data):
    frame = data.draw(frames("CreateTopicsRequest", 5))
    header, _, rest = CODEC.decode_request(frame)
    assert (header["requestApiKey"], header["requestApiVersion"], rest) == (19, 5, 0)


def test_a_message_shrinks_to_its_defaults():
    form = form_for("4.4.0", "FetchRequest", 17)
    assert form is not None
    assert find(messages("FetchRequest", 17), lambda value: True) == form.layout.default_value()


def test_what_is_left_of_a_counter_example_is_what_matters():
    def guilty(value):
        return any(broker["rack"] for broker in value["brokers"])

    form = form_for("4.4.0", "DescribeClusterResponse", 0)
    assert form is not None
    asked = messages("DescribeClusterResponse", 0)
    found = find(asked, guilty, settings=settings(database=None))
    racks = [broker["rack"] for broker in found["brokers"]]
    assert [rack for rack in racks if rack is not None] == ["0"]
    assert found | {"brokers": []} == form.layout.default_value()


def test_unknown_tags_come_where_they_are_asked_for():
    assert find(
        messages("HeartbeatRequest", 4, unknown_tags=True), lambda value: UNKNOWN_TAGS in value
    )[UNKNOWN_TAGS] == [{"tag": 5000, "bytes": ""}]


def test_a_release_is_followed():
    with pytest.raises(ValueError, match=r"Kafka 3\.9\.2 has no FetchRequest version 99"):
        messages("FetchRequest", 99, "3.9.2")
    with pytest.raises(ValueError, match="has no header"):
        frames("ConsumerProtocolSubscription", 3)


def test_bodies_are_canonical():
    @A_FEW
    @given(bodies("MetadataRequest", 12))
    def check(data):
        value, _ = CODEC.decode("MetadataRequest", 12, data)
        assert CODEC.encode("MetadataRequest", 12, value) == data

    check()
