"""ACLs: filters that find too little or too much."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALLOW, LITERAL, PREFIXED
from conformance.reference.broker.admin.acls import ANY, MATCH
from conformance.reference.broker.cluster import Acl, Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import NAMES


class NullPrincipalFindsNone(BrokerMutant, breaks="acls.null-matches-any"):
    """Finds no ACL by a filter whose principal is null."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return wanted["principalFilter"] is not None and super().matches(wanted, acl)


class NullHostIsEveryHost(BrokerMutant, breaks="acls.null-matches-any"):
    """Takes the null host of a filter for the host `*`."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return super().matches({**wanted, "hostFilter": wanted["hostFilter"] or "*"}, acl)


class NullNameFindsNone(BrokerMutant, breaks="acls.null-matches-any"):
    """Finds no ACL by a filter whose resource name is null."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        return wanted["resourceNameFilter"] is not None and super().matches_pattern(wanted, acl)


class AnyPermissionIsAllow(BrokerMutant, breaks="acls.null-matches-any"):
    """Takes the permission ANY of a filter for ALLOW."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        given = wanted["permissionType"]
        return super().matches({**wanted, "permissionType": ALLOW if given == ANY else given}, acl)


class HostOfFilterIgnored(BrokerMutant, breaks="acls.filter-kept-to"):
    """Finds ACLs of all hosts, whatever the filter says."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return super().matches({**wanted, "hostFilter": None}, acl)


class OperationOfFilterIgnored(BrokerMutant, breaks="acls.filter-kept-to"):
    """Finds ACLs of all operations, whatever the filter says."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return super().matches({**wanted, "operation": ANY}, acl)


class PrincipalByItsBeginning(BrokerMutant, breaks="acls.filter-kept-to"):
    """Finds ACLs of principals that begin with the one of the filter."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        given = wanted["principalFilter"]
        begins = given is None or acl.principal.startswith(given)
        return begins and super().matches({**wanted, "principalFilter": None}, acl)


class PatternTypeOfFilterIgnored(BrokerMutant, breaks="acls.filter-kept-to"):
    """Compares names alone where a filter gives a pattern type."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        return wanted["resourceNameFilter"] in (None, acl.resource_name)


class MatchWithoutWildcards(BrokerMutant, breaks="acls.match-finds-all-patterns"):
    """Leaves ACLs of the name `*` out of those that MATCH finds."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        left_out = wanted["patternTypeFilter"] == MATCH and acl.resource_name == "*"
        return not left_out and super().matches_pattern(wanted, acl)


class MatchWithoutPrefixes(BrokerMutant, breaks="acls.match-finds-all-patterns"):
    """Leaves prefixed ACLs out of those that MATCH finds."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        left_out = wanted["patternTypeFilter"] == MATCH and acl.pattern_type == PREFIXED
        return not left_out and super().matches_pattern(wanted, acl)


class MatchIsAny(BrokerMutant, breaks="acls.match-finds-all-patterns"):
    """Takes the pattern type MATCH for ANY."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        kind = wanted["patternTypeFilter"]
        return super().matches_pattern(
            {**wanted, "patternTypeFilter": ANY if kind == MATCH else kind}, acl
        )


class AnyIsMatch(BrokerMutant, breaks="acls.match-finds-all-patterns"):
    """Takes the pattern type ANY for MATCH."""

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        kind = wanted["patternTypeFilter"]
        return super().matches_pattern(
            {**wanted, "patternTypeFilter": MATCH if kind == ANY else kind}, acl
        )


class NoAclsAreAnError(BrokerMutant, breaks="acls.none-is-empty"):
    """Answers a filter that finds nothing with an error."""

    def describe_acls(self, request: Request) -> Value:
        answer = super().describe_acls(request)
        if answer["errorCode"] or answer["resources"]:
            return answer
        return {**answer, "errorCode": error_codes.INVALID_REQUEST}


class ResourceWithoutAclsListed(BrokerMutant, breaks="acls.none-is-empty"):
    """Lists the resource of a filter that finds nothing, with no ACL."""

    def describe_acls(self, request: Request) -> Value:
        answer, asked = super().describe_acls(request), request.value
        if answer["errorCode"] or answer["resources"] or asked["resourceNameFilter"] is None:
            return answer
        bare = {
            "resourceType": asked["resourceTypeFilter"],
            "resourceName": asked["resourceNameFilter"],
            "patternType": LITERAL,
            "acls": [],
        }
        return {**answer, "resources": [bare]}


class ResourceOfFilterIgnored(BrokerMutant, breaks="acls.filter-kept-to"):
    """Finds ACLs of all resources, whatever name the filter has."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        return super().matches({**wanted, "resourceNameFilter": None}, acl)


class AclsListedWhereCreated(BrokerMutant, breaks="acls.created-is-listed"):
    """Lists no ACL but where one was created, as if nobody else had heard of them."""

    class Sessions(Session):
        has_created = False

        def handle(self, request: Request) -> Value:
            name = NAMES[request.api_key]
            self.has_created |= name == "CreateAcls"
            answer = super().handle(request)
            hides = name == "DescribeAcls" and not self.has_created
            return {**answer, "resources": []} if hides else answer
