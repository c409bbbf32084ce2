"""DescribeAcls, CreateAcls and DeleteAcls (KIP-140, KIP-290).

Results of changes are in the order of the request and have no key. A code of 0, which means
unknown, ends the connection, as Apache Kafka refuses it while it parses; a code beyond the table is
an error in its entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from conformance import error_codes
from conformance.reference.broker.admin.access import ALTER, CLUSTER, CLUSTER_NAME, DESCRIBE, Access
from conformance.reference.broker.cluster import MAX_ACLS, MAX_FILTERS, Acl, Request, Value
from conformance.reference.broker.errors import Hangup, Refused

UNKNOWN, ANY, MATCH = 0, 1, 2

RESOURCE_TYPES = range(2, 8)
PATTERN_TYPES = range(3, 5)
OPERATIONS = range(2, 16)
PERMISSION_TYPES = range(2, 4)
_FILTER_CODES = ("resourceTypeFilter", "patternTypeFilter", "operation", "permissionType")
_CREATION_CODES = {
    "resourceType": RESOURCE_TYPES,
    "resourcePatternType": PATTERN_TYPES,
    "operation": OPERATIONS,
    "permissionType": PERMISSION_TYPES,
}


class Acls(Access):
    """The handlers of the three requests."""

    def describe_acls(self, request: Request) -> Value:
        """Return the ACLs that match one filter, by resource."""
        self.check_filter_codes([request.value])
        try:
            self.check_authorizer(request, DESCRIBE)
        except Refused as refused:
            return _described(refused.code, refused.message, [])
        matching = self.acls_matching(request.value)
        return _described(error_codes.NONE, "", self.by_resource(matching))

    def check_authorizer(self, request: Request, operation: int) -> None:
        """Raise Refused if there is no authorizer, or the caller may not do this with ACLs."""
        if not self.authorizer:
            raise Refused(error_codes.SECURITY_DISABLED, "There is no authorizer.")
        if not self.may(request, operation, CLUSTER, CLUSTER_NAME):
            raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")

    def check_filter_codes(self, filters: Iterable[Value]) -> None:
        """Raise Hangup for a code that means unknown."""
        if any(each[name] == UNKNOWN for each in filters for name in _FILTER_CODES):
            raise Hangup

    def acls_matching(self, wanted: Value) -> list[Acl]:
        """Return the ACLs that match a filter; null and ANY match all."""
        return [acl for acl in self.acls if self.matches(wanted, acl)]

    def matches(self, wanted: Value, acl: Acl) -> bool:
        """True if a filter matches this ACL."""
        return (
            wanted["resourceTypeFilter"] in (ANY, acl.resource_type)
            and self.matches_pattern(wanted, acl)
            and wanted["principalFilter"] in (None, acl.principal)
            and wanted["hostFilter"] in (None, acl.host)
            and wanted["operation"] in (ANY, acl.operation)
            and wanted["permissionType"] in (ANY, acl.permission_type)
        )

    def matches_pattern(self, wanted: Value, acl: Acl) -> bool:
        """True if name and pattern type match: MATCH selects all that cover the name (KIP-290)."""
        name, kind = wanted["resourceNameFilter"], wanted["patternTypeFilter"]
        if kind == MATCH:
            return name is None or self.covers(acl, name)
        return name in (None, acl.resource_name) and kind in (ANY, acl.pattern_type)

    def by_resource(self, acls: Iterable[Acl]) -> list[Value]:
        """Return the ACLs in the form of DescribeAcls: each resource once."""
        resources: dict[tuple[int, str, int], list[Value]] = {}
        for acl in acls:
            key = acl.resource_type, acl.resource_name, acl.pattern_type
            resources.setdefault(key, []).append(_entry(acl))
        return [
            {"resourceType": kind, "resourceName": name, "patternType": pattern, "acls": entries}
            for (kind, name, pattern), entries in resources.items()
        ]

    def create_acls(self, request: Request) -> Value:
        """Return one result for each ACL, in order."""
        creations = request.value["creations"]
        self.check_creation_codes(creations)
        try:
            self.check_authorizer(request, ALTER)
            self.check_concrete(creations)
        except Refused as refused:
            results = [_created(refused.code, refused.message) for _ in creations]
        else:
            results = [self.created_acl(item) for item in creations]
        return {"throttleTimeMs": 0, "results": results}

    def created_acl(self, item: Value) -> Value:
        """Return the result of one entry."""
        try:
            self.create_acl(item)
        except Refused as refused:
            return _created(refused.code, refused.message)
        return _created(error_codes.NONE, "")

    def check_creation_codes(self, creations: list[Value]) -> None:
        """Raise Hangup for a code that means unknown."""
        if any(item[name] == UNKNOWN for item in creations for name in _CREATION_CODES):
            raise Hangup

    def check_concrete(self, creations: list[Value]) -> None:
        """Raise Refused for ANY or MATCH in any entry, which fails the whole request."""
        for item in creations:
            for name, codes in _CREATION_CODES.items():
                if ANY <= item[name] < codes.start:
                    raise Refused(error_codes.UNKNOWN_SERVER_ERROR)

    def create_acl(self, item: Value) -> None:
        """Store one ACL; an equal one changes nothing. Raises Refused."""
        self.check_creation(item)
        acl = Acl(
            item["resourceType"],
            item["resourceName"],
            item["resourcePatternType"],
            item["principal"],
            item["host"],
            item["operation"],
            item["permissionType"],
        )
        if acl not in self.acls and len(self.acls) >= MAX_ACLS:
            raise Refused(error_codes.POLICY_VIOLATION, "The cluster takes no more ACLs.")
        self.acls[acl] = None

    def check_creation(self, item: Value) -> None:
        """Raise Refused for an ACL with codes or names that do not exist."""
        for name, codes in _CREATION_CODES.items():
            if item[name] not in codes:
                raise Refused(error_codes.INVALID_REQUEST, f"There is no {name} {item[name]}.")
        self.check_names(item)

    def check_names(self, item: Value) -> None:
        """Raise Refused for an ACL whose resource or principal can't have this name."""
        if item["resourceType"] == CLUSTER and item["resourceName"] != CLUSTER_NAME:
            raise Refused(error_codes.INVALID_REQUEST, f"The cluster's name is {CLUSTER_NAME}.")
        if not item["resourceName"]:
            raise Refused(error_codes.INVALID_REQUEST, "A resource has a name.")
        if ":" not in item["principal"]:
            raise Refused(error_codes.INVALID_REQUEST, "A principal is a type, a colon and a name.")

    def delete_acls(self, request: Request) -> Value:
        """Return one result for each filter, in order."""
        filters = request.value["filters"]
        self.check_filter_codes(filters)
        try:
            self.check_authorizer(request, ALTER)
            if len(filters) > MAX_FILTERS:
                raise Refused(error_codes.POLICY_VIOLATION, "Too many filters in one request.")
        except Refused as refused:
            return {
                "throttleTimeMs": 0,
                "filterResults": [_filtered(refused.code, refused.message, []) for _ in filters],
            }
        matching = [self.acls_matching(wanted) for wanted in filters]
        self.remove_acls({acl for acls in matching for acl in acls})
        results = [_filtered(error_codes.NONE, None, acls) for acls in matching]
        return {"throttleTimeMs": 0, "filterResults": results}

    def remove_acls(self, acls: Set[Acl]) -> None:
        """Remove these ACLs."""
        for acl in acls:
            self.acls.pop(acl, None)


def _created(code: int, message: str | None) -> Value:
    return {"errorCode": code, "errorMessage": message}


def _described(code: int, message: str | None, resources: list[Value]) -> Value:
    return {
        "throttleTimeMs": 0,
        "errorCode": code,
        "errorMessage": message,
        "resources": resources,
    }


def _entry(acl: Acl) -> Value:
    return {
        "principal": acl.principal,
        "host": acl.host,
        "operation": acl.operation,
        "permissionType": acl.permission_type,
    }


def _filtered(code: int, message: str | None, acls: list[Acl]) -> Value:
    matching = [
        {
            "errorCode": error_codes.NONE,
            "errorMessage": None,
            "resourceType": acl.resource_type,
            "resourceName": acl.resource_name,
            "patternType": acl.pattern_type,
            **_entry(acl),
        }
        for acl in acls
    ]
    return {"errorCode": code, "errorMessage": message, "matchingAcls": matching}
