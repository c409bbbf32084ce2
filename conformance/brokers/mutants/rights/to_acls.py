"""Rights to list and change ACLs, and rights by ACLs: those that several ACLs make together, or one
of a prefix.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALLOW, DENY, DESCRIBE, PREFIXED
from conformance.reference.broker.cluster import Acl, Request, Value


def allows_caller(acl: Acl, request: Request) -> bool:
    """True if an ACL allows something to the caller."""
    return acl.principal == request.principal and acl.permission_type == ALLOW


class OwnAclsListed(BrokerMutant, breaks="acls.own-acls-not-listed"):
    """Lists the ACLs that allow something to the caller, as KIP-4 once had it."""

    def describe_acls(self, request: Request) -> Value:
        answer = super().describe_acls(request)
        of_others = request.value["principalFilter"] not in (None, request.principal)
        if of_others or answer["errorCode"] != error_codes.CLUSTER_AUTHORIZATION_FAILED:
            return answer
        own = [acl for acl in self.acls_matching(request.value) if allows_caller(acl, request)]
        return {**answer, "errorCode": error_codes.NONE, "resources": self.by_resource(own)}


class AclsListedToEverybody(BrokerMutant, breaks="acls.listing-takes-a-right"):
    """Lists all ACLs to whoever asks."""

    def check_authorizer(self, request: Request, operation: int) -> None:
        if operation != DESCRIBE:
            super().check_authorizer(request, operation)


class AclsBesideTheRefusal(BrokerMutant, breaks="acls.listing-takes-a-right"):
    """Refuses to list ACLs, and lists them beside the error."""

    def describe_acls(self, request: Request) -> Value:
        answer = super().describe_acls(request)
        return {**answer, "resources": self.by_resource(self.acls_matching(request.value))}


class AclsCreatedByEverybody(BrokerMutant, breaks="acls.changing-takes-a-right"):
    """Creates ACLs for whoever asks."""

    def create_acls(self, request: Request) -> Value:
        results = [self.created_acl(item) for item in request.value["creations"]]
        return {"throttleTimeMs": 0, "results": results}


class AclsCreatedAndRefused(BrokerMutant, breaks="acls.changing-takes-a-right"):
    """Creates ACLs before it looks whether the caller may, and refuses then."""

    def create_acls(self, request: Request) -> Value:
        for item in request.value["creations"]:
            self.created_acl(item)
        return super().create_acls(request)


class AclsDeletedAndRefused(BrokerMutant, breaks="acls.changing-takes-a-right"):
    """Deletes ACLs before it looks whether the caller may, and refuses then."""

    def delete_acls(self, request: Request) -> Value:
        found = super().delete_acls(request)
        for wanted, result in zip(request.value["filters"], found["filterResults"], strict=True):
            if result["errorCode"]:
                self.remove_acls(set(self.acls_matching(wanted)))
        return found


class RefusalTellsAcls(BrokerMutant, breaks="acls.changing-takes-a-right"):
    """Refuses to delete ACLs, and lists them beside the error."""

    def delete_acls(self, request: Request) -> Value:
        held = dict(self.acls)
        answer = super().delete_acls(request)
        if not any(each["errorCode"] for each in answer["filterResults"]):
            return answer
        allowed = super().delete_acls(Request(0, 0, {}, request.value))
        self.acls = held
        pairs = zip(answer["filterResults"], allowed["filterResults"], strict=True)
        told = [{**one, "matchingAcls": other["matchingAcls"]} for one, other in pairs]
        return {**answer, "filterResults": told}


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
