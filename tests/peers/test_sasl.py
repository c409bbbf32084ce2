"""SASL PLAIN: the states of a connection, as Apache Kafka 4.3.1 has them."""

import base64

import pytest

from conformance.peers.broker import Broker
from tests.peers.asking import ask, bare, frame, metadata, sized

NAMED = {"clientSoftwareName": "test", "clientSoftwareVersion": "1.0"}
GOOD = b"\0alice\0secret"


@pytest.fixture
def session():
    return Broker(users={"alice": "secret"}).session()


def greet(session):
    return ask(session, "ApiVersions", 3, NAMED)


def handshake(session, mechanism="PLAIN", version=1):
    return ask(session, "SaslHandshake", version, {"mechanism": mechanism})


def authenticate(session, token=GOOD, version=2):
    value = {"authBytes": base64.b64encode(token).decode()}
    return ask(session, "SaslAuthenticate", version, value)


def is_served(session):
    return ask(session, "Metadata", 1, metadata([], 1)) is not None


def test_nothing_else_is_served_before(session):
    assert not is_served(session)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_who_knows_the_password_is_served(session, version):
    assert greet(session)["errorCode"] == 0
    assert handshake(session) == {"errorCode": 0, "mechanisms": ["PLAIN"]}
    assert authenticate(session, version=version)["errorCode"] == 0
    assert session.principal == "User:alice"
    assert is_served(session)


@pytest.mark.parametrize(
    "token",
    [b"", b"\0alice\0wrong", b"\0bob\0secret", b"admin\0alice\0secret", b"\0\0\0", b"\xff\0\xff\0"],
)
def test_who_does_not_is_told_and_left(session, token):
    handshake(session)
    assert authenticate(session, token)["errorCode"] == 58
    assert session.closed


def test_a_mechanism_that_there_is_not_is_told_and_left(session):
    assert handshake(session, "FOO") == {"errorCode": 33, "mechanisms": ["PLAIN"]}
    assert session.closed


def test_tokens_are_frames_of_their_own_after_version_0(session):
    handshake(session, version=0)
    assert session.receive(sized(GOOD)) == [b"\0\0\0\0"]
    assert is_served(session)


@pytest.mark.parametrize("token", [b"", b"\0alice\0wrong"])
def test_a_wrong_one_has_no_answer(session, token):
    handshake(session, version=0)
    assert session.receive(sized(token)) == []
    assert session.closed


def test_a_refused_api_versions_may_be_asked_again_and_one_that_is_answered_may_not(session):
    assert len(session.receive(bare(18, 100, b"\0"))) == 1
    assert ask(session, "ApiVersions", 3, dict.fromkeys(NAMED, ""))["errorCode"] == 42
    assert greet(session)["errorCode"] == 0
    assert greet(session) is None


def test_a_token_comes_not_before_the_handshake(session):
    assert authenticate(session) is None


def test_between_handshake_and_token_comes_nothing(session):
    handshake(session)
    assert handshake(session)["errorCode"] == 34
    assert session.closed


def test_who_is_served_needs_no_sasl_and_stays(session):
    handshake(session)
    authenticate(session)
    assert handshake(session)["errorCode"] == 34
    assert authenticate(session)["errorCode"] == 34
    assert is_served(session)


def test_where_nobody_authenticates_it_is_out_of_place():
    session = Broker().session()
    assert handshake(session) == {"errorCode": 34, "mechanisms": []}
    assert authenticate(session)["errorCode"] == 34
    assert is_served(session)


def test_pipelined_requests_are_served_once_the_token_is_taken(session):
    value = {"authBytes": base64.b64encode(GOOD).decode()}
    answers = session.receive(
        frame("SaslHandshake", 1, {"mechanism": "PLAIN"})
        + frame("SaslAuthenticate", 2, value)
        + frame("Metadata", 1, metadata([], 1))
    )
    assert len(answers) == 3
