"""ACLs: filters that find too little or too much, and ACLs that are not what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Set
from types import MappingProxyType

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers import errors
from conformance.peers.access import ALL, ALLOW, CLUSTER, DENY, LITERAL, PREFIXED
from conformance.peers.acls import ANY, MATCH, UNKNOWN
from conformance.peers.cluster import Acl, Request, Value
from conformance.peers.errors import Refused

WITHOUT_AUTHORIZER = MappingProxyType({"authorizer": False})


class NullPrincipalFindsNone(BrokerMutant):
    """Finds no ACL by a filter whose principal is null."""

    breaks = "acls.null-matches-any"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """Not without a principal."""
        return wanted["principalFilter"] is not None and super().matches(wanted, acl)


class NullHostIsEveryHost(BrokerMutant):
    """Takes the null host of a filter for the host `*`."""

    breaks = "acls.null-matches-any"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """With a host in place of null."""
        return super().matches({**wanted, "hostFilter": wanted["hostFilter"] or "*"}, acl)


class NullNameFindsNone(BrokerMutant):
    """Finds no ACL by a filter whose resource name is null."""

    breaks = "acls.null-matches-any"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """Not without a name."""
        return wanted["resourceNameFilter"] is not None and super().matches_pattern(wanted, acl)


class AnyPermissionIsAllow(BrokerMutant):
    """Takes the permission ANY of a filter for ALLOW."""

    breaks = "acls.null-matches-any"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """Only what allows, unless told otherwise."""
        given = wanted["permissionType"]
        return super().matches({**wanted, "permissionType": ALLOW if given == ANY else given}, acl)


class HostOfFilterIgnored(BrokerMutant):
    """Finds ACLs of all hosts, whatever the filter says."""

    breaks = "acls.filter-kept-to"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """Whatever the host."""
        return super().matches({**wanted, "hostFilter": None}, acl)


class OperationOfFilterIgnored(BrokerMutant):
    """Finds ACLs of all operations, whatever the filter says."""

    breaks = "acls.filter-kept-to"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """Whatever the operation."""
        return super().matches({**wanted, "operation": ANY}, acl)


class PrincipalByItsBeginning(BrokerMutant):
    """Finds ACLs of principals that begin with the one of the filter."""

    breaks = "acls.filter-kept-to"

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """By the beginning of the principal."""
        given = wanted["principalFilter"]
        begins = given is None or acl.principal.startswith(given)
        return begins and super().matches({**wanted, "principalFilter": None}, acl)


class PatternTypeOfFilterIgnored(BrokerMutant):
    """Compares names alone where a filter gives a pattern type."""

    breaks = "acls.filter-kept-to"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """By the name."""
        return wanted["resourceNameFilter"] in (None, acl.resource_name)


class MatchWithoutWildcards(BrokerMutant):
    """Leaves ACLs of the name `*` out of those that MATCH finds."""

    breaks = "acls.match-finds-all-patterns"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """But for wildcards."""
        left_out = wanted["patternTypeFilter"] == MATCH and acl.resource_name == "*"
        return not left_out and super().matches_pattern(wanted, acl)


class MatchWithoutPrefixes(BrokerMutant):
    """Leaves prefixed ACLs out of those that MATCH finds."""

    breaks = "acls.match-finds-all-patterns"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """But for prefixes."""
        left_out = wanted["patternTypeFilter"] == MATCH and acl.pattern_type == PREFIXED
        return not left_out and super().matches_pattern(wanted, acl)


class MatchIsAny(BrokerMutant):
    """Takes the pattern type MATCH for ANY."""

    breaks = "acls.match-finds-all-patterns"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """Never by what an ACL covers."""
        kind = wanted["patternTypeFilter"]
        return super().matches_pattern(
            {**wanted, "patternTypeFilter": ANY if kind == MATCH else kind}, acl
        )


class AnyIsMatch(BrokerMutant):
    """Takes the pattern type ANY for MATCH."""

    breaks = "acls.match-finds-all-patterns"

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """Always by what an ACL covers."""
        kind = wanted["patternTypeFilter"]
        return super().matches_pattern(
            {**wanted, "patternTypeFilter": MATCH if kind == ANY else kind}, acl
        )


class NoAclsAreAnError(BrokerMutant):
    """Answers a filter that finds nothing with an error."""

    breaks = "acls.none-is-empty"

    def describe_acls(self, request: Request) -> Value:
        """ACLs or an error."""
        answer = super().describe_acls(request)
        if answer["errorCode"] or answer["resources"]:
            return answer
        return {**answer, "errorCode": errors.INVALID_REQUEST}


class ResourceWithoutAclsListed(BrokerMutant):
    """Lists the resource of a filter that finds nothing, with no ACL."""

    breaks = "acls.none-is-empty"

    def describe_acls(self, request: Request) -> Value:
        """At least one resource."""
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


class HostNotKept(BrokerMutant):
    """Creates every ACL for all hosts."""

    breaks = "acls.created-is-listed"

    def create_acl(self, item: Value) -> None:
        """Hold an ACL of another host. Raises Refused."""
        super().create_acl({**item, "host": "*"})


class DenialMadeAllowance(BrokerMutant):
    """Creates an ACL that allows where one was to deny."""

    breaks = "acls.created-is-listed"

    def create_acl(self, item: Value) -> None:
        """Hold an ACL that allows. Raises Refused."""
        denies = item["permissionType"] == DENY
        super().create_acl({**item, "permissionType": ALLOW} if denies else item)


class PrefixMadeLiteral(BrokerMutant):
    """Creates a literal ACL where a prefixed one was asked for."""

    breaks = "acls.created-is-listed"

    def create_acl(self, item: Value) -> None:
        """Hold an ACL of one name. Raises Refused."""
        prefixed = item["resourcePatternType"] == PREFIXED
        super().create_acl({**item, "resourcePatternType": LITERAL} if prefixed else item)


class OneAclAResource(BrokerMutant):
    """Replaces what it held of a resource by each ACL of that resource."""

    breaks = "acls.created-is-listed"

    def create_acl(self, item: Value) -> None:
        """Hold one ACL in place of others. Raises Refused."""
        super().create_acl(item)
        *before, newest = self.acls
        same = newest.resource_type, newest.resource_name
        self.remove_acls({acl for acl in before if same == (acl.resource_type, acl.resource_name)})


class SameAgainRefused(BrokerMutant):
    """Refuses an ACL that is there already."""

    breaks = "acls.same-again-is-one"

    def create_acl(self, item: Value) -> None:
        """Hold an ACL that is new. Raises Refused."""
        held = len(self.acls)
        super().create_acl(item)
        if len(self.acls) == held:
            raise Refused(errors.INVALID_REQUEST)


class SameAgainListedTwice(BrokerMutant):
    """Lists an ACL as often as it was created."""

    breaks = "acls.same-again-is-one"

    def create_acl(self, item: Value) -> None:
        """Hold an ACL, and how often it was given. Raises Refused."""
        super().create_acl(item)
        principal = item["principal"]
        self.times: dict[str, int] = getattr(self, "times", {})
        self.times[principal] = self.times.get(principal, 0) + 1

    def by_resource(self, acls: Iterable[Acl]) -> list[Value]:
        """Each resource, with repetitions."""
        times = getattr(self, "times", {})
        return super().by_resource(acl for acl in acls for _ in range(times.get(acl.principal, 1)))


class DeletedNotTold(BrokerMutant):
    """Deletes ACLs and does not tell which."""

    breaks = "acls.deleted-is-told-and-gone"

    def delete_acls(self, request: Request) -> Value:
        """Results without ACLs."""
        answer = super().delete_acls(request)
        results = [{**each, "matchingAcls": []} for each in answer["filterResults"]]
        return {**answer, "filterResults": results}


class DeletedOnlyTold(BrokerMutant):
    """Tells of ACLs as deleted that stay."""

    breaks = "acls.deleted-is-told-and-gone"

    def remove_acls(self, acls: Set[Acl]) -> None:
        """Nothing."""


class DenialsStay(BrokerMutant):
    """Tells of ACLs as deleted and keeps those of them that deny."""

    breaks = "acls.deleted-is-told-and-gone"

    def remove_acls(self, acls: Set[Acl]) -> None:
        """Hold only the denials of these."""
        super().remove_acls({acl for acl in acls if acl.permission_type == ALLOW})


class WholeResourceDeleted(BrokerMutant):
    """Deletes the ACLs of other principals too, where one of the same resource was asked for."""

    breaks = "acls.deleted-is-told-and-gone"

    def remove_acls(self, acls: Set[Acl]) -> None:
        """Hold nothing of these resources."""
        gone = {(acl.resource_type, acl.resource_name) for acl in acls}
        super().remove_acls(
            {acl for acl in self.acls if (acl.resource_type, acl.resource_name) in gone}
        )


class CreationErrorsFirst(BrokerMutant):
    """Answers CreateAcls with the errors first, and then what was created."""

    breaks = "acls.results-in-order"

    def create_acls(self, request: Request) -> Value:
        """Results in another order."""
        answer = super().create_acls(request)
        results = sorted(answer["results"], key=lambda each: each["errorCode"] == errors.NONE)
        return {**answer, "results": results}


class CreatedOnceAnsweredOnce(BrokerMutant):
    """Answers an ACL that one CreateAcls holds twice with one result."""

    breaks = "acls.results-in-order"

    def create_acls(self, request: Request) -> Value:
        """A result for each ACL that is not like another."""
        distinct: list[Value] = []
        for item in request.value["creations"]:
            if item not in distinct:
                distinct.append(item)
        request.value["creations"] = distinct
        return super().create_acls(request)


class FiltersAnsweredBackwards(BrokerMutant):
    """Answers the filters of DeleteAcls from the last to the first."""

    breaks = "acls.results-in-order"

    def delete_acls(self, request: Request) -> Value:
        """Results in another order."""
        answer = super().delete_acls(request)
        return {**answer, "filterResults": answer["filterResults"][::-1]}


class EmptyFiltersLeftOut(BrokerMutant):
    """Leaves filters that found nothing out of the answer to DeleteAcls."""

    breaks = "acls.results-in-order"

    def delete_acls(self, request: Request) -> Value:
        """Results with ACLs."""
        answer = super().delete_acls(request)
        results = [each for each in answer["filterResults"] if each["matchingAcls"]]
        return {**answer, "filterResults": results}


class FailureStopsTheRest(BrokerMutant):
    """Answers each ACL that stands behind one that failed with the same error."""

    breaks = "acls.one-failure-stops-none"

    failed = errors.NONE

    def create_acls(self, request: Request) -> Value:
        """Results up to the first error, which goes on."""
        self.failed = errors.NONE
        return super().create_acls(request)

    def create_acl(self, item: Value) -> None:
        """Hold an ACL, where none has failed. Raises Refused."""
        if self.failed:
            raise Refused(self.failed)
        try:
            super().create_acl(item)
        except Refused as refused:
            self.failed = refused.code
            raise


class FailureUndoesTheRest(BrokerMutant):
    """Creates none of a request's ACLs where one fails, and tells the others as created."""

    breaks = "acls.one-failure-stops-none"

    def create_acls(self, request: Request) -> Value:
        """Results of what is undone where one is an error."""
        before = dict(self.acls)
        answer = super().create_acls(request)
        if any(each["errorCode"] for each in answer["results"]):
            self.acls = before
        return answer


class AnyNameOfTheCluster(BrokerMutant):
    """Creates ACLs of clusters by any name."""

    breaks = "acls.resource-names-checked"

    def check_creation(self, item: Value) -> None:
        """Raise Refused for what is wrong but the cluster's name."""
        if item["resourceType"] != CLUSTER:
            super().check_creation(item)


class NamelessResourceTaken(BrokerMutant):
    """Creates ACLs of topics and groups without a name."""

    breaks = "acls.resource-names-checked"

    def check_creation(self, item: Value) -> None:
        """Raise Refused for what is wrong but an empty name."""
        nameless = item["resourceType"] != CLUSTER and not item["resourceName"]
        super().check_creation({**item, "resourceName": "x"} if nameless else item)


class WrongNamesCrash(BrokerMutant):
    """Answers an ACL whose resource can't have its name with UNKNOWN_SERVER_ERROR."""

    breaks = "acls.resource-names-checked"

    def check_creation(self, item: Value) -> None:
        """Raise Refused, with an error that says nothing."""
        try:
            super().check_creation(item)
        except Refused as refused:
            raise Refused(errors.UNKNOWN_SERVER_ERROR) from refused


class UnknownFindsAll(BrokerMutant):
    """Takes a code of 0 in a filter for ANY."""

    breaks = "acls.unknown-code-refused"

    def check_filter_codes(self, filters: Iterable[Value]) -> None:
        """No check."""

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """With ANY in place of 0."""
        return super().matches(
            {name: ANY if value == UNKNOWN else value for name, value in wanted.items()}, acl
        )


class UnknownCreated(BrokerMutant):
    """Creates ACLs with codes of 0."""

    breaks = "acls.unknown-code-refused"

    def check_creation_codes(self, creations: list[Value]) -> None:
        """No check."""

    def check_creation(self, item: Value) -> None:
        """No check."""


class UnknownIsNotAnswered(BrokerMutant):
    """Leaves an ACL with a code of 0 out of the answer to CreateAcls."""

    breaks = "acls.unknown-code-refused"

    def create_acls(self, request: Request) -> Value:
        """Results of those that are known."""
        request.value["creations"] = [
            item
            for item in request.value["creations"]
            if UNKNOWN not in (item["resourceType"], item["operation"], item["permissionType"])
        ]
        return super().create_acls(request)


class AnyCreated(BrokerMutant):
    """Creates ACLs with codes that are for filters alone."""

    breaks = "acls.any-is-not-created"

    def check_concrete(self, creations: list[Value]) -> None:
        """No check."""

    def check_creation(self, item: Value) -> None:
        """No check."""


class AnyOperationMadeAll(BrokerMutant):
    """Creates an ACL of all operations where ANY was given."""

    breaks = "acls.any-is-not-created"

    def check_concrete(self, creations: list[Value]) -> None:
        """Raise Refused for ANY in other places."""
        for item in creations:
            if item["operation"] == ANY:
                item["operation"] = ALL
        super().check_concrete(creations)


class AnyRefusedAndCreated(BrokerMutant):
    """Answers an ACL with codes for filters with an error, and holds it."""

    breaks = "acls.any-is-not-created"

    def check_concrete(self, creations: list[Value]) -> None:
        """Raise Refused for what is held by then."""
        for item in creations:
            if item["operation"] == ANY:
                super().create_acl({**item, "operation": ALL})
        super().check_concrete(creations)


class NoAuthorizerHasNoAcls(BrokerMutant):
    """Lists no ACLs, and no error, where there is no authorizer."""

    breaks = "acls.no-authorizer-is-told"
    made_with = WITHOUT_AUTHORIZER

    def describe_acls(self, request: Request) -> Value:
        """An empty list."""
        answer = super().describe_acls(request)
        return {**answer, "errorCode": errors.NONE, "errorMessage": None}


class NoAuthorizerDeletesNothing(BrokerMutant):
    """Tells filters that find nothing, and no error, where there is no authorizer."""

    breaks = "acls.no-authorizer-is-told"
    made_with = WITHOUT_AUTHORIZER

    def delete_acls(self, request: Request) -> Value:
        """Results without error."""
        answer = super().delete_acls(request)
        results = [{**each, "errorCode": errors.NONE} for each in answer["filterResults"]]
        return {**answer, "filterResults": results}


class NoAuthorizerCreatesAcls(BrokerMutant):
    """Takes ACLs that nobody will look at, where there is no authorizer."""

    breaks = "acls.no-authorizer-is-told"
    made_with = WITHOUT_AUTHORIZER

    def create_acls(self, request: Request) -> Value:
        """Results without error."""
        answer = super().create_acls(request)
        results = [{**each, "errorCode": errors.NONE} for each in answer["results"]]
        return {**answer, "results": results}


class NoAuthorizerToldOnce(BrokerMutant):
    """Answers CreateAcls with one error for all entries where there is no authorizer."""

    breaks = "acls.no-authorizer-is-told"
    made_with = WITHOUT_AUTHORIZER

    def create_acls(self, request: Request) -> Value:
        """One result."""
        answer = super().create_acls(request)
        return {**answer, "results": answer["results"][:1]}
