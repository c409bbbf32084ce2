"""The authorizer's decision who may do what, from ACLs alone.

It decides as Apache Kafka's authorizer does: super users may do everything, a matching DENY
refuses, a matching ALLOW permits, and without a matching ACL nothing is permitted. A principal that
may read, write, delete or alter a resource may describe it too; one that may alter its configs may
describe those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.reference.broker.cluster import Acl, Cluster, Request

GROUP, CLUSTER, TRANSACTIONAL_ID = 3, 4, 5
LITERAL, PREFIXED = 3, 4
ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE = 2, 3, 4, 5, 6, 7, 8
CLUSTER_ACTION = 9
DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE = 10, 11, 12
DENY, ALLOW = 2, 3
CLUSTER_NAME = "kafka-cluster"
_IMPLIED_BY = {
    DESCRIBE: {READ, WRITE, DELETE, ALTER},
    DESCRIBE_CONFIGS: {ALTER_CONFIGS},
}


class Access(Cluster):
    """The check of permissions, which every handler uses."""

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        """True if the caller may do this operation on that resource."""
        if not self.authorizer or request.principal in self.super_users:
            return True
        matching = list(self.acls_about(request.principal, resource_type, name))
        if any(
            acl.operation in (ALL, operation) for acl in matching if acl.permission_type == DENY
        ):
            return False
        enough = {ALL, operation, *_IMPLIED_BY.get(operation, ())}
        return any(acl.operation in enough for acl in matching if acl.permission_type == ALLOW)

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        """Return a bit for each possible operation that the caller may do (KIP-430)."""
        return sum(1 << each for each in possible if self.may(request, each, resource_type, name))

    def may_cluster(self, request: Request, operation: int) -> bool:
        """True if the caller may do this operation on the cluster."""
        return self.may(request, operation, CLUSTER, CLUSTER_NAME)

    def acls_about(self, principal: str, resource_type: int, name: str) -> Iterator[Acl]:
        """Yield the ACLs that apply to this caller and this resource."""
        for acl in self.acls:
            if acl.resource_type != resource_type or acl.principal not in (principal, "User:*"):
                continue
            if self.covers(acl, name):
                yield acl

    def covers(self, acl: Acl, name: str) -> bool:
        """True if the ACL's pattern matches a resource of this name (KIP-290)."""
        if acl.pattern_type == PREFIXED:
            return name.startswith(acl.resource_name)
        return acl.resource_name in ("*", name)
