"""Rights that several ACLs make together, or one of a prefix, counted wrong."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALLOW, DENY, PREFIXED
from conformance.reference.broker.cluster import Acl


class AllowBeatsDeny(BrokerMutant, breaks="acls.deny-beats-allow"):
    """Allows what one ACL allows, whatever another denies."""

    def acls_about(self, principal: str, resource_type: int, name: str) -> Iterable[Acl]:  # type: ignore[override]
        found = list(super().acls_about(principal, resource_type, name))
        return [acl for acl in found if acl.permission_type == ALLOW] or found


class DenialsIgnored(BrokerMutant, breaks="acls.deny-beats-allow"):
    """Looks at what is allowed alone."""

    def covers(self, acl: Acl, name: str) -> bool:
        return acl.permission_type != DENY and super().covers(acl, name)


class PrefixedIsLiteral(BrokerMutant, breaks="acls.prefixed-covers-what-begins-so"):
    """Takes a prefixed ACL for one of that name alone."""

    implies = ("acls.match-finds-all-patterns",)

    def covers(self, acl: Acl, name: str) -> bool:
        return acl.resource_name in ("*", name)


class LiteralIsPrefixed(BrokerMutant, breaks="acls.prefixed-covers-what-begins-so"):
    """Takes a literal ACL for all names that begin so."""

    def covers(self, acl: Acl, name: str) -> bool:
        return acl.resource_name == "*" or name.startswith(acl.resource_name)


class PrefixedIsEverything(BrokerMutant, breaks="acls.prefixed-covers-what-begins-so"):
    """Takes a prefixed ACL for one of all names."""

    def covers(self, acl: Acl, name: str) -> bool:
        return acl.pattern_type == PREFIXED or super().covers(acl, name)
