"""Creating and deleting ACLs: each has a result of its own, and every broker sees the change."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    CLUSTER,
    CLUSTER_ACTION,
    CLUSTER_NAME,
    DELEGATION_TOKEN,
    DENY,
    DESCRIBE,
    GROUP,
    PATTERN_TYPES,
    PREFIXED,
    TRANSACTIONAL_ID,
    USER,
    USERS,
    WRITE,
    WRITING,
    Acl,
    are_listed,
    are_made,
    authorizer,
    create,
    delete,
    forget,
    newest,
    nobody,
    shows,
    wanted,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, Reconnect
from conformance.error_codes import NOT_CONTROLLER


@question("acls.created-is-listed", "CreateAcls", ALL_VERSIONS, **WRITING)
def _acls_of_every_kind(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    every = _of_every_kind(talk, version)
    codes = yield from create(talk, version, *every)
    talk.expect("the errors", [0] * len(every), codes)
    yield from are_listed(talk, newest(talk, "DescribeAcls"), *every)
    yield from forget(talk, *every)


@question(
    "acls.created-is-listed",
    "DescribeAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DeleteAcls"),
    wants=("writes",),
)
def _acls_made_on_one_broker_and_listed_by_another(talk: Talk, version: int) -> Dialogue:
    """A broker hands on what is for the controller, or says so; each of them lists."""
    yield from authorizer(talk)
    made = []
    for node in talk.facts.nodes or (None,):
        acl = Acl(talk.facts.name("node"), nobody(talk))
        yield Reconnect(node=node)
        codes = yield from create(talk, newest(talk, "CreateAcls"), acl)
        if codes != [NOT_CONTROLLER]:
            talk.expect(f"the errors of broker {node}", [0], codes)
            made.append(acl)
    for node in talk.facts.nodes or (None,):
        yield Reconnect(node=node)
        yield from are_listed(talk, version, *made)
    yield from forget(talk, *made)


@question("acls.deleted-is-told-and-gone", "DeleteAcls", ALL_VERSIONS, **WRITING)
def _acls_to_delete(talk: Talk, version: int) -> Dialogue:
    every = _of_every_kind(talk, version)
    principal = every[0].principal
    kept = Acl(every[0].name, nobody(talk))
    yield from are_made(talk, *every, kept)
    results = yield from delete(talk, version, wanted(principal=principal))
    talk.expect("what was deleted", [(0, sorted(every))], results)
    yield from shows(talk, newest(talk, "DescribeAcls"), [], principal=principal)
    yield from shows(talk, newest(talk, "DescribeAcls"), [kept], principal=kept.principal)
    yield from forget(talk, kept)


def _of_every_kind(talk: Talk, version: int) -> list[Acl]:
    """Return ACLs of all resource types of the broker, which differ in other fields too."""
    name, principal = talk.facts.name("kind"), nobody(talk)
    every = [
        Acl(name, principal),
        Acl(name, principal, WRITE, DENY, "127.0.0.1"),
        Acl(name, principal, DESCRIBE, kind=GROUP),
        Acl(CLUSTER_NAME, principal, CLUSTER_ACTION, kind=CLUSTER),
        Acl(name, principal, WRITE, kind=TRANSACTIONAL_ID),
    ]
    tokens = talk.facts.has("CreateDelegationToken")
    if tokens:
        every.append(Acl(name, principal, DESCRIBE, kind=DELEGATION_TOKEN))
    if version >= PATTERN_TYPES:
        every.append(Acl(name, principal, pattern=PREFIXED))
    if tokens and version >= USERS:  # whose tokens others may make
        every.append(Acl(name, principal, DESCRIBE, kind=USER))
    return every


@question("acls.same-again-is-one", "CreateAcls", ALL_VERSIONS, **WRITING)
def _the_same_three_times(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    one = Acl(talk.facts.name("same"), nobody(talk))
    for times in (1, 2):
        codes = yield from create(talk, version, *[one] * times)
        talk.expect("the errors", [0] * times, codes)
        yield from shows(talk, newest(talk, "DescribeAcls"), [one], principal=one.principal)
    yield from forget(talk, one)
    yield from shows(talk, newest(talk, "DescribeAcls"), [], principal=one.principal)


@question("acls.results-in-order", "CreateAcls", ALL_VERSIONS, **WRITING)
def _bad_ones_between(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    good, bad = _good_and_bad(talk)
    codes = yield from create(talk, version, good, good, bad, bad)
    found = len(codes), [code != 0 for code in (codes[0], codes[-1])] if codes else []
    talk.expect("how many results, and whether first and last failed", (4, [False, True]), found)
    yield from forget(talk, good)


@question("acls.results-in-order", "DeleteAcls", ALL_VERSIONS, **WRITING)
def _filters_in_order(talk: Talk, version: int) -> Dialogue:
    principal = nobody(talk)
    b, a, c = (Acl(talk.facts.name(what), principal) for what in "bac")
    yield from are_made(talk, b, a, c)
    absent = {"name": talk.facts.name("absent"), "principal": principal}
    filters = (*({"name": acl.name, "principal": principal} for acl in (c, a)), absent)
    last = {"name": b.name, "principal": principal}
    results = yield from delete(talk, version, *(wanted(**each) for each in (*filters, last)))
    talk.expect("what each filter found", [(0, [c]), (0, [a]), (0, []), (0, [b])], results)


@question("acls.one-failure-stops-none", "CreateAcls", ALL_VERSIONS, **WRITING)
def _good_ones_after_a_bad_one(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    good, bad = _good_and_bad(talk)
    later = good._replace(operation=WRITE)
    codes = yield from create(talk, version, bad, good, bad, later)
    talk.expect("the errors of the good ones", [0, 0], codes[1::2])
    yield from shows(talk, newest(talk, "DescribeAcls"), [good, later], principal=good.principal)
    yield from forget(talk, good, later)


def _good_and_bad(talk: Talk) -> tuple[Acl, Acl]:
    """An ACL, and one that there can't be."""
    good = Acl(talk.facts.name("good"), nobody(talk))
    return good, good._replace(name="")
