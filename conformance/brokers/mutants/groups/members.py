"""Members that are taken in wrongly, kept too long, or given the wrong share."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import ClassicGroup, Member, Request, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.groups.classic import STABLE
from conformance.reference.broker.releases import IMPLEMENTED, NAMES, stored_versions

_OF_GROUPS = {
    "OffsetCommit",
    "OffsetFetch",
    "JoinGroup",
    "Heartbeat",
    "LeaveGroup",
    "SyncGroup",
    "DescribeGroups",
    "ListGroups",
    "DeleteGroups",
}
_LISTED = {key: name for key, name in NAMES.items() if name in _OF_GROUPS}
WITH_GROUPS = MappingProxyType(
    {
        "versions": stored_versions(names=IMPLEMENTED | _LISTED),
        "keeps_groups": True,
        "keeps_offsets": True,
    }
)
OFFSET_COMMIT = 8


class OfGroups(BrokerMutant):
    """A broker that lists the APIs of groups."""

    made_with = WITH_GROUPS


class JoinsWithoutAnId(OfGroups, breaks="groups.member-id-required"):
    """Lets members join at once that have no id."""

    def needs_id(self, request: Request) -> bool:
        del request
        return False


class PromisedIdForgotten(OfGroups, breaks="groups.member-id-required"):
    """Gives a member an id, and does not know it when the member joins by it."""

    def id_required(self, request: Request, group: ClassicGroup) -> Value:
        answer = super().id_required(request, group)
        group.promised.clear()
        return answer


class AnotherIdThanPromised(OfGroups, breaks="groups.member-id-required"):
    """Gives a member another id when it joins by the one that it was given."""

    def admitted(self, request: Request) -> tuple[ClassicGroup, str]:
        group = self.groups.get(request.value["groupId"])
        if group is not None and request.value["memberId"] in group.promised:
            group.promised.remove(request.value["memberId"])
            member_id = self.new_member_id(request.value)
            self.enter(request, group, member_id)
            return group, member_id
        return super().admitted(request)


class MembersWithoutMetadata(OfGroups, breaks="groups.joined-as-leader"):
    """Gives the leader the members without their metadata."""

    def members_told(self, group: ClassicGroup) -> list[Value]:
        return [{**each, "metadata": ""} for each in super().members_told(group)]


class MetadataOfAnotherProtocol(OfGroups, breaks="groups.joined-as-leader"):
    """Gives the leader the metadata of the last protocol, whichever was chosen."""

    def members_told(self, group: ClassicGroup) -> list[Value]:
        return [
            {**each, "metadata": list(group.members[each["memberId"]].protocols.values())[-1]}
            for each in super().members_told(group)
        ]


class ProtocolOfNoMember(OfGroups, breaks="groups.joined-as-leader"):
    """Chooses a protocol that no member brought."""

    def joined(self, request: Request, group: ClassicGroup, member_id: str) -> Value:
        return {**super().joined(request, group, member_id), "protocolName": "uniform"}


class LeaderUnnamed(OfGroups, breaks="groups.joined-as-leader"):
    """Does not say who leads."""

    def joined(self, request: Request, group: ClassicGroup, member_id: str) -> Value:
        return {**super().joined(request, group, member_id), "leader": ""}


class GenerationUntold(OfGroups, breaks="groups.joined-as-leader"):
    """Answers a member that has joined with generation -1."""

    def joined(self, request: Request, group: ClassicGroup, member_id: str) -> Value:
        return {**super().joined(request, group, member_id), "generationId": -1}


class ShareLost(OfGroups, breaks="groups.share-comes-back"):
    """Returns empty shares."""

    def assignment_of(self, member: Member) -> str:
        del member
        return ""


class ShareOnlyOnce(OfGroups, breaks="groups.share-comes-back"):
    """Returns an empty share to a member that asks again."""

    def share(self, request: Request, code: int, group: ClassicGroup, assignment: str) -> Value:
        if member := group.members.get(request.value["memberId"]):
            member.assignment = ""
        return super().share(request, code, group, assignment)


class ShareWithoutProtocol(OfGroups, breaks="groups.share-comes-back"):
    """Returns null for the name of the protocol beside a share."""

    def share(self, request: Request, code: int, group: ClassicGroup, assignment: str) -> Value:
        answer = super().share(request, code, group, assignment)
        return {**answer, "protocolName": None} if "protocolName" in answer else answer


class AlwaysRebalancing(OfGroups, breaks="groups.heartbeat-answered"):
    """Answers each heartbeat with REBALANCE_IN_PROGRESS."""

    def beat(self, group: ClassicGroup) -> int:
        del group
        return error_codes.REBALANCE_IN_PROGRESS


class StableMembersUnknown(OfGroups, breaks="groups.heartbeat-answered"):
    """Does not know a member any more once it has its share."""

    def beat(self, group: ClassicGroup) -> int:
        return error_codes.UNKNOWN_MEMBER_ID if group.state == STABLE else super().beat(group)


class AnyGenerationTaken(OfGroups, breaks="groups.old-generation-refused"):
    """Compares no generations."""

    def check_generation(self, request: Request, group: ClassicGroup, generation: int) -> None:
        """Check nothing."""


class OldGenerationTaken(OfGroups, breaks="groups.old-generation-refused"):
    """Refuses later generations alone."""

    def check_generation(self, request: Request, group: ClassicGroup, generation: int) -> None:
        super().check_generation(request, group, max(generation, group.generation))


class OldGenerationCommits(OfGroups, breaks="groups.old-generation-refused"):
    """Takes commits of any generation."""

    def check_generation(self, request: Request, group: ClassicGroup, generation: int) -> None:
        if request.api_key != OFFSET_COMMIT:
            super().check_generation(request, group, generation)


class StrangersBeat(OfGroups, breaks="groups.unknown-member-refused"):
    """Answers heartbeats of members that are not there without an error."""

    def heartbeat(self, request: Request) -> Value:
        answer = super().heartbeat(request)
        is_unknown = answer["errorCode"] == error_codes.UNKNOWN_MEMBER_ID
        return {**answer, "errorCode": error_codes.NONE} if is_unknown else answer


class StrangersJoin(OfGroups, breaks="groups.unknown-member-refused"):
    """Lets a member join by any id."""

    def check_place(self, group: ClassicGroup, member_id: str, instance: str | None) -> None:
        """Check nothing."""
        if instance is not None:
            super().check_place(group, member_id, instance)


class StrangersLeave(OfGroups, breaks="groups.unknown-member-refused"):
    """Says of members that are not there that they left."""

    def leave(self, group: ClassicGroup, member_id: str, instance: str | None) -> int:
        code = super().leave(group, member_id, instance)
        return error_codes.NONE if code == error_codes.UNKNOWN_MEMBER_ID else code


class MembersMayNotCommit(OfGroups, breaks="groups.offsets-of-member"):
    """Takes commits without a generation alone."""

    def check_stranger(self, request: Request) -> None:
        if request.value["generationIdOrMemberEpoch"] >= 0:
            raise Refused(error_codes.UNKNOWN_MEMBER_ID)


class CommitsOfMembersDropped(OfGroups, breaks="groups.offsets-of-member"):
    """Takes commits of members, and keeps none of them."""

    def commit(self, request: Request, topic: Value, wanted: Value) -> int:
        kept = dict(self.committed.get(request.value["groupId"], {}))
        code = super().commit(request, topic, wanted)
        if request.value["generationIdOrMemberEpoch"] >= 0:
            self.committed[request.value["groupId"]] = kept
        return code


class MemberStays(OfGroups, breaks="groups.leaving-is-final"):
    """Says that a member left, and keeps it."""

    def remove_member(self, group: ClassicGroup, member_id: str) -> None:
        """Remove no member."""


class FirstResultForAll(OfGroups, breaks="groups.leaving-is-final"):
    """Has the result of the first member that leaves for all of a request."""

    def leave_group(self, request: Request) -> Value:
        answer = super().leave_group(request)
        for each in answer.get("members", []):
            each["errorCode"] = answer["members"][0]["errorCode"]
        return answer


class AnyProtocolTaken(OfGroups, breaks="groups.no-common-protocol-refused"):
    """Lets a member join whatever its protocols are."""

    def check_protocols(self, group: ClassicGroup, asked: Value) -> None:
        """Check nothing."""


class NoProtocolTaken(OfGroups, breaks="groups.no-common-protocol-refused"):
    """Lets a member join that has no protocol."""

    def check_protocols(self, group: ClassicGroup, asked: Value) -> None:
        if asked["protocols"]:
            super().check_protocols(group, asked)


class AnyTypeTaken(OfGroups, breaks="groups.no-common-protocol-refused"):
    """Lets a member join whose type of protocol is another one."""

    def check_protocols(self, group: ClassicGroup, asked: Value) -> None:
        type_ = group.protocol_type or asked["protocolType"]
        super().check_protocols(group, {**asked, "protocolType": type_})


class AnySessionTaken(OfGroups, breaks="groups.session-time-bounds"):
    """Lets members join with sessions of any length."""

    def check_joining_group(self, asked: Value) -> None:
        super().check_joining_group({**asked, "sessionTimeoutMs": 10_000})


class ShortSessionIsInvalidRequest(OfGroups, breaks="groups.session-time-bounds"):
    """Answers INVALID_REQUEST to a member with a session that is too short."""

    def check_joining_group(self, asked: Value) -> None:
        try:
            super().check_joining_group(asked)
        except Refused as refused:
            if refused.code != error_codes.INVALID_SESSION_TIMEOUT:
                raise
            raise Refused(error_codes.INVALID_REQUEST) from None


class EmptyGroupTaken(OfGroups, breaks="groups.empty-id-refused"):
    """Lets members join a group with an empty id."""

    def check_joining_group(self, asked: Value) -> None:
        super().check_joining_group({**asked, "groupId": "group"})


class EmptyGroupIsInvalidRequest(OfGroups, breaks="groups.empty-id-refused"):
    """Answers INVALID_REQUEST to a member of a group with an empty id."""

    def check_joining_group(self, asked: Value) -> None:
        if not asked["groupId"]:
            raise Refused(error_codes.INVALID_REQUEST)
        super().check_joining_group(asked)


class InstancesForgotten(OfGroups, breaks="groups.static-place-kept"):
    """Takes a static member that comes back for another member."""

    def holder(self, group: ClassicGroup, instance: str | None) -> Member | None:
        del group, instance
        return None


class ComingBackRebalances(OfGroups, breaks="groups.static-place-kept"):
    """Begins another generation when a static member comes back."""

    def taken_over(self, request: Request, group: ClassicGroup, holder: Member) -> str:
        member_id = super().taken_over(request, group, holder)
        self.rebalance(group)
        group.awaited.discard(member_id)
        self.begin_if_all_joined(group)
        return member_id


class ShareOfInstanceLost(OfGroups, breaks="groups.static-place-kept"):
    """Lets a static member come back, and loses its share."""

    def taken_over(self, request: Request, group: ClassicGroup, holder: Member) -> str:
        holder.assignment = ""
        return super().taken_over(request, group, holder)


class OldIdIsUnknown(OfGroups, breaks="groups.static-place-kept"):
    """Does not fence the id that a static member had before, which is merely unknown."""

    def check_member(self, group: ClassicGroup, member_id: str, instance: str | None) -> None:
        del instance
        super().check_member(group, member_id, None)
