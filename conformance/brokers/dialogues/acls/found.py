"""Which ACLs a filter finds, to list them or to remove them: all that it means, and no others."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    ALLOW,
    ANY,
    DENY,
    GROUP,
    LITERAL,
    MATCH,
    PATTERN_TYPES,
    PREFIXED,
    READ,
    TOPIC,
    WRITE,
    WRITING,
    Acl,
    Fields,
    are_made,
    authorizer,
    delete,
    describe,
    forget,
    listed,
    newest,
    nobody,
    shows,
    wanted,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue


@question("acls.null-matches-any", "DescribeAcls", ALL_VERSIONS, **WRITING)
def _fields_left_open(talk: Talk, version: int) -> Dialogue:
    name, other = talk.facts.name("open"), talk.facts.name("open-too")
    one, two = nobody(talk), nobody(talk)
    plain = Acl(name, one)
    denied = Acl(name, two, WRITE, DENY, "127.0.0.1")
    group = Acl(other, one, READ, ALLOW, "127.0.0.1", GROUP)
    every = (plain, denied, group)
    yield from are_made(talk, *every)
    filters: Mapping[str, Fields] = {
        "a name": {"name": name},
        "a principal": {"principal": one},
        "a principal and a type": {"principal": one, "kind": TOPIC},
        "nothing": {},
    }
    found = [(plain, denied), (plain, group), (plain,), every]
    for (what, given), due in zip(filters.items(), found, strict=True):
        _, told = yield from describe(talk, version, **given)
        missing = set(due) - set(told)
        talk.expect(f"those that a filter by {what} does not find", set(), missing)
    yield from forget(talk, *every)


@question("acls.filter-kept-to", "DescribeAcls", ALL_VERSIONS, **WRITING)
def _one_field_at_a_time(talk: Talk, version: int) -> Dialogue:
    """Search among ACLs that differ from one in one field each."""
    one = Acl(talk.facts.name("kept"), nobody(talk))
    others = {
        "name": one._replace(name=one.name + "-too"),
        "principal": one._replace(principal=one.principal + "-too"),
        "operation": one._replace(operation=WRITE),
        "permission": one._replace(permission=DENY),
        "host": one._replace(host="127.0.0.1"),
        "kind": one._replace(kind=GROUP),
    }
    if version >= PATTERN_TYPES:
        others["pattern"] = one._replace(pattern=PREFIXED)
    every = [one, *others.values()]
    yield from are_made(talk, *every)
    for field, other in others.items():
        anchor = {"name": one.name} if field == "principal" else {"principal": one.principal}
        due = [acl for acl in every if acl != other and anchor.items() <= acl._asdict().items()]
        yield from shows(talk, version, due, **{**anchor, field: getattr(one, field)})
    yield from shows(talk, version, [one], **one._asdict())
    yield from forget(talk, *every)


@question("acls.match-finds-all-patterns", "DescribeAcls", range(PATTERN_TYPES, 100), **WRITING)
def _patterns_of_a_name(talk: Talk, version: int) -> Dialogue:
    every = _patterns(talk)
    literal, prefixed, wildcard, _ = every
    yield from are_made(talk, *every)
    named = {"principal": literal.principal, "name": literal.name}
    yield from shows(talk, version, [literal, prefixed, wildcard], **named, pattern=MATCH)
    yield from shows(talk, version, [literal], **named, pattern=LITERAL)
    yield from shows(talk, version, [literal], **named, pattern=ANY)
    yield from shows(talk, version, [], **named, pattern=PREFIXED)
    named["name"] = prefixed.name
    yield from shows(talk, version, [prefixed], **named, pattern=PREFIXED)
    yield from shows(talk, version, [prefixed, wildcard], **named, pattern=MATCH)
    yield from forget(talk, *every)


@question("acls.match-finds-all-patterns", "DeleteAcls", range(PATTERN_TYPES, 100), **WRITING)
def _patterns_to_delete(talk: Talk, version: int) -> Dialogue:
    every = _patterns(talk)
    yield from are_made(talk, *every)
    principal, name = every[0].principal, every[0].name
    match = wanted(principal=principal, name=name, pattern=MATCH)
    results = yield from delete(talk, version, match)
    talk.expect("what was deleted", [(0, sorted(every[:3]))], results)
    yield from shows(talk, newest(talk, "DescribeAcls"), every[3:], principal=principal)
    yield from forget(talk, every[3])


def _patterns(talk: Talk) -> list[Acl]:
    """Return three ACLs that cover one name, and one that does not."""
    prefix, principal = talk.facts.name("pattern"), nobody(talk)
    literal = Acl(f"{prefix}-of-it", principal)
    return [
        literal,
        literal._replace(name=prefix, pattern=PREFIXED),
        literal._replace(name="*"),
        literal._replace(name=f"{prefix}-of-it-too"),
    ]


@question("acls.none-is-empty", "DescribeAcls", ALL_VERSIONS)
def _acls_of_nobody_and_nothing(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    principal = {"principal": nobody(talk)}
    for given in (principal, {"name": talk.facts.name("bare"), **principal}):
        found = yield from listed(talk, version, **given)
        talk.expect(f"the error and the resources of {given}", (0, []), found)
