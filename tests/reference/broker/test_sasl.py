"""SASL: the states of a connection and its mechanisms, as Apache Kafka 4.3.1 has them."""

import base64
import json

import pytest
from scramp import ScramClient, ScramException  # type: ignore[import-untyped]

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.sasl_mechanisms import claims_of
from tests.reference.broker.asking import ask, bare, frame, metadata, sized

NAMED = {"clientSoftwareName": "test", "clientSoftwareVersion": "1.0"}
GOOD = b"\0alice\0secret"
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
SCRAM = ["SCRAM-SHA-256", "SCRAM-SHA-512"]
NOW_S = 1_000_000.0
INVALID = b'{"status":"invalid_token"}'


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
    assert handshake(session) == {"errorCode": 0, "mechanisms": MECHANISMS}
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
    assert handshake(session, "FOO") == {"errorCode": 33, "mechanisms": MECHANISMS}
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


def said_to(answer):
    return base64.b64decode(answer["authBytes"])


def exchanged(session, client, version=2):
    """What comes of SCRAM: the broker's last answer, which the client has checked."""
    answer = authenticate(session, client.get_client_first().encode(), version)
    if answer["errorCode"] == 0:
        client.set_server_first(said_to(answer).decode())
        answer = authenticate(session, client.get_client_final().encode(), version)
    if answer["errorCode"] == 0:
        client.set_server_final(said_to(answer).decode())
    return answer


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("mechanism", SCRAM)
def test_who_proves_to_know_the_password_is_served(session, mechanism, version):
    handshake(session, mechanism)
    answer = exchanged(session, ScramClient([mechanism], "alice", "secret"), version)
    assert answer["errorCode"] == 0
    assert session.principal == "User:alice"
    assert is_served(session)


@pytest.mark.parametrize(("user", "password"), [("alice", "wrong"), ("eve", "secret")])
@pytest.mark.parametrize("mechanism", SCRAM)
def test_who_can_not_prove_it_is_told_no_more_than_that(session, mechanism, user, password):
    handshake(session, mechanism)
    answer = exchanged(session, ScramClient([mechanism], user, password))
    assert answer["errorCode"] == 58
    assert answer["errorMessage"] == f"The credentials are wrong, by the mechanism {mechanism}."
    assert session.closed


def test_half_a_proof_is_none(session):
    handshake(session, "SCRAM-SHA-256")
    authenticate(session, b"n,,n=alice,r=abc")
    assert session.principal == "User:ANONYMOUS"
    assert not is_served(session)


def test_the_proof_for_one_mechanism_is_none_for_another(session):
    handshake(session, "SCRAM-SHA-512")
    client = ScramClient(["SCRAM-SHA-256"], "alice", "secret")
    assert exchanged(session, client)["errorCode"] == 58


@pytest.mark.parametrize(
    "token", [b"", b"\xff", b"n,,", b"y,,n=alice,r=abc", b"n,,n=alice,r=", b"p=x,,n=alice,r=abc"]
)
def test_what_is_no_scram_is_told_and_left(session, token):
    handshake(session, "SCRAM-SHA-256")
    assert authenticate(session, token)["errorCode"] == 58
    assert session.closed


@pytest.mark.parametrize("token", [b"", b"c=biws,r=abc,p=AAAA", b"n,,n=alice,r=abc", b"\xff"])
def test_what_is_no_proof_is_told_and_left(session, token):
    handshake(session, "SCRAM-SHA-256")
    assert authenticate(session, b"n,,n=alice,r=abc")["errorCode"] == 0
    assert authenticate(session, token)["errorCode"] == 58
    assert session.closed


def test_a_broker_that_does_not_know_the_password_is_found_out(session):
    handshake(session, "SCRAM-SHA-256")
    client = ScramClient(["SCRAM-SHA-256"], "alice", "other")
    client.set_server_first(
        said_to(authenticate(session, client.get_client_first().encode())).decode()
    )
    client.get_client_final()
    with pytest.raises(ScramException):
        client.set_server_final("v=" + base64.b64encode(bytes(32)).decode())


def test_scram_in_frames_of_its_own(session):
    handshake(session, "SCRAM-SHA-256", version=0)
    client = ScramClient(["SCRAM-SHA-256"], "alice", "secret")
    (answer,) = session.receive(sized(client.get_client_first().encode()))
    client.set_server_first(answer[4:].decode())
    (answer,) = session.receive(sized(client.get_client_final().encode()))
    client.set_server_final(answer[4:].decode())
    assert is_served(session)


def token_of(header=None, signature="", **claims):
    parts = [json.dumps(each).encode() for each in (header or {"alg": "none"}, claims)]
    head, body = (base64.urlsafe_b64encode(each).decode().rstrip("=") for each in parts)
    return f"{head}.{body}.{signature}"


ALICES = {"sub": "alice", "iat": NOW_S - 1, "exp": NOW_S + 60}


def bearing(token, authorization="", scheme="Bearer"):
    return f"n,{authorization},\1auth={scheme} {token}\1\1".encode()


@pytest.fixture
def bearer(session):
    session.now_s = NOW_S
    handshake(session, "OAUTHBEARER")
    return session


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
@pytest.mark.parametrize("authorization", ["", "a=alice"])
def test_who_bears_a_token_is_served_while_it_lasts(bearer, authorization, scheme):
    answer = authenticate(bearer, bearing(token_of(**ALICES), authorization, scheme))
    assert (answer["errorCode"], said_to(answer)) == (0, b"")
    assert answer["sessionLifetimeMs"] == 60_000
    assert bearer.principal == "User:alice"
    assert is_served(bearer)


@pytest.mark.parametrize(
    "token",
    [
        "a",
        "a.b.c",
        token_of(sub="alice"),
        token_of(exp=NOW_S + 60),
        token_of(**ALICES | {"sub": "eve"}),
        token_of(**ALICES | {"sub": 5}),
        token_of(**ALICES | {"exp": NOW_S}),
        token_of(**ALICES | {"exp": "5"}),
        token_of(**ALICES | {"iat": NOW_S + 1}),
        token_of(signature="abc", **ALICES),
        token_of(header={"alg": "HS256"}, **ALICES),
        token_of(header={"typ": "JWT"}, **ALICES),
    ],
)
def test_what_is_wrong_with_a_token_is_told_before_it_is_refused(bearer, token):
    answer = authenticate(bearer, bearing(token))
    assert (answer["errorCode"], said_to(answer)) == (0, INVALID)
    assert not bearer.closed
    answer = authenticate(bearer, b"\1")
    assert (answer["errorCode"], answer["errorMessage"].encode()) == (58, INVALID)
    assert bearer.closed


def test_a_better_token_may_follow_a_wrong_one(bearer):
    authenticate(bearer, bearing("a.b.c"))
    assert said_to(authenticate(bearer, bearing(token_of(**ALICES)))) == b""
    assert is_served(bearer)


@pytest.mark.parametrize(
    "token",
    [
        b"",
        b"\1",
        b"\xff",
        b"n,,\1a=b\1\1",
        b"n,,\1auth=Bearer\1\1",
        bearing(token_of(**ALICES), scheme="Basic"),
        bearing(token_of(**ALICES), "a=bob"),
        bearing(token_of(**ALICES))[:-1],
    ],
)
def test_what_bears_no_token_is_refused_at_once(bearer, token):
    assert authenticate(bearer, token)["errorCode"] == 58
    assert bearer.closed


def test_nothing_expires_where_nobody_tells_the_time(session):
    handshake(session, "OAUTHBEARER")
    answer = authenticate(session, bearing(token_of(**ALICES)))
    assert (answer["errorCode"], answer["sessionLifetimeMs"]) == (0, 0)
    assert is_served(session)


@pytest.mark.parametrize("body", [b"[" * 100_000, b"1" * 10_000, b'{"sub":"a","exp":1e999}', b""])
def test_claims_of_any_shape_are_read_or_not(body):
    middle = base64.urlsafe_b64encode(body).decode().rstrip("=")
    head = token_of().partition(".")[0]
    assert claims_of(f"{head}.{middle}.") is None
    assert claims_of(f"{middle}.{middle}.") is None
