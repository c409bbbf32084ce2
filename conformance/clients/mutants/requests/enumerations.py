"""Clients whose numbers stand for something else than they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.api_keys import (
    ALTER_CONFIGS,
    CREATE_ACLS,
    DESCRIBE_ACLS,
    DESCRIBE_CONFIGS,
    ELECT_LEADERS,
    FETCH,
    FIND_COORDINATOR,
    INCREMENTAL_ALTER_CONFIGS,
    PRODUCE,
)
from conformance.clients.mutants.mutant import ClientMutant


class _WritesOther(ClientMutant):
    """Writes another number into a field of one request."""

    api_key: ClassVar[int]
    path: ClassVar[tuple[str, ...]]
    number: ClassVar[int]

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        changed = self.changed(wanted, self.path) if api_key == self.api_key else wanted
        return super().frame(api_key, version, number, changed)

    def changed(self, value: Any, path: tuple[str, ...]) -> Any:
        """The value with the number at a path in it."""
        if isinstance(value, list):
            return [self.changed(each, path) for each in value]
        first, *rest = path
        inside = self.changed(value[first], tuple(rest)) if rest else self.number
        return {**value, first: inside}


class MatchForLiteral(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Writes 2, which is MATCH, for the literal pattern of an ACL that it creates."""

    api_key = CREATE_ACLS
    path = ("creations", "resourcePatternType")
    number = 2


class DescribesWhatMatches(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Describes the ACLs that match a topic where it was asked for those of that literal name."""

    api_key = DESCRIBE_ACLS
    path = ("patternTypeFilter",)
    number = 2


class DeniesForAllows(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Creates an ACL that denies where it was to allow."""

    api_key = CREATE_ACLS
    path = ("creations", "permissionType")
    number = 2


class AppendsForSets(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Appends to a config that it was to set."""

    api_key = INCREMENTAL_ALTER_CONFIGS
    path = ("resources", "configs", "configOperation")
    number = 2


class AltersABrokersLogger(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Gives the logger of a broker the configs that are for the broker."""

    api_key = ALTER_CONFIGS
    path = ("resources", "resourceType")
    number = 8


class ResourcesCountedFromZero(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Writes 3, which no type of resources has, where it describes a broker's configs."""

    api_key = DESCRIBE_CONFIGS
    path = ("resources", "resourceType")
    number = 3


class ElectsUnclean(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Has any replica elected where it was to elect the preferred one."""

    api_key = ELECT_LEADERS
    path = ("electionType",)
    number = 1


class TwoReplicasAcknowledge(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Writes 2 as acks, as for two replicas."""

    api_key = PRODUCE
    path = ("acks",)
    number = 2


class IsolationCountedFromOne(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Writes 2, which no isolation level has, for committed records in Fetch."""

    api_key = FETCH
    path = ("isolationLevel",)
    number = 2


class GroupForTransaction(_WritesOther, breaks="client-requests.numbers-as-meant"):
    """Looks up the coordinator of a group where it wants that of a transaction."""

    api_key = FIND_COORDINATOR
    path = ("keyType",)
    number = 0
