"""ACLs: answers that are not one for each that was asked, in its place."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused


class CreationErrorsFirst(BrokerMutant, breaks="acls.results-in-order"):
    """Answers CreateAcls with the errors first, and then what was created."""

    def create_acls(self, request: Request) -> Value:
        answer = super().create_acls(request)
        results = sorted(answer["results"], key=lambda each: each["errorCode"] == error_codes.NONE)
        return {**answer, "results": results}


class CreatedOnceAnsweredOnce(BrokerMutant, breaks="results.one-for-each"):
    """Answers an ACL that one CreateAcls holds twice with one result."""

    def create_acls(self, request: Request) -> Value:
        distinct: list[Value] = []
        for item in request.value["creations"]:
            if item not in distinct:
                distinct.append(item)
        request.value["creations"] = distinct
        return super().create_acls(request)


class FiltersAnsweredBackwards(BrokerMutant, breaks="acls.results-in-order"):
    """Answers the filters of DeleteAcls from the last to the first."""

    def delete_acls(self, request: Request) -> Value:
        answer = super().delete_acls(request)
        return {**answer, "filterResults": answer["filterResults"][::-1]}


class EmptyFiltersLeftOut(BrokerMutant, breaks="results.one-for-each"):
    """Leaves filters that found nothing out of the answer to DeleteAcls."""

    def delete_acls(self, request: Request) -> Value:
        answer = super().delete_acls(request)
        results = [each for each in answer["filterResults"] if each["matchingAcls"]]
        return {**answer, "filterResults": results}


class FailureStopsTheRest(BrokerMutant, breaks="acls.one-failure-stops-none"):
    """Answers each ACL that stands behind one that failed with the same error."""

    failed = error_codes.NONE

    def create_acls(self, request: Request) -> Value:
        self.failed = error_codes.NONE
        return super().create_acls(request)

    def create_acl(self, item: Value) -> None:
        if self.failed:
            raise Refused(self.failed)
        try:
            super().create_acl(item)
        except Refused as refused:
            self.failed = refused.code
            raise


class FailureUndoesTheRest(BrokerMutant, breaks="acls.one-failure-stops-none"):
    """Creates none of a request's ACLs where one fails, and tells the others as created."""

    def create_acls(self, request: Request) -> Value:
        before = dict(self.acls)
        answer = super().create_acls(request)
        if any(each["errorCode"] for each in answer["results"]):
            self.acls = before
        return answer
