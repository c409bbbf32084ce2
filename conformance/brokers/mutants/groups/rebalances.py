"""Groups of several members whose rebalances go wrong."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.groups.members import OfGroups
from conformance.reference.broker.cluster import ClassicGroup, Member, Value
from conformance.reference.broker.groups.classic import PREPARING


class RebalanceUntold(OfGroups, breaks="groups.rebalance-told"):
    """Answers heartbeats without an error while another member joins."""

    def beat(self, group: ClassicGroup) -> int:
        del group
        return error_codes.NONE


class RebalanceIsOldGeneration(OfGroups, breaks="groups.rebalance-told"):
    """Answers heartbeats with ILLEGAL_GENERATION while another member joins."""

    def beat(self, group: ClassicGroup) -> int:
        is_rebalancing = group.state == PREPARING
        return error_codes.ILLEGAL_GENERATION if is_rebalancing else error_codes.NONE


class MembersToldToAll(OfGroups, breaks="groups.one-leader"):
    """Gives all members to each one, and not to the leader alone."""

    def is_leader(self, group: ClassicGroup, member_id: str) -> bool:
        del group, member_id
        return True


class GenerationStays(OfGroups, breaks="groups.one-leader"):
    """Keeps the generation through each rebalance."""

    def next_generation(self, group: ClassicGroup) -> int:
        return group.generation or 1


class MetadataOfTheFirstForAll(OfGroups, breaks="groups.one-leader"):
    """Gives the leader the metadata of the first member for each of them."""

    def members_told(self, group: ClassicGroup) -> list[Value]:
        members = super().members_told(group)
        return [{**each, "metadata": members[0]["metadata"]} for each in members]


class SharesSwapped(OfGroups, breaks="groups.each-its-share"):
    """Gives each member the share of the one after it."""

    def assignment_of(self, member: Member) -> str:
        [group] = (each for each in self.groups.values() if member in each.members.values())
        every = list(group.members.values())
        return every[(every.index(member) + 1) % len(every)].assignment


class LeaderAloneGetsItsShare(OfGroups, breaks="groups.each-its-share"):
    """Gives empty shares to members that do not lead."""

    def assignment_of(self, member: Member) -> str:
        leads = any(each.leader == member.member_id for each in self.groups.values())
        return super().assignment_of(member) if leads else ""


class LeavingUntold(OfGroups, breaks="groups.leaving-rebalances"):
    """Does not rebalance when one of several members leaves."""

    def remove_member(self, group: ClassicGroup, member_id: str) -> None:
        if len(group.members) > 1:
            del group.members[member_id]
        else:
            super().remove_member(group, member_id)


class AllLeaveWithOne(OfGroups, breaks="groups.leaving-rebalances"):
    """Takes every member out of the group when one of them leaves."""

    def remove_member(self, group: ClassicGroup, member_id: str) -> None:
        super().remove_member(group, member_id)
        for each in list(group.members):
            super().remove_member(group, each)
