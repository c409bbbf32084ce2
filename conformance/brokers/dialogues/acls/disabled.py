"""ACLs without an authorizer: all three requests refuse, and none lists an ACL."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    WRITE,
    WRITING,
    Acl,
    create,
    delete,
    describe,
    forget,
    newest,
    nobody,
    wanted,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, NotApplicable
from conformance.error_codes import SECURITY_DISABLED


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


@question("acls.no-authorizer-is-told", "CreateAcls", ALL_VERSIONS, **WRITING)
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
    """Check that the three requests agree. Raises NotApplicable if none says ACLs are disabled."""
    absent = wanted(name=talk.facts.name("absent"))
    code, listed = yield from describe(talk, describing, name=talk.facts.name("absent"))
    results = yield from delete(talk, deleting, absent, absent)
    codes = {"DescribeAcls": [code], "DeleteAcls": [code for code, _ in results]}
    if created is not None:
        codes["CreateAcls"] = created
    if not any(SECURITY_DISABLED in each for each in codes.values()):
        raise NotApplicable("the broker has an authorizer")
    due = {api: [SECURITY_DISABLED] * (1 if api == "DescribeAcls" else 2) for api in codes}
    talk.expect("the errors", due, codes)
    talk.expect("the ACLs", [], listed + [acl for _, acls in results for acl in acls])
