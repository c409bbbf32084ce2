"""Impossible ACLs, and codes without a meaning: refused, and no ACL is created."""

from __future__ import annotations

from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    ANY,
    CLUSTER,
    CLUSTER_NAME,
    DESCRIBE,
    GROUP,
    MATCH,
    PATTERN_TYPES,
    TOPIC,
    TRANSACTIONAL_ID,
    UNKNOWN,
    WRITING,
    Acl,
    Fields,
    are_made,
    authorizer,
    create,
    creation,
    describe,
    forget,
    has_authorizer,
    newest,
    nobody,
    shows,
    wanted,
)
from conformance.brokers.dialogues.talk import Talk, describe_received
from conformance.dialogue import Broken, Dialogue, Receive, Reconnect, Send, Tell
from conformance.error_codes import INVALID_REQUEST
from conformance.schema.filling import filled


@question("acls.resource-names-checked", "CreateAcls", ALL_VERSIONS, **WRITING)
def _resources_that_have_no_such_name(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    cluster = Acl(CLUSTER_NAME, nobody(talk), DESCRIBE, kind=CLUSTER)
    for wrong in ("", talk.facts.name("cluster")):
        codes = yield from create(talk, version, cluster._replace(name=wrong))
        talk.expect(f"the errors of {wrong!r} for a cluster", [INVALID_REQUEST], codes)
    for kind in (TOPIC, GROUP, TRANSACTIONAL_ID):
        codes = yield from create(talk, version, cluster._replace(name="", kind=kind))
        talk.expect(f"the errors of no name for type {kind}", [INVALID_REQUEST], codes)
    codes = yield from create(talk, version, cluster)
    talk.expect(f"the errors of {CLUSTER_NAME}", [0], codes)
    yield from forget(talk, cluster)


def _known_codes(talk: Talk) -> Dialogue:
    """A request whose like, with a code of 0, is refused below."""
    yield from describe(talk, newest(talk, "DescribeAcls"), name=talk.facts.name("absent"))


@question(
    "acls.unknown-code-refused",
    "DescribeAcls",
    ALL_VERSIONS,
    malformed=True,
    control_case=_known_codes,
)
def _unknown_code_to_describe(talk: Talk, version: int) -> Dialogue:
    for field in ("kind", "pattern", "operation", "permission"):
        value = wanted(**{"name": talk.facts.name("unknown"), field: UNKNOWN})
        yield from _refused(talk, "DescribeAcls", version, field, value)


@question(
    "acls.unknown-code-refused",
    "DeleteAcls",
    ALL_VERSIONS,
    malformed=True,
    control_case=_known_codes,
    needs=("DescribeAcls",),
    wants=("writes",),
)
def _unknown_code_to_delete(talk: Talk, version: int) -> Dialogue:
    for field in ("kind", "pattern", "operation", "permission"):
        value = wanted(**{"name": talk.facts.name("unknown"), field: UNKNOWN})
        yield from _refused(talk, "DeleteAcls", version, field, {"filters": [value]})


@question(
    "acls.unknown-code-refused",
    "CreateAcls",
    ALL_VERSIONS,
    malformed=True,
    control_case=_known_codes,
    **WRITING,
)
def _unknown_code_to_create(talk: Talk, version: int) -> Dialogue:
    good = Acl(talk.facts.name("unknown"), nobody(talk))
    for field in ("kind", "pattern", "operation", "permission"):
        bad = creation(Acl(**{**good._asdict(), field: UNKNOWN}))
        yield from _refused(talk, "CreateAcls", version, field, {"creations": [bad]})
    if (yield from has_authorizer(talk)):
        yield from are_made(talk, good)
        yield from forget(talk, good)


def _refused(talk: Talk, api: str, version: int, field: str, value: Fields) -> Dialogue:
    """A request with a code of 0 is answered with an error, or the connection is closed."""
    if field == "pattern" and version < PATTERN_TYPES:
        return
    number = talk.number()
    layout = talk.codec.form(f"{api}Request", version).layout
    yield Send(talk.frame(api, version, filled(layout, value), number))
    received = yield Receive()
    assert received is not None
    if received.kind in ("closed", "reset"):
        yield Tell("the connection is closed")
    elif received.kind == "reply":
        found = talk.read(api, version, received.frame).value
        codes = [each["errorCode"] for each in _results(found)]
        if not all(codes) or not codes:
            what = f"{api} with a {field} of 0 is carried out"
            raise Broken(what, "an error, or the connection closed", received.frame)
        yield Tell(f"errors {codes}")
    else:
        what = f"{api} with a {field} of 0: {describe_received(received)}"
        raise Broken(what, "an error", received.frame)
    yield Reconnect()


def _results(value: Fields) -> list[Any]:
    """The parts of an answer that have errors of their own; itself, where none has."""
    results: list[Any] = value.get("results", value.get("filterResults", [value]))
    return results


@question("acls.any-is-not-created", "CreateAcls", ALL_VERSIONS, **WRITING)
def _codes_for_filters_alone(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    good = Acl(talk.facts.name("any"), nobody(talk))
    codes = {"kind": (ANY,), "operation": (ANY,), "permission": (ANY,), "pattern": (ANY, MATCH)}
    if version < PATTERN_TYPES:
        del codes["pattern"]
    answered: set[int] = set()
    for field, values in codes.items():
        for value in values:
            found = yield from create(talk, version, Acl(**{**good._asdict(), field: value}))
            if len(found) != 1 or not found[0]:
                what = f"an ACL whose {field} is {value} was to be made, and the errors are {found}"
                raise Broken(what, "one error", str(found))
            answered.update(found)
    yield Tell(f"errors {sorted(answered)}")
    yield from are_made(talk, good)
    yield from shows(talk, newest(talk, "DescribeAcls"), [good], principal=good.principal)
    yield from forget(talk, good)
