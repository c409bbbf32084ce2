"""A check of rights for mutants that look at one ACL alone."""

from __future__ import annotations

from conformance.reference.broker.admin.access import ALLOW
from conformance.reference.broker.cluster import Acl, Request


def allows_caller(acl: Acl, request: Request) -> bool:
    """True if an ACL allows something to the caller."""
    return acl.principal == request.principal and acl.permission_type == ALLOW
