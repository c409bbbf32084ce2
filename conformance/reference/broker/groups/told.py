"""DescribeGroups, ListGroups and DeleteGroups of a broker that keeps its groups."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import ClassicGroup, Member, Request, Value
from conformance.reference.broker.groups.groups import Groups
from conformance.reference.broker.missing_entities import Nothing

STABLE = "Stable"
CLASSIC = "classic"


class ToldGroups(Groups, Nothing):
    """The handlers of requests about groups."""

    def described_group(self, request: Request, name: str) -> Value:
        """Return the entry of a group."""
        answer = super().described_group(request, name)
        group = self.group_told(name)
        may_not = answer["errorCode"] == error_codes.GROUP_AUTHORIZATION_FAILED
        if group is None or may_not:
            return answer
        is_stable = group.state == STABLE
        return answer | {
            "errorCode": error_codes.NONE,
            **({"errorMessage": None} if "errorMessage" in answer else {}),
            "groupState": group.state,
            "protocolType": group.protocol_type,
            "protocolData": group.protocol if is_stable else "",
            "members": [self.member_told(group, each) for each in group.members.values()],
        }

    def group_told(self, name: str) -> ClassicGroup | None:
        """Return a group; one that only commits offsets is an empty one, None is none."""
        if name in self.groups or not self.keeps_offsets or name not in self.committed:
            return self.groups.get(name)
        return ClassicGroup(name)

    def groups_told(self) -> list[ClassicGroup]:
        """Return all groups."""
        names = dict.fromkeys((*self.groups, *(self.committed if self.keeps_offsets else ())))
        return [each for name in names if (each := self.group_told(name)) is not None]

    def member_told(self, group: ClassicGroup, member: Member) -> Value:
        """Return the entry of a member."""
        is_stable = group.state == STABLE
        return {
            "memberId": member.member_id,
            "groupInstanceId": member.instance_id,
            "clientId": member.client_id,
            "clientHost": f"/{self.host}",
            "memberMetadata": member.protocols[group.protocol] if is_stable else "",
            "memberAssignment": member.assignment if is_stable else "",
        }

    def list_groups(self, request: Request) -> Value:
        """Return the groups that are in one of the states, and of one of the types, asked for."""
        states = {each.lower() for each in request.value["statesFilter"]}
        types = {each.lower() for each in request.value["typesFilter"]}
        listed = [
            {
                "groupId": each.name,
                "protocolType": each.protocol_type,
                "groupState": each.state,
                "groupType": CLASSIC,
            }
            for each in self.groups_told()
            if self.is_in_state(each, states) and self.is_of_type(CLASSIC, types)
        ]
        return {**super().list_groups(request), "groups": listed}

    def is_in_state(self, group: ClassicGroup, wanted: set[str]) -> bool:
        """True if a group is in one of these states, or none is given."""
        return not wanted or group.state.lower() in wanted

    def is_of_type(self, name: str, wanted: set[str]) -> bool:
        """True if a type is one of these, or none is given."""
        return not wanted or name in wanted

    def delete_groups(self, request: Request) -> Value:
        """Return the result for each group."""
        answer = super().delete_groups(request)
        for each in answer["results"]:
            each["errorCode"] = self.deletion(each["groupId"], each["errorCode"])
        return answer

    def deletion(self, name: str, missing: int) -> int:
        """Delete a group without members; return an error code, `missing` without a group."""
        group = self.groups.get(name)
        if group is None and not (self.keeps_offsets and name in self.committed):
            return missing
        if group is not None and group.members:
            return error_codes.NON_EMPTY_GROUP
        self.forget_group(name)
        return error_codes.NONE

    def forget_group(self, name: str) -> None:
        """Delete a group, and its offsets."""
        self.groups.pop(name, None)
        self.committed.pop(name, None)
