"""The rights to list and to change ACLs, without which none is listed, and none changed."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    DESCRIBE,
    READ,
    WRITE,
    Acl,
    Fields,
    are_made,
    authorizer,
    create,
    delete,
    describe,
    forget,
    newest,
    nobody,
    shows,
    wanted,
)
from conformance.brokers.dialogues.rights.principals import ABOUT_ACLS, cleaned, granted
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, Reconnect
from conformance.error_codes import CLUSTER_AUTHORIZATION_FAILED


@question("acls.listing-takes-a-right", "DescribeAcls", ALL_VERSIONS, **ABOUT_ACLS)
def _acls_of_others_asked_for_without_the_right(talk: Talk, version: int) -> Dialogue:
    theirs = Acl(talk.facts.name("listed"), nobody(talk), DESCRIBE)
    yield from authorizer(talk)
    yield from create(talk, newest(talk, "CreateAcls"), theirs)
    yield from shows(talk, version, [theirs], name=theirs.name)
    yield Reconnect("other")
    _, found = yield from describe(talk, version, name=theirs.name)
    talk.expect("the ACLs of that name", [], found)
    code, found = yield from describe(talk, version, principal=theirs.principal)
    talk.expect(
        "the error and the ACLs of another", (CLUSTER_AUTHORIZATION_FAILED, []), (code, found)
    )
    yield from cleaned(talk, [], theirs)


@question("acls.own-acls-not-listed", "DescribeAcls", ALL_VERSIONS, **ABOUT_ACLS)
def _own_acls_asked_for_without_the_right(talk: Talk, version: int) -> Dialogue:
    """Ask for ACLs among which one is the principal's own."""
    own = granted(talk, talk.facts.name("listed"), DESCRIBE)
    yield from authorizer(talk)
    yield from create(talk, newest(talk, "CreateAcls"), own)
    yield from shows(talk, version, [own], name=own.name)
    yield Reconnect("other")
    filters: tuple[Fields, ...] = ({}, {"name": own.name}, {"principal": own.principal})
    for given in filters:
        code, found = yield from describe(talk, version, **given)
        talk.expect(f"the error of {given}", CLUSTER_AUTHORIZATION_FAILED, code)
        talk.expect(f"the ACLs of {given}", [], found)
    yield from cleaned(talk, [], own)


@question("acls.changing-takes-a-right", "CreateAcls", ALL_VERSIONS, **ABOUT_ACLS)
def _acls_made_without_the_right(talk: Talk, version: int) -> Dialogue:
    name, principal = talk.facts.name("granted"), nobody(talk)
    theirs = (granted(talk, name, READ), Acl(name, principal))
    yield from authorizer(talk)
    yield Reconnect("other")
    codes = yield from create(talk, version, *theirs)
    talk.expect("the errors", [CLUSTER_AUTHORIZATION_FAILED] * 2, codes)
    yield Reconnect("self")
    later = Acl(name, principal, WRITE)
    yield from are_made(talk, later)
    yield from shows(talk, newest(talk, "DescribeAcls"), [later], name=name)
    yield from forget(talk, later)


@question("acls.changing-takes-a-right", "DeleteAcls", ALL_VERSIONS, **ABOUT_ACLS)
def _acls_removed_without_the_right(talk: Talk, version: int) -> Dialogue:
    one = Acl(talk.facts.name("kept"), nobody(talk))
    two = one._replace(operation=WRITE)
    yield from are_made(talk, one)
    yield Reconnect("other")
    found = yield from delete(talk, version, wanted(name=one.name), wanted(name=one.name + "-no"))
    talk.expect("the errors and the ACLs", [(CLUSTER_AUTHORIZATION_FAILED, [])] * 2, found)
    yield Reconnect("self")
    yield from create(talk, newest(talk, "CreateAcls"), two)
    yield from shows(talk, newest(talk, "DescribeAcls"), [one, two], name=one.name)
    yield from forget(talk, one, two)
