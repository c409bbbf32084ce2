"""ACLs that cannot be, and are created or ignored all the same."""

from __future__ import annotations

from collections.abc import Iterable

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALL, CLUSTER
from conformance.reference.broker.admin.acls import ANY, UNKNOWN
from conformance.reference.broker.cluster import Acl, Request, Value
from conformance.reference.broker.errors import Refused


class AnyNameOfTheCluster(BrokerMutant, breaks="acls.resource-names-checked"):
    """Creates ACLs of clusters by any name."""

    def check_creation(self, item: Value) -> None:
        if item["resourceType"] != CLUSTER:
            super().check_creation(item)


class NamelessResourceTaken(BrokerMutant, breaks="acls.resource-names-checked"):
    """Creates ACLs of topics and groups without a name."""

    def check_creation(self, item: Value) -> None:
        nameless = item["resourceType"] != CLUSTER and not item["resourceName"]
        super().check_creation({**item, "resourceName": "x"} if nameless else item)


class WrongNamesCrash(BrokerMutant, breaks="acls.resource-names-checked"):
    """Answers an ACL whose resource can't have its name with UNKNOWN_SERVER_ERROR."""

    def check_creation(self, item: Value) -> None:
        try:
            super().check_creation(item)
        except Refused as refused:
            raise Refused(error_codes.UNKNOWN_SERVER_ERROR) from refused


class UnknownFindsAll(BrokerMutant, breaks="acls.unknown-code-refused"):
    """Carries out a filter of ACLs that has a code of 0."""

    def check_filter_codes(self, filters: Iterable[Value]) -> None:
        """Check nothing."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return super().matches(
            {name: ANY if value == UNKNOWN else value for name, value in wanted.items()}, acl
        )


class UnknownCreated(BrokerMutant, breaks="acls.unknown-code-refused"):
    """Creates ACLs with codes of 0."""

    def check_creation_codes(self, creations: list[Value]) -> None:
        """Check nothing."""

    def check_creation(self, item: Value) -> None:
        self.check_names(item)


class UnknownIsNotAnswered(BrokerMutant, breaks="acls.unknown-code-refused"):
    """Leaves an ACL with a code of 0 out of the answer to CreateAcls."""

    def create_acls(self, request: Request) -> Value:
        request.value["creations"] = [
            item
            for item in request.value["creations"]
            if UNKNOWN not in (item["resourceType"], item["operation"], item["permissionType"])
        ]
        return super().create_acls(request)


class AnyCreated(BrokerMutant, breaks="acls.any-is-not-created"):
    """Creates ACLs with codes that are for filters alone."""

    def check_concrete(self, creations: list[Value]) -> None:
        """Check nothing."""

    def check_creation(self, item: Value) -> None:
        self.check_names(item)


class AnyOperationMadeAll(BrokerMutant, breaks="acls.any-is-not-created"):
    """Takes ANY for the operation of a new ACL."""

    def check_concrete(self, creations: list[Value]) -> None:
        for item in creations:
            if item["operation"] == ANY:
                item["operation"] = ALL
        super().check_concrete(creations)


class AnyRefusedAndCreated(BrokerMutant, breaks="acls.any-is-not-created"):
    """Answers an ACL with codes for filters with an error, and holds it."""

    def check_concrete(self, creations: list[Value]) -> None:
        for item in creations:
            if item["operation"] == ANY:
                super().create_acl({**item, "operation": ALL})
        super().check_concrete(creations)
