"""Rights to list and change ACLs, and rights by combined ACLs: a denial overrides an allowance, and
a prefix covers names that begin with it.
"""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    ALLOW,
    DENY,
    DESCRIBE,
    LITERAL,
    PREFIXED,
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
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_ACLS,
    ABOUT_TOPICS,
    answered,
    cleaned,
    grant,
    granted,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, Reconnect
from conformance.error_codes import CLUSTER_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED


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


@question("acls.deny-beats-allow", "Metadata", **ABOUT_TOPICS)
def _right_given_and_denied(talk: Talk) -> Dialogue:
    name = talk.facts.name("denied")
    allowed = granted(talk, name, DESCRIBE)
    denied = granted(talk, name, DESCRIBE, permission=DENY)
    yield from topics_made(talk, name)
    for acl, due in ((allowed, 0), (denied, TOPIC_AUTHORIZATION_FAILED)):
        yield from grant(talk, acl)
        yield from answered(talk, {name: [due]})
    yield Reconnect("self")
    yield from forget(talk, denied)
    yield Reconnect("other")
    yield from answered(talk, {name: [0]})
    yield from cleaned(talk, [name], allowed)


@question("acls.prefixed-covers-what-begins-so", "Metadata", **ABOUT_TOPICS)
def _right_to_a_prefix(talk: Talk) -> Dialogue:
    prefix = talk.facts.name("prefix")
    names = [f"{prefix}-one", f"{prefix}-two", talk.facts.name("outside")]
    refused = [TOPIC_AUTHORIZATION_FAILED]
    yield from topics_made(talk, *names)
    literal = granted(talk, prefix, DESCRIBE, pattern=LITERAL, permission=ALLOW)
    prefixed = literal._replace(pattern=PREFIXED)
    own = granted(talk, names[2], DESCRIBE)
    yield from grant(talk, literal, own)
    yield from answered(talk, {names[0]: refused, names[1]: refused, names[2]: [0]})
    yield Reconnect("self")
    yield from forget(talk, own)
    yield from grant(talk, prefixed)
    yield from answered(talk, {names[0]: [0], names[1]: [0], names[2]: refused})
    yield from cleaned(talk, names, literal, prefixed)
