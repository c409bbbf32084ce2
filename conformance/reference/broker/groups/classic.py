"""Groups whose leader shares out, of a broker that keeps them: joining, sharing out, and leaving.

A generation begins when each member has joined it: the answer to a JoinGroup waits for the others,
and that to a SyncGroup for the leader's shares. No member is ever late, since none is timed.
Any other broker has a group of one (see `members`).
"""

from __future__ import annotations

from functools import partial

from conformance import error_codes
from conformance.reference.broker.cluster import ClassicGroup, Member, Request, Value
from conformance.reference.broker.errors import Refused, Waits
from conformance.reference.broker.groups.members import MEMBERS_SINCE, Members

EMPTY, PREPARING, COMPLETING = "Empty", "PreparingRebalance", "CompletingRebalance"
STABLE, DEAD = "Stable", "Dead"
IDS_REQUIRED_SINCE = 4
"""The first version of JoinGroup in which a member needs an id before it joins (KIP-394)."""
NULL_PROTOCOL_SINCE = 7
"""The first version of JoinGroup that has null as the protocol of a refused member."""
NAMED_SINCE = 5
"""The first version of SyncGroup that has the type and the name of the protocol."""
SKIPPING_SINCE = 9
"""The first version of JoinGroup that tells a leader to keep the shares as they are (KIP-814)."""
LEAST_SESSION_MS, MOST_SESSION_MS = 6_000, 1_800_000
"""Apache Kafka's defaults of group.min.session.timeout.ms and group.max.session.timeout.ms."""
MOST_GROUPS = 10_000


class ClassicGroups(Members):
    """The handlers of members' requests, of a broker that keeps groups."""

    def join_group(self, request: Request) -> Value:
        """Let a member join the next generation; the answer waits for the other members."""
        if not self.keeps_groups:
            return super().join_group(request)
        try:
            group, member_id = self.admitted(request)
        except Refused as refused:
            if request.value["memberId"]:  # a member without an id makes its group, even in vain
                self.forget_unused(request.value["groupId"])
            return self.not_joined(request, refused.code, request.value["memberId"])
        if not member_id:
            return self.id_required(request, group)
        return self.joined(request, group, member_id)

    def admitted(self, request: Request) -> tuple[ClassicGroup, str]:
        """Return the group and the member's id, "" for one that needs an id. Raises Refused."""
        asked = request.value
        self.check_joining_group(asked)
        if asked["memberId"] and not self.is_group(asked["groupId"]):
            raise Refused(error_codes.UNKNOWN_MEMBER_ID)
        group = self.group_named(asked["groupId"])
        member_id, instance = asked["memberId"], asked["groupInstanceId"]
        self.check_protocols(group, asked)
        self.check_place(group, member_id, instance)
        if not member_id and instance is None and self.needs_id(request):
            return group, ""
        if holder := self.holder(group, instance):
            return group, self.taken_over(request, group, holder)
        member_id = member_id or self.new_member_id(asked)
        self.enter(request, group, member_id)
        return group, member_id

    def check_joining_group(self, asked: Value) -> None:
        """Raise Refused for a group without an id, or a session of illegal length."""
        if not asked["groupId"]:
            raise Refused(error_codes.INVALID_GROUP_ID)
        if not LEAST_SESSION_MS <= asked["sessionTimeoutMs"] <= MOST_SESSION_MS:
            raise Refused(error_codes.INVALID_SESSION_TIMEOUT)

    def check_protocols(self, group: ClassicGroup, asked: Value) -> None:
        """Raise Refused for a member that has no protocol in common with all that are there.

        As in Apache Kafka it counts itself, with the protocols that it came with before.
        """
        if not asked["protocolType"] or not asked["protocols"]:
            raise Refused(error_codes.INCONSISTENT_GROUP_PROTOCOL)
        if not group.members:
            return
        names = {each["name"] for each in asked["protocols"]}
        if asked["protocolType"] != group.protocol_type or not names.intersection(
            *(each.protocols for each in group.members.values())
        ):
            raise Refused(error_codes.INCONSISTENT_GROUP_PROTOCOL)

    def needs_id(self, request: Request) -> bool:
        """True if a member is given an id first, and joins with it afterwards."""
        return request.version >= IDS_REQUIRED_SINCE

    def new_member_id(self, asked: Value) -> str:
        """Return an id for a member."""
        return f"{asked['groupInstanceId'] or 'member'}-{self.new_topic_id()}"

    def id_required(self, request: Request, group: ClassicGroup) -> Value:
        """Return an id by which the member may join."""
        member_id = self.new_member_id(request.value)
        group.promised.add(member_id)
        return self.not_joined(request, error_codes.MEMBER_ID_REQUIRED, member_id)

    def group_named(self, name: str) -> ClassicGroup:
        """Return the group, which comes to be if it is not there."""
        if len(self.groups) >= MOST_GROUPS and name not in self.groups:
            self.groups.pop(next(iter(self.groups)))
        return self.groups.setdefault(name, ClassicGroup(name))

    def forget_unused(self, name: str) -> None:
        """Forget a group that came to be by a request that was refused."""
        if self.groups.get(name) == ClassicGroup(name):
            del self.groups[name]

    def holder(self, group: ClassicGroup, instance: str | None) -> Member | None:
        """Return the member that has the place of an instance, None without one."""
        if instance is None:
            return None
        return next((each for each in group.members.values() if each.instance_id == instance), None)

    def check_place(self, group: ClassicGroup, member_id: str, instance: str | None) -> None:
        """Raise Refused for an id that the group does not have, or not for that instance."""
        if not member_id:
            return
        holder = self.holder(group, instance)
        if holder is not None and holder.member_id != member_id:
            raise Refused(error_codes.FENCED_INSTANCE_ID)
        if member_id not in group.members and member_id not in group.promised:
            raise Refused(error_codes.UNKNOWN_MEMBER_ID)

    def taken_over(self, request: Request, group: ClassicGroup, holder: Member) -> str:
        """Let a static member have its place again, by a new id (KIP-345); return that id."""
        asked = request.value
        if asked["memberId"]:
            self.enter(request, group, holder.member_id)
            return holder.member_id
        old, holder.member_id = holder.member_id, self.new_member_id(asked)
        same = holder.protocols == _protocols(asked)
        group.members = {each.member_id: each for each in group.members.values()}
        group.leader = holder.member_id if group.leader == old else group.leader
        group.awaited = {holder.member_id if each == old else each for each in group.awaited}
        if group.state != STABLE or not same:
            self.enter(request, group, holder.member_id)
        return holder.member_id

    def enter(self, request: Request, group: ClassicGroup, member_id: str) -> None:
        """Count a member among those of the next generation, and begin it if all are there."""
        asked = request.value
        group.promised.discard(member_id)
        member = Member(
            member_id,
            asked["groupInstanceId"],
            request.header["clientId"] or "",
            _protocols(asked),
        )
        known = group.members.get(member_id)
        is_follower = group.state == STABLE and group.leader != member_id
        is_settled = group.state == COMPLETING or is_follower
        if known is not None and known.protocols == member.protocols and is_settled:
            return
        member.joined_in = known.joined_in if known else 0
        group.members[member_id] = member
        group.protocol_type = asked["protocolType"]
        self.rebalance(group)
        group.awaited.discard(member_id)
        self.begin_if_all_joined(group)

    def rebalance(self, group: ClassicGroup) -> None:
        """Have every member join again."""
        if group.state != PREPARING:
            group.state = PREPARING
            group.awaited = set(group.members)

    def begin_if_all_joined(self, group: ClassicGroup) -> None:
        """Begin the next generation once no member is awaited any more."""
        if group.state != PREPARING or group.awaited:
            return
        group.generation = self.next_generation(group)
        group.state = COMPLETING if group.members else EMPTY
        if group.leader not in group.members:
            group.leader = next(iter(group.members), "")
        group.protocol = self.chosen(group)
        for each in group.members.values():
            each.joined_in, each.assignment = group.generation, ""

    def next_generation(self, group: ClassicGroup) -> int:
        """Return the generation after this one."""
        return group.generation + 1

    def chosen(self, group: ClassicGroup) -> str:
        """Return the first protocol of the leader that all members have."""
        every = [each.protocols for each in group.members.values()]
        if not every:
            return ""
        wanted = group.members[group.leader].protocols
        return next(name for name in wanted if all(name in each for each in every))

    def joined(self, request: Request, group: ClassicGroup, member_id: str) -> Value:
        """Return that a member has joined. Raises Waits until all have."""
        member = group.members.get(member_id)
        if member is None:
            return self.not_joined(request, error_codes.UNKNOWN_MEMBER_ID, member_id)
        if group.state == PREPARING and member_id not in group.awaited:
            raise Waits(partial(self.joined, request, group, member_id))
        is_leader = self.is_leader(group, member_id)
        answer: Value = {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "generationId": group.generation,
            "protocolName": group.protocol,
            "leader": group.leader,
            "skipAssignment": self.is_skipping(request, group, member_id),
            "memberId": member_id,
            "members": self.members_told(group) if is_leader else [],
        }
        if request.version >= NULL_PROTOCOL_SINCE:
            answer["protocolType"] = group.protocol_type
        return answer

    def is_skipping(self, request: Request, group: ClassicGroup, member_id: str) -> bool:
        """True if a leader that came back keeps the shares as they are."""
        is_settled = group.state == STABLE and group.leader == member_id
        return is_settled and request.version >= SKIPPING_SINCE

    def is_leader(self, group: ClassicGroup, member_id: str) -> bool:
        """True if a member shares out for the group."""
        return group.leader == member_id

    def members_told(self, group: ClassicGroup) -> list[Value]:
        """Return the members as the leader gets them."""
        return [
            {
                "memberId": each.member_id,
                "groupInstanceId": each.instance_id,
                "metadata": each.protocols[group.protocol],
            }
            for each in group.members.values()
        ]

    def not_joined(self, request: Request, code: int, member_id: str) -> Value:
        """Return that a member did not join."""
        has_null = request.version >= NULL_PROTOCOL_SINCE
        answer: Value = {
            "throttleTimeMs": 0,
            "errorCode": code,
            "generationId": -1,
            "protocolName": None if has_null else "",
            "leader": "",
            "skipAssignment": False,
            "memberId": member_id,
            "members": [],
        }
        return answer | ({"protocolType": None} if has_null else {})

    def sync_group(self, request: Request) -> Value:
        """Return the share of a member; its answer waits for the leader's shares."""
        if not self.keeps_groups:
            return super().sync_group(request)
        asked = request.value
        try:
            self.check_protocol_is_named(request)
            group = self.group_of_member(request)
            self.check_same_protocol(group, asked)
            if group.state == COMPLETING and asked["memberId"] == group.leader:
                self.share_out(group, asked)
            return self.synced(request, group)
        except Refused as refused:
            return self.share(request, refused.code, ClassicGroup(""), "")

    def check_protocol_is_named(self, request: Request) -> None:
        """Raise Refused without the protocol's type and name, in versions with them (KIP-559)."""
        names = (request.value["protocolType"], request.value["protocolName"])
        if request.version >= NAMED_SINCE and None in names:
            raise Refused(error_codes.INCONSISTENT_GROUP_PROTOCOL)

    def check_same_protocol(self, group: ClassicGroup, asked: Value) -> None:
        """Raise Refused for a protocol that is not the group's (KIP-559)."""
        named = {"protocolType": group.protocol_type, "protocolName": group.protocol}
        if any(asked[key] not in (None, value) for key, value in named.items()):
            raise Refused(error_codes.INCONSISTENT_GROUP_PROTOCOL)

    def share_out(self, group: ClassicGroup, asked: Value) -> None:
        """Keep the leader's shares."""
        for each in asked["assignments"]:
            if each["memberId"] in group.members:
                group.members[each["memberId"]].assignment = each["assignment"]
        group.state = STABLE

    def synced(self, request: Request, group: ClassicGroup) -> Value:
        """Return the share of a member. Raises Waits until the leader shared out."""
        member = group.members.get(request.value["memberId"])
        if member is None:
            return self.share(request, error_codes.UNKNOWN_MEMBER_ID, ClassicGroup(""), "")
        if group.state == PREPARING:
            code = error_codes.REBALANCE_IN_PROGRESS
            return self.share(request, code, ClassicGroup(""), "")
        if group.state == COMPLETING:
            raise Waits(partial(self.synced, request, group))
        return self.share(request, error_codes.NONE, group, self.assignment_of(member))

    def assignment_of(self, member: Member) -> str:
        """Return the share that the leader assigned to a member."""
        return member.assignment

    def share(self, request: Request, code: int, group: ClassicGroup, assignment: str) -> Value:
        """Return an answer to SyncGroup."""
        answer: Value = {"throttleTimeMs": 0, "errorCode": code, "assignment": assignment}
        if request.version >= 5:
            answer |= {
                "protocolType": group.protocol_type or None,
                "protocolName": group.protocol or None,
            }
        return answer

    def group_of_member(self, request: Request) -> ClassicGroup:
        """Return the group of a member in this generation. Raises Refused for another one."""
        asked = request.value
        self.check_group_id(asked["groupId"])
        group = self.groups.get(asked["groupId"], ClassicGroup(""))
        self.check_member(group, asked["memberId"], asked["groupInstanceId"])
        self.check_generation(request, group, asked["generationId"])
        return group

    def check_group_id(self, name: str) -> None:
        """Raise Refused for an empty id."""
        if not name:
            raise Refused(error_codes.INVALID_GROUP_ID)

    def check_member(self, group: ClassicGroup, member_id: str, instance: str | None) -> None:
        """Raise Refused for a member that is not in the group, or lost its place."""
        holder = self.holder(group, instance)
        if holder is not None and holder.member_id != member_id:
            raise Refused(error_codes.FENCED_INSTANCE_ID)
        if member_id not in group.members:
            raise Refused(error_codes.UNKNOWN_MEMBER_ID)

    def check_generation(self, request: Request, group: ClassicGroup, generation: int) -> None:
        """Raise Refused for another generation than the group's."""
        del request
        if generation != group.generation:
            raise Refused(error_codes.ILLEGAL_GENERATION)

    def heartbeat(self, request: Request) -> Value:
        """Return no error, or that the member has to join again."""
        answer = super().heartbeat(request)
        if not self.keeps_groups:
            return answer
        try:
            group = self.group_of_member(request)
            return {**answer, "errorCode": self.beat(group)}
        except Refused as refused:
            return {**answer, "errorCode": refused.code}

    def beat(self, group: ClassicGroup) -> int:
        """Return the error for a heartbeat of a member."""
        is_rebalancing = group.state == PREPARING
        return error_codes.REBALANCE_IN_PROGRESS if is_rebalancing else error_codes.NONE

    def leave_group(self, request: Request) -> Value:
        """Let members leave, each of which has its result."""
        answer = super().leave_group(request)
        if not self.keeps_groups:
            return answer
        asked = request.value
        if not asked["groupId"]:
            return {**answer, "errorCode": error_codes.INVALID_GROUP_ID}
        group = self.groups.get(asked["groupId"], ClassicGroup(""))
        if request.version < MEMBERS_SINCE:
            return {**answer, "errorCode": self.leave(group, asked["memberId"], None)}
        for each in answer["members"]:
            each["errorCode"] = self.leave(group, each["memberId"], each["groupInstanceId"])
        return answer

    def leave(self, group: ClassicGroup, member_id: str, instance: str | None) -> int:
        """Let one member leave; return an error code."""
        holder = self.holder(group, instance)
        if holder is not None and not member_id:
            member_id = holder.member_id
        try:
            self.check_member(group, member_id, instance)
        except Refused as refused:
            return refused.code
        self.remove_member(group, member_id)
        return error_codes.NONE

    def remove_member(self, group: ClassicGroup, member_id: str) -> None:
        """Take a member out of its group, whose other members join again."""
        self.rebalance(group)
        del group.members[member_id]
        group.awaited.discard(member_id)
        self.begin_if_all_joined(group)

    def check_stranger(self, request: Request) -> None:
        """Raise Refused for a commit that is not one of a member in this generation."""
        asked = request.value
        generation, group = asked["generationIdOrMemberEpoch"], self.groups.get(asked["groupId"])
        if not self.keeps_groups or group is None or not group.members:
            super().check_stranger(request)
            return
        self.check_member(group, asked["memberId"], asked["groupInstanceId"])
        self.check_generation(request, group, generation)
        if group.state == COMPLETING:
            raise Refused(error_codes.REBALANCE_IN_PROGRESS)


def _protocols(asked: Value) -> dict[str, str]:
    """Return the metadata of a member by the names of its protocols, in its order."""
    return {each["name"]: each["metadata"] for each in asked["protocols"]}
