"""ACLs of a broker that has no authorizer, and does not say so."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value

WITHOUT_AUTHORIZER = MappingProxyType({"authorizer": False})


class NoAuthorizerHasNoAcls(BrokerMutant, breaks="acls.no-authorizer-is-told"):
    """Lists no ACLs, and no error, where there is no authorizer."""

    made_with = WITHOUT_AUTHORIZER

    def describe_acls(self, request: Request) -> Value:
        answer = super().describe_acls(request)
        return {**answer, "errorCode": error_codes.NONE, "errorMessage": None}


class NoAuthorizerDeletesNothing(BrokerMutant, breaks="acls.no-authorizer-is-told"):
    """Tells filters that find nothing, and no error, where there is no authorizer."""

    made_with = WITHOUT_AUTHORIZER

    def delete_acls(self, request: Request) -> Value:
        answer = super().delete_acls(request)
        results = [{**each, "errorCode": error_codes.NONE} for each in answer["filterResults"]]
        return {**answer, "filterResults": results}


class NoAuthorizerCreatesAcls(BrokerMutant, breaks="acls.no-authorizer-is-told"):
    """Takes ACLs that nobody will look at, where there is no authorizer."""

    made_with = WITHOUT_AUTHORIZER

    def create_acls(self, request: Request) -> Value:
        answer = super().create_acls(request)
        results = [{**each, "errorCode": error_codes.NONE} for each in answer["results"]]
        return {**answer, "results": results}


class NoAuthorizerToldOnce(BrokerMutant, breaks="results.one-for-each"):
    """Answers CreateAcls with one error for all entries where there is no authorizer."""

    made_with = WITHOUT_AUTHORIZER

    def create_acls(self, request: Request) -> Value:
        answer = super().create_acls(request)
        return {**answer, "results": answer["results"][:1]}
