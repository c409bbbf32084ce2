"""Combined ACLs: a denial overrides an allowance, and a prefix covers names that begin with it."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALLOW,
    DENY,
    DESCRIBE,
    LITERAL,
    PREFIXED,
    forget,
)
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_TOPICS,
    answered,
    cleaned,
    grant,
    granted,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, Reconnect
from conformance.error_codes import TOPIC_AUTHORIZATION_FAILED


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
