"""Groups that are described, listed or deleted wrongly."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.groups.members import OfGroups
from conformance.reference.broker.cluster import ClassicGroup, Member, Request, Value
from conformance.reference.broker.groups.groups import DEAD


class SharesNotDescribed(OfGroups, breaks="groups.described"):
    """Describes members without their shares."""

    def member_told(self, group: ClassicGroup, member: Member) -> Value:
        return {**super().member_told(group, member), "memberAssignment": ""}


class ClientsNotDescribed(OfGroups, breaks="groups.described"):
    """Describes each member by its member id in place of the client's."""

    def member_told(self, group: ClassicGroup, member: Member) -> Value:
        return {**super().member_told(group, member), "clientId": member.member_id}


class EmptyGroupIsDead(OfGroups, breaks="groups.described"):
    """Describes a group without members as one that is not there."""

    def described_group(self, request: Request, name: str) -> Value:
        answer = super().described_group(request, name)
        is_empty = answer["groupState"] == "Empty"
        return {**answer, "groupState": DEAD} if is_empty else answer


class ProtocolNotDescribed(OfGroups, breaks="groups.described"):
    """Describes a group without the protocol that was chosen."""

    def described_group(self, request: Request, name: str) -> Value:
        return {**super().described_group(request, name), "protocolData": ""}


class AbsentIsEmpty(OfGroups, breaks="groups.absent-is-dead"):
    """Describes a group that is not there as one without members."""

    def described_group(self, request: Request, name: str) -> Value:
        answer = super().described_group(request, name)
        is_dead = answer["groupState"] == DEAD
        return {**answer, "groupState": "Empty"} if is_dead else answer


class AbsentIsNoError(OfGroups, breaks="groups.absent-is-dead"):
    """Has no error for a group that is not there in any version."""

    def described_group(self, request: Request, name: str) -> Value:
        return {**super().described_group(request, name), "errorCode": error_codes.NONE}


class AbsentIsAlwaysAnError(OfGroups, breaks="groups.absent-is-dead"):
    """Has an error for a group that is not there in every version."""

    def described_group(self, request: Request, name: str) -> Value:
        answer = super().described_group(request, name)
        is_dead = answer["groupState"] == DEAD
        return {**answer, "errorCode": error_codes.GROUP_ID_NOT_FOUND} if is_dead else answer


class GroupsUnlisted(OfGroups, breaks="groups.listed"):
    """Lists no groups."""

    def list_groups(self, request: Request) -> Value:
        return {**super().list_groups(request), "groups": []}


class StatesUnlisted(OfGroups, breaks="groups.listed"):
    """Lists groups without their states."""

    def list_groups(self, request: Request) -> Value:
        answer = super().list_groups(request)
        return {**answer, "groups": [{**each, "groupState": ""} for each in answer["groups"]]}


class TypesUnlisted(OfGroups, breaks="groups.listed"):
    """Lists each group as one of the protocol of KIP-848."""

    def list_groups(self, request: Request) -> Value:
        answer = super().list_groups(request)
        groups = [{**each, "groupType": "consumer"} for each in answer["groups"]]
        return {**answer, "groups": groups}


class StatesNotFiltered(OfGroups, breaks="groups.listed-by-state"):
    """Lists groups in all states whichever are asked for."""

    def is_in_state(self, group: ClassicGroup, wanted: set[str]) -> bool:
        return super().is_in_state(group, set())


class OneStateFiltered(OfGroups, breaks="groups.listed-by-state"):
    """Lists the groups in the first of the states alone, in the order of the alphabet."""

    def is_in_state(self, group: ClassicGroup, wanted: set[str]) -> bool:
        return super().is_in_state(group, set(sorted(wanted)[:1]))


class TypesNotFiltered(OfGroups, breaks="groups.listed-by-type"):
    """Lists groups of all types whichever are asked for."""

    def is_of_type(self, name: str, wanted: set[str]) -> bool:
        return super().is_of_type(name, set())


class TypesListNothing(OfGroups, breaks="groups.listed-by-type"):
    """Lists no groups where types are asked for."""

    def is_of_type(self, name: str, wanted: set[str]) -> bool:
        return not wanted


class FullGroupDeleted(OfGroups, breaks="groups.deleted-when-empty"):
    """Deletes groups that have members."""

    def deletion(self, name: str, missing: int) -> int:
        if group := self.groups.get(name):
            group.members.clear()
        return super().deletion(name, missing)


class DeletedGroupStays(OfGroups, breaks="groups.deleted-when-empty"):
    """Says that a group is deleted, and keeps it."""

    def forget_group(self, name: str) -> None:
        """Forget nothing."""


class AbsentGroupDeleted(OfGroups, breaks="groups.deleted-when-empty"):
    """Says of a group that is not there that it is deleted."""

    def deletion(self, name: str, missing: int) -> int:
        code = super().deletion(name, missing)
        return error_codes.NONE if code == missing else code
