"""Creations of wrong ACLs, and deletions of others."""

from __future__ import annotations

from collections.abc import Iterable, Set

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALLOW, DENY, LITERAL, PREFIXED
from conformance.reference.broker.cluster import Acl, Request, Value
from conformance.reference.broker.errors import Refused


class HostNotKept(BrokerMutant, breaks="acls.created-is-listed"):
    """Creates every ACL for all hosts."""

    def create_acl(self, item: Value) -> None:
        super().create_acl({**item, "host": "*"})


class DenialMadeAllowance(BrokerMutant, breaks="acls.created-is-listed"):
    """Creates an ACL that allows where one was to deny."""

    def create_acl(self, item: Value) -> None:
        denies = item["permissionType"] == DENY
        super().create_acl({**item, "permissionType": ALLOW} if denies else item)


class PrefixMadeLiteral(BrokerMutant, breaks="acls.created-is-listed"):
    """Creates a literal ACL where a prefixed one was asked for."""

    def create_acl(self, item: Value) -> None:
        prefixed = item["resourcePatternType"] == PREFIXED
        super().create_acl({**item, "resourcePatternType": LITERAL} if prefixed else item)


class OneAclAResource(BrokerMutant, breaks="acls.created-is-listed"):
    """Replaces what it held of a resource by each ACL of that resource."""

    def create_acl(self, item: Value) -> None:
        super().create_acl(item)
        *before, newest = self.acls
        same = newest.resource_type, newest.resource_name
        self.remove_acls({acl for acl in before if same == (acl.resource_type, acl.resource_name)})


class SameAgainRefused(BrokerMutant, breaks="acls.same-again-is-one"):
    """Refuses an ACL that is there already."""

    def create_acl(self, item: Value) -> None:
        held = len(self.acls)
        super().create_acl(item)
        if len(self.acls) == held:
            raise Refused(error_codes.INVALID_REQUEST)


class SameAgainListedTwice(BrokerMutant, breaks="acls.same-again-is-one"):
    """Lists an ACL as often as it was created."""

    def create_acl(self, item: Value) -> None:
        super().create_acl(item)
        self.given: list[Value] = [*getattr(self, "given", []), item]

    def by_resource(self, acls: Iterable[Acl]) -> list[Value]:
        again = self.given.count(self.given[-1]) if getattr(self, "given", []) else 1
        return super().by_resource(acl for acl in acls for _ in range(again))


class DeletedNotTold(BrokerMutant, breaks="acls.deleted-is-told-and-gone"):
    """Deletes ACLs and does not tell which."""

    def delete_acls(self, request: Request) -> Value:
        answer = super().delete_acls(request)
        results = [{**each, "matchingAcls": []} for each in answer["filterResults"]]
        return {**answer, "filterResults": results}


class DeletedOnlyTold(BrokerMutant, breaks="acls.deleted-is-told-and-gone"):
    """Tells of ACLs as deleted that stay."""

    def remove_acls(self, acls: Set[Acl]) -> None:
        """Delete nothing."""


class DenialsStay(BrokerMutant, breaks="acls.deleted-is-told-and-gone"):
    """Tells of ACLs as deleted and keeps those of them that deny."""

    def remove_acls(self, acls: Set[Acl]) -> None:
        super().remove_acls({acl for acl in acls if acl.permission_type == ALLOW})


class WholeResourceDeleted(BrokerMutant, breaks="acls.deleted-is-told-and-gone"):
    """Deletes the ACLs of other principals too, where one of the same resource was asked for."""

    def remove_acls(self, acls: Set[Acl]) -> None:
        gone = {(acl.resource_type, acl.resource_name) for acl in acls}
        super().remove_acls(
            {acl for acl in self.acls if (acl.resource_type, acl.resource_name) in gone}
        )
