"""Functions shared by dialogues that create, list and delete ACLs (KIP-140, KIP-290).

Each dialogue makes ACLs under a name of its own, for a principal that does not exist. Expected
results are whole ACLs, so that an ACL that was changed, doubled or made up is seen as well as a
missing one. A broker without an authorizer has no ACLs, and says so.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.dialogue import Dialogue, NotApplicable, Received, Step
from conformance.error_codes import SECURITY_DISABLED
from conformance.schema.filling import filled

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

ACLS = ("DescribeAcls", "CreateAcls", "DeleteAcls")
WRITING: Mapping[str, Any] = {"needs": ACLS, "wants": ("writes",)}
"""The needs of a dialogue that creates or deletes ACLs."""

Fields = Mapping[str, Any]
Codes = Generator[Step, Received | None, list[int]]


class Acl(NamedTuple):
    """One ACL, with the codes of the protocol."""

    name: str
    principal: str
    operation: int = READ
    permission: int = ALLOW
    host: str = "*"
    kind: int = TOPIC
    pattern: int = LITERAL


Acls = Generator[Step, Received | None, list[Acl]]


def wanted(**given: Any) -> Fields:
    """Return a filter, by the names of `Acl`; fields that are not given match anything."""
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
) -> Generator[Step, Received | None, tuple[int, list[Acl]]]:
    """The error of the answer, and the ACLs that a filter finds, sorted."""
    code, resources = yield from listed(talk, version, **given)
    return code, sorted(_acl(each, of) for of in resources for each in of["acls"])


def listed(
    talk: Talk, version: int, **given: Any
) -> Generator[Step, Received | None, tuple[int, list[Any]]]:
    """The error of the answer, and the resources of those ACLs, as they came."""
    layout = talk.codec.form("DescribeAclsRequest", version).layout
    reply = yield from talk.ask("DescribeAcls", version, filled(layout, wanted(**given)))
    return reply.value["errorCode"], list(reply.value["resources"])


def delete(
    talk: Talk, version: int, *filters: Fields
) -> Generator[Step, Received | None, list[Any]]:
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


@judged_by("acls.created-is-listed")
def are_made(talk: Talk, *acls: Acl) -> Dialogue:
    """Make ACLs, and wait until they are listed. NotApplicable where there is no authorizer."""
    yield from authorizer(talk)
    codes = yield from create(talk, newest(talk, "CreateAcls"), *acls)
    talk.expect("the errors of CreateAcls", [0] * len(acls), codes)
    yield from are_listed(talk, newest(talk, "DescribeAcls"), *acls)


def are_listed(talk: Talk, version: int, *acls: Acl) -> Dialogue:
    """Each is found by a filter that says all of it, maybe among others. Raises Broken."""

    def ask() -> Acls:
        found = []
        for acl in acls:
            _, by_its_filter = yield from describe(talk, version, **acl._asdict())
            found += [acl] * (acl in by_its_filter)
        return found

    yield from talk.eventually("the ACLs that are listed", list(acls), ask)


def forget(talk: Talk, *acls: Acl) -> Dialogue:
    """Delete the ACLs that a dialogue created."""
    filters = [wanted(**acl._asdict()) for acl in acls]
    yield from delete(talk, newest(talk, "DeleteAcls"), *filters)


def authorizer(talk: Talk) -> Dialogue:
    """Raise NotApplicable if the broker has no authorizer."""
    if not (yield from has_authorizer(talk)):
        raise NotApplicable("the broker has no authorizer")


def has_authorizer(talk: Talk) -> Generator[Step, Received | None, bool]:
    """Return True if the broker has an authorizer."""
    absent = talk.facts.name("absent")
    code, _ = yield from describe(talk, newest(talk, "DescribeAcls"), name=absent)
    return code != SECURITY_DISABLED


def newest(talk: Talk, api: str) -> int:
    """The highest version of an API."""
    return talk.facts.range_of(api)[1]


def nobody(talk: Talk) -> str:
    """Return a principal that does not exist."""
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
