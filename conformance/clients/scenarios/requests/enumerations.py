"""Numbers that stand for one of a list: each is on the list, and is what the application asked for.

A broker takes such a number as it comes. One that is off by one is no error of the format: it is
another resource type, another pattern type or another operation, or one that this request may not
have, which the broker refuses. The refusal is then an answer to what was asked, so that nothing
that comes after it says how the client reads answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.clients.scenarios.visit import Visit, require
from conformance.dialogue import Broken

Names = Mapping[int, str]
RESOURCES: Names = {
    2: "TOPIC",
    3: "GROUP",
    4: "CLUSTER",
    5: "TRANSACTIONAL_ID",
    6: "DELEGATION_TOKEN",
    7: "USER",
}
"""The resource types of ACLs: KIP-140, and USER of KIP-373."""
PATTERNS: Names = {3: "LITERAL", 4: "PREFIXED"}
"""KIP-290: what an ACL may have."""
OPERATIONS: Names = dict(
    enumerate(
        (
            "ALL",
            "READ",
            "WRITE",
            "CREATE",
            "DELETE",
            "ALTER",
            "DESCRIBE",
            "CLUSTER_ACTION",
            "DESCRIBE_CONFIGS",
            "ALTER_CONFIGS",
            "IDEMPOTENT_WRITE",
            "CREATE_TOKENS",
            "DESCRIBE_TOKENS",
            "TWO_PHASE_COMMIT",
        ),
        2,
    )
)
PERMISSIONS: Names = {2: "DENY", 3: "ALLOW"}
CONFIGS_OF: Names = {2: "TOPIC", 4: "BROKER", 8: "BROKER_LOGGER", 16: "CLIENT_METRICS", 32: "GROUP"}
CHANGES: Names = {0: "SET", 1: "DELETE", 2: "APPEND", 3: "SUBTRACT"}
ISOLATION: Names = {0: "READ_UNCOMMITTED", 1: "READ_COMMITTED"}
ACKS: Names = {-1: "all", 0: "none", 1: "the leader"}
KEYS: Names = {0: "GROUP", 1: "TRANSACTION", 2: "SHARE"}
ELECTIONS: Names = {0: "PREFERRED", 1: "UNCLEAN"}
COMPRESSIONS: Names = {0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
BROKERS = frozenset({"1", "2"})
"""The names of resources that are brokers, where an action is about the configs of some."""
GROUPS, TRANSACTIONS = frozenset({"group-a", "group-b"}), frozenset({"tx-a"})


def _filtered(names: Names, **more: int) -> Names:
    """Return the names with ANY, which a filter may have in addition, and `more`."""
    return {1: "ANY", **{name: number for number, name in more.items()}, **names}


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A field at a `path` of names, whose numbers have these `names`.

    `meant` is the number that an application asked for, where the actions ask for one alone. It
    counts `where` the struct has one of these texts in a field, if that is said.
    """

    path: tuple[str, ...]
    names: Names
    meant: int | None = None
    where: tuple[str, frozenset[str]] | None = None

    def wrong_in(self, value: Any) -> str:
        """Return the flaw of a request in this field; empty if there is none."""
        for place, struct in _structs(value, self.path[:-1]):
            number = struct.get(self.path[-1])
            if number is None:
                continue
            what = f"{place}{self.path[-1]} is {number}"
            if number not in self.names:
                known = ", ".join(f"{each} ({name})" for each, name in self.names.items())
                return f"{what}, and there is but {known}"
            if self.meant not in (None, number) and self._counts(struct):
                meant = f"{self.meant} ({self.names[self.meant or 0]})"
                return f"{what} ({self.names[number]}), and {meant} was asked for"
        return ""

    def _counts(self, struct: Mapping[str, Any]) -> bool:
        if self.where is None:
            return True
        name, texts = self.where
        found = struct.get(name)
        keys = found if isinstance(found, list) else [found]
        return bool(keys) and texts.issuperset(keys)


def _structs(value: Any, path: tuple[str, ...], place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the structs at a path, and their places."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _structs(each, path, f"{place.removesuffix('.')}[{index}].")
    elif not path and isinstance(value, Mapping):
        yield place, value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _structs(value[path[0]], path[1:], f"{place}{path[0]}.")


_FILTER = (
    Enumeration(("resourceTypeFilter",), _filtered(RESOURCES), 2),
    Enumeration(("patternTypeFilter",), _filtered(PATTERNS, MATCH=2), 3),
    Enumeration(("operation",), _filtered(OPERATIONS), 3),
    Enumeration(("permissionType",), _filtered(PERMISSIONS), 3),
)
_RESOURCE = Enumeration(("resources", "resourceType"), CONFIGS_OF, 4, ("resourceName", BROKERS))
ENUMERATIONS: Mapping[str, tuple[Enumeration, ...]] = {
    "Produce": (Enumeration(("acks",), ACKS),),
    "Fetch": (Enumeration(("isolationLevel",), ISOLATION),),
    "ListOffsets": (Enumeration(("isolationLevel",), ISOLATION),),
    "FindCoordinator": (
        Enumeration(("keyType",), KEYS, 0, ("key", GROUPS)),
        Enumeration(("keyType",), KEYS, 0, ("coordinatorKeys", GROUPS)),
        Enumeration(("keyType",), KEYS, 1, ("key", TRANSACTIONS)),
        Enumeration(("keyType",), KEYS, 1, ("coordinatorKeys", TRANSACTIONS)),
    ),
    "CreateAcls": (
        Enumeration(("creations", "resourceType"), RESOURCES, 2),
        Enumeration(("creations", "resourcePatternType"), PATTERNS, 3),
        Enumeration(("creations", "operation"), OPERATIONS, 3),
        Enumeration(("creations", "permissionType"), PERMISSIONS, 3),
    ),
    "DescribeAcls": _FILTER,
    "DeleteAcls": tuple(
        Enumeration(("filters", *each.path), each.names, each.meant) for each in _FILTER
    ),
    "DescribeConfigs": (_RESOURCE,),
    "AlterConfigs": (_RESOURCE,),
    "IncrementalAlterConfigs": (
        _RESOURCE,
        Enumeration(("resources", "configs", "configOperation"), CHANGES, 0),
    ),
    "ElectLeaders": (Enumeration(("electionType",), ELECTIONS, 0),),
    "PushTelemetry": (Enumeration(("compressionType",), COMPRESSIONS),),
}
"""By API, the fields whose numbers have a meaning each, by the definitions and their KIPs: 98, 140,
183, 290, 339, 373, 460, 714, 932."""


def numbers_right(visit: Visit) -> None:
    """Each number that stands for one of a list is on it, and is the one that was asked for."""
    asked = [each for each in visit.sent if each.api in ENUMERATIONS and each.value]
    require(asked, "it sent nothing that has a number for one of a list")
    for each in asked:
        for enumeration in ENUMERATIONS[each.api]:
            if wrong := enumeration.wrong_in(each.value):
                what = f"{each.api} v{each.version}: {wrong}"
                raise Broken(what, "the number of what was asked for", each.frame)
