"""Rights to ACLs: not asked for, or asked for when it is done already."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.rights.looking import allows_caller
from conformance.reference.broker.admin.access import DESCRIBE
from conformance.reference.broker.cluster import Request, Value


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
