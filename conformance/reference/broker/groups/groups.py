"""DescribeGroups and ListGroups of a broker without groups: each one is dead (KIP-1043)."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.admin.access import DESCRIBE, GROUP, Access
from conformance.reference.broker.admin.metadata import NOT_ASKED
from conformance.reference.broker.cluster import Request, Value

NOT_FOUND_SINCE = 6
"""The first version that distinguishes a missing group from one that has died."""
DEAD = "Dead"


class Groups(Access):
    """The handlers of DescribeGroups and ListGroups."""

    def describe_groups(self, request: Request) -> Value:
        """Return each group, in order."""
        groups = [self.described_group(request, name) for name in request.value["groups"]]
        return {"throttleTimeMs": 0, "groups": groups}

    def described_group(self, request: Request, name: str) -> Value:
        """Return the entry of a missing group."""
        code = (
            error_codes.GROUP_ID_NOT_FOUND
            if request.version >= NOT_FOUND_SINCE
            else error_codes.NONE
        )
        if not self.may(request, DESCRIBE, GROUP, name):
            code = error_codes.GROUP_AUTHORIZATION_FAILED
        answer: Value = {
            "errorCode": code,
            "groupId": name,
            "groupState": DEAD,
            "protocolType": "",
            "protocolData": "",
            "members": [],
            "authorizedOperations": NOT_ASKED,
        }
        if request.version >= NOT_FOUND_SINCE:
            answer["errorMessage"] = f"Group {name} not found." if code else None
        return answer

    def list_groups(self, request: Request) -> Value:
        """Return no groups."""
        del request
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE, "groups": []}
