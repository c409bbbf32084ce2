"""What a client calls itself: whatever its application wants, in each request."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.control_cases import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken

LONG_NAME = "c" * 300


def named_as_given(visit: Visit) -> None:
    """Each request has the client id that was given."""
    for each in visit.sent:
        name = each.header["clientId"] if each.header else LONG_NAME
        if name != LONG_NAME:
            told = "null" if name is None else f"{len(name)} letters"
            what = f"{each.api} v{each.version} has a client id of {told}"
            raise Broken(what, f"the {len(LONG_NAME)} letters that were given", each.frame)
    succeeds(visit)


class LongNamed(Scenario):
    """Lists all topics for a client with an id of 300 letters."""

    action = "named"
    control_case = ServesTopics
    answers = ""
    decides: ClassVar = {"client-requests.client-id-as-given": named_as_given}
