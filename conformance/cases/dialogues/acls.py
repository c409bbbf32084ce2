"""ACLs as they are made, listed and removed (KIP-140, KIP-290), whatever they allow anybody.

Each dialogue makes ACLs under a name of its own, for a principal whom nobody is. What it expects is
said with whole ACLs, so that one that is changed on its way, doubled or made up is seen as well as
one that is missing. A broker without an authorizer has none of this, and says so.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from conformance.cases.dialogues import question
from conformance.cases.dialogues.talk import INVALID_REQUEST, Talk, told
from conformance.dialogue import Broken, Dialogue, Hear, Heard, NotHere, Reconnect, Send, Step, Tell
from conformance.schema.filling import filled

SECURITY_DISABLED = 54
UNKNOWN, ANY, MATCH = range(3)
TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER = range(2, 8)
LITERAL, PREFIXED = 3, 4
READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION = range(3, 10)
DESCRIBE_CONFIGS, ALTER_CONFIGS = 10, 11
DENY, ALLOW = 2, 3
CLUSTER_NAME = "kafka-cluster"
ALL_VERSIONS = range(100)
PATTERN_TYPES = 1
"""The first version with pattern types; before it all patterns are literal."""
USERS = 3
"""The first version in which users are resources."""

Fields = Mapping[str, Any]
Codes = Generator[Step, Heard | None, list[int]]


class Acl(NamedTuple):
    """One ACL, with the codes of the protocol."""

    name: str
    principal: str
    operation: int = READ
    permission: int = ALLOW
    host: str = "*"
    kind: int = TOPIC
    pattern: int = LITERAL


Acls = Generator[Step, Heard | None, list[Acl]]


def wanted(**given: Any) -> Fields:
    """A filter, by the names of `Acl`; what is not given may be anything."""
    return {
        "resourceTypeFilter": given.get("kind", ANY),
        "resourceNameFilter": given.get("name"),
        "patternTypeFilter": given.get("pattern", ANY),
        "principalFilter": given.get("principal"),
        "hostFilter": given.get("host"),
        "operation": given.get("operation", ANY),
        "permissionType": given.get("permission", ANY),
    }


def creation(acl: Acl) -> Fields:
    """An ACL as CreateAcls has it."""
    return {
        "resourceType": acl.kind,
        "resourceName": acl.name,
        "resourcePatternType": acl.pattern,
        "principal": acl.principal,
        "host": acl.host,
        "operation": acl.operation,
        "permissionType": acl.permission,
    }


def create(talk: Talk, version: int, *acls: Acl) -> Codes:
    """Ask for ACLs; the error code of each."""
    layout = talk.codec.form("CreateAclsRequest", version).layout
    value = filled(layout, {"creations": list(map(creation, acls))})
    reply = yield from talk.ask("CreateAcls", version, value)
    return [each["errorCode"] for each in reply.value["results"]]


def describe(
    talk: Talk, version: int, **given: Any
) -> Generator[Step, Heard | None, tuple[int, list[Acl]]]:
    """The error of the answer, and the ACLs that a filter finds, sorted."""
    code, resources = yield from listed(talk, version, **given)
    return code, sorted(_acl(each, of) for of in resources for each in of["acls"])


def listed(
    talk: Talk, version: int, **given: Any
) -> Generator[Step, Heard | None, tuple[int, list[Any]]]:
    """The error of the answer, and the resources of those ACLs, as they came."""
    layout = talk.codec.form("DescribeAclsRequest", version).layout
    reply = yield from talk.ask("DescribeAcls", version, filled(layout, wanted(**given)))
    return reply.value["errorCode"], list(reply.value["resources"])


def delete(talk: Talk, version: int, *filters: Fields) -> Generator[Step, Heard | None, list[Any]]:
    """Remove what filters find: of each its error, and the ACLs that it found, sorted."""
    layout = talk.codec.form("DeleteAclsRequest", version).layout
    reply = yield from talk.ask("DeleteAcls", version, filled(layout, {"filters": list(filters)}))
    return [
        (each["errorCode"], sorted(_acl(acl, acl) for acl in each["matchingAcls"]))
        for each in reply.value["filterResults"]
    ]


def shows(talk: Talk, version: int, due: list[Acl], **given: Any) -> Dialogue:
    """A filter finds these and no others, in any order. Raises Broken."""

    def ask() -> Acls:
        code, found = yield from describe(talk, version, **given)
        talk.expect("the error of DescribeAcls", 0, code)
        return found

    yield from talk.eventually(f"the ACLs of {given}", sorted(due), ask)


def are_made(talk: Talk, *acls: Acl) -> Dialogue:
    """Make ACLs, and wait until they are listed. Raises NotHere where there is no authorizer."""
    yield from authorizer(talk)
    codes = yield from create(talk, newest(talk, "CreateAcls"), *acls)
    talk.expect("the errors of CreateAcls", [0] * len(acls), codes)
    for principal in {acl.principal for acl in acls}:
        due = [acl for acl in acls if acl.principal == principal]
        yield from shows(talk, newest(talk, "DescribeAcls"), due, principal=principal)


def forget(talk: Talk, *acls: Acl) -> Dialogue:
    """Remove what a dialogue made."""
    filters = [wanted(**acl._asdict()) for acl in acls]
    yield from delete(talk, newest(talk, "DeleteAcls"), *filters)


def authorizer(talk: Talk) -> Dialogue:
    """Raises NotHere where the broker has none."""
    if not (yield from has_authorizer(talk)):
        raise NotHere("the broker has no authorizer")


def has_authorizer(talk: Talk) -> Generator[Step, Heard | None, bool]:
    """Whether the broker has one."""
    absent = talk.facts.name("absent")
    code, _ = yield from describe(talk, newest(talk, "DescribeAcls"), name=absent)
    return code != SECURITY_DISABLED


def newest(talk: Talk, api: str) -> int:
    """The highest version of an API."""
    return talk.facts.range_of(api)[1]


def nobody(talk: Talk) -> str:
    """A principal that there is not."""
    return f"User:{talk.facts.name('nobody')}"


def _acl(entry: Fields, resource: Fields) -> Acl:
    return Acl(
        resource["resourceName"],
        entry["principal"],
        entry["operation"],
        entry["permissionType"],
        entry["host"],
        resource["resourceType"],
        resource.get("patternType", LITERAL),
    )


@question(
    "acls.null-matches-any",
    "DescribeAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DeleteAcls"),
    wants=("writes",),
)
def _fields_left_open(talk: Talk, version: int) -> Dialogue:
    name, other = talk.facts.name("open"), talk.facts.name("open-too")
    one, two = nobody(talk), nobody(talk)
    plain = Acl(name, one)
    denied = Acl(name, two, WRITE, DENY, "127.0.0.1")
    group = Acl(other, one, READ, ALLOW, "127.0.0.1", GROUP)
    every = (plain, denied, group)
    yield from are_made(talk, *every)
    yield from shows(talk, version, [plain, denied], name=name)
    yield from shows(talk, version, [plain, group], principal=one)
    yield from shows(talk, version, [plain], principal=one, kind=TOPIC)
    _, found = yield from describe(talk, version)
    talk.expect("those of an open filter", sorted(every), [acl for acl in found if acl in every])
    yield from forget(talk, *every)


@question(
    "acls.filter-kept-to",
    "DescribeAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DeleteAcls"),
    wants=("writes",),
)
def _one_field_at_a_time(talk: Talk, version: int) -> Dialogue:
    """ACLs that differ from one in one field each."""
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


@question(
    "acls.match-finds-all-patterns",
    "DescribeAcls",
    range(PATTERN_TYPES, 100),
    needs=("CreateAcls", "DeleteAcls"),
    wants=("writes",),
)
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


@question(
    "acls.match-finds-all-patterns",
    "DeleteAcls",
    range(PATTERN_TYPES, 100),
    needs=("CreateAcls", "DescribeAcls"),
    wants=("writes",),
)
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
    """Three ACLs that cover one name, and one that does not."""
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
    for given in ({"name": talk.facts.name("bare")}, {"principal": nobody(talk)}):
        found = yield from listed(talk, version, **given)
        talk.expect(f"the error and the resources of {given}", (0, []), found)


@question(
    "acls.created-is-listed",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _acls_of_every_kind(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    every = _of_every_kind(talk, version)
    codes = yield from create(talk, version, *every)
    talk.expect("the errors", [0] * len(every), codes)
    yield from shows(talk, newest(talk, "DescribeAcls"), every, principal=every[0].principal)
    yield from forget(talk, *every)


@question(
    "acls.created-is-listed",
    "DescribeAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DeleteAcls"),
    wants=("writes", "cluster"),
)
def _acls_made_on_one_broker_and_listed_by_another(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    made = [Acl(talk.facts.name("node"), nobody(talk)) for _ in talk.facts.nodes]
    for node, acl in zip(talk.facts.nodes, made, strict=True):
        yield Reconnect(node=node)
        codes = yield from create(talk, newest(talk, "CreateAcls"), acl)
        talk.expect(f"the errors of broker {node}", [0], codes)
    for node in talk.facts.nodes:
        yield Reconnect(node=node)
        for acl in made:
            yield from shows(talk, version, [acl], name=acl.name)
    yield from forget(talk, *made)


@question(
    "acls.deleted-is-told-and-gone",
    "DeleteAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DescribeAcls"),
    wants=("writes",),
)
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
    """ACLs of all types of resources, with what else differs in them."""
    name, principal = talk.facts.name("kind"), nobody(talk)
    every = [
        Acl(name, principal),
        Acl(name, principal, WRITE, DENY, "127.0.0.1"),
        Acl(name, principal, DESCRIBE, kind=GROUP),
        Acl(CLUSTER_NAME, principal, CLUSTER_ACTION, kind=CLUSTER),
        Acl(name, principal, WRITE, kind=TRANSACTIONAL_ID),
        Acl(name, principal, DESCRIBE, kind=DELEGATION_TOKEN),
    ]
    if version >= PATTERN_TYPES:
        every.append(Acl(name, principal, pattern=PREFIXED))
    if version >= USERS:
        every.append(Acl(name, principal, DESCRIBE, kind=USER))
    return every


@question(
    "acls.same-again-is-one",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _the_same_three_times(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    one = Acl(talk.facts.name("same"), nobody(talk))
    for times in (1, 2):
        codes = yield from create(talk, version, *[one] * times)
        talk.expect("the errors", [0] * times, codes)
        yield from shows(talk, newest(talk, "DescribeAcls"), [one], principal=one.principal)
    yield from forget(talk, one)
    yield from shows(talk, newest(talk, "DescribeAcls"), [], principal=one.principal)


@question(
    "acls.results-in-order",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _bad_ones_between(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    good, bad = _good_and_bad(talk)
    codes = yield from create(talk, version, good, bad, bad, good, bad)
    talk.expect("which failed", [False, True, True, False, True], [code != 0 for code in codes])
    yield from forget(talk, good)


@question(
    "acls.results-in-order",
    "DeleteAcls",
    ALL_VERSIONS,
    needs=("CreateAcls", "DescribeAcls"),
    wants=("writes",),
)
def _filters_in_order(talk: Talk, version: int) -> Dialogue:
    principal = nobody(talk)
    b, a, c = (Acl(talk.facts.name(what), principal) for what in "bac")
    yield from are_made(talk, b, a, c)
    absent = {"name": talk.facts.name("absent"), "principal": principal}
    filters = (*({"name": acl.name, "principal": principal} for acl in (c, a)), absent)
    last = {"name": b.name, "principal": principal}
    results = yield from delete(talk, version, *(wanted(**each) for each in (*filters, last)))
    talk.expect("what each filter found", [(0, [c]), (0, [a]), (0, []), (0, [b])], results)


@question(
    "acls.one-failure-stops-none",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _good_ones_after_a_bad_one(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    good, bad = _good_and_bad(talk)
    later = good._replace(operation=WRITE)
    codes = yield from create(talk, version, bad, good, bad, later)
    if not codes[:1] or not codes[0]:
        raise Broken("an ACL of a topic without a name is no error", "an error", str(codes))
    talk.expect("the errors of the good ones", [0, 0], codes[1::2])
    yield from shows(talk, newest(talk, "DescribeAcls"), [good, later], principal=good.principal)
    yield from forget(talk, good, later)


def _good_and_bad(talk: Talk) -> tuple[Acl, Acl]:
    """An ACL, and one that there can't be."""
    good = Acl(talk.facts.name("good"), nobody(talk))
    return good, good._replace(name="")


@question(
    "acls.resource-names-checked",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _resources_that_have_no_such_name(talk: Talk, version: int) -> Dialogue:
    yield from authorizer(talk)
    cluster = Acl(CLUSTER_NAME, nobody(talk), DESCRIBE, kind=CLUSTER)
    for wrong in ("", talk.facts.name("cluster")):
        codes = yield from create(talk, version, cluster._replace(name=wrong), cluster)
        talk.expect(f"the errors of {wrong!r} and {CLUSTER_NAME}", [INVALID_REQUEST, 0], codes)
    for kind in (TOPIC, GROUP, TRANSACTIONAL_ID):
        codes = yield from create(talk, version, cluster._replace(name="", kind=kind), cluster)
        talk.expect(f"the errors of no name and {CLUSTER_NAME}", [INVALID_REQUEST, 0], codes)
    yield from shows(talk, newest(talk, "DescribeAcls"), [cluster], principal=cluster.principal)
    yield from forget(talk, cluster)


def _known_codes(talk: Talk) -> Dialogue:
    """A request whose like, with a code of 0, is refused below."""
    yield from describe(talk, newest(talk, "DescribeAcls"), name=talk.facts.name("absent"))


@question("acls.unknown-code-refused", "DescribeAcls", ALL_VERSIONS, hurts=True, twin=_known_codes)
def _unknown_code_to_describe(talk: Talk, version: int) -> Dialogue:
    for field in ("kind", "pattern", "operation", "permission"):
        value = wanted(**{"name": talk.facts.name("unknown"), field: UNKNOWN})
        yield from _refused(talk, "DescribeAcls", version, field, value)


@question(
    "acls.unknown-code-refused",
    "DeleteAcls",
    ALL_VERSIONS,
    hurts=True,
    twin=_known_codes,
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
    hurts=True,
    twin=_known_codes,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
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
    heard = yield Hear()
    assert heard is not None
    if heard.kind in ("closed", "reset"):
        yield Tell("the connection is closed")
    elif heard.kind == "reply":
        found = talk.read(api, version, heard.frame).value
        codes = [each["errorCode"] for each in _results(found)]
        if not all(codes) or not codes:
            what = f"{api} with a {field} of 0 is carried out"
            raise Broken(what, "an error, or the connection closed", heard.frame)
        yield Tell(f"errors {codes}")
    else:
        raise Broken(f"{api} with a {field} of 0: {told(heard)}", "an error", heard.frame)
    yield Reconnect()


def _results(value: Fields) -> list[Any]:
    """The parts of an answer that have errors of their own; itself, where none has."""
    results: list[Any] = value.get("results", value.get("filterResults", [value]))
    return results


@question(
    "acls.any-is-not-created",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
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
    yield from forget(talk, good)


@question("acls.no-authorizer-is-told", "DescribeAcls", ALL_VERSIONS, needs=("DeleteAcls",))
def _acls_of_no_authorizer_described(talk: Talk, version: int) -> Dialogue:
    yield from _disabled(talk, version, newest(talk, "DeleteAcls"))


@question(
    "acls.no-authorizer-is-told",
    "DeleteAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls",),
    wants=("writes",),
)
def _acls_of_no_authorizer_deleted(talk: Talk, version: int) -> Dialogue:
    yield from _disabled(talk, newest(talk, "DescribeAcls"), version)


@question(
    "acls.no-authorizer-is-told",
    "CreateAcls",
    ALL_VERSIONS,
    needs=("DescribeAcls", "DeleteAcls"),
    wants=("writes",),
)
def _acls_of_no_authorizer_created(talk: Talk, version: int) -> Dialogue:
    one = Acl(talk.facts.name("disabled"), nobody(talk))
    two = one._replace(operation=WRITE)
    codes = yield from create(talk, version, one, two)
    if SECURITY_DISABLED not in codes:
        yield from forget(talk, one, two)
    yield from _disabled(talk, newest(talk, "DescribeAcls"), newest(talk, "DeleteAcls"), codes)


def _disabled(
    talk: Talk, describing: int, deleting: int, created: list[int] | None = None
) -> Dialogue:
    """The three requests agree that there are no ACLs; NotHere where none of them says so."""
    absent = wanted(name=talk.facts.name("absent"))
    code, listed = yield from describe(talk, describing, name=talk.facts.name("absent"))
    results = yield from delete(talk, deleting, absent, absent)
    codes = {"DescribeAcls": [code], "DeleteAcls": [code for code, _ in results]}
    if created is not None:
        codes["CreateAcls"] = created
    if not any(SECURITY_DISABLED in each for each in codes.values()):
        raise NotHere("the broker has an authorizer")
    due = {api: [SECURITY_DISABLED] * (1 if api == "DescribeAcls" else 2) for api in codes}
    talk.expect("the errors", due, codes)
    talk.expect("the ACLs", [], listed + [acl for _, acls in results for acl in acls])
