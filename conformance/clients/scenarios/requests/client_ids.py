"""The client id in the header of each request: the one that the application gave."""

from __future__ import annotations

from typing import Any

from conformance.clients.scenarios.actions import CLIENT_IDS
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Visit, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.results.text import quoted

_SAYS = {
    "nameless": "that has no client id",
    "blank": "whose client id is empty",
    "lengthy": "whose client id has 300 bytes",
    "brimming": "whose client id makes of a flexible header 255 bytes, its length included",
    "foreign": "whose client id has letters of one, two, three and four bytes",
}


def names_itself(given: str | None) -> Judgement:
    """Each header has this client id, and it comes to an end.

    Where it is null or empty, a client may take that for none given: it may be called as in the
    control case.
    """

    def judge(visit: Visit) -> None:
        survives(visit)
        readable = [each for each in visit.sent if each.header is not None and not each.wrong]
        if not readable:
            raise NotApplicable("it sent nothing that can be read")
        usual = visit.control_case.sent if visit.control_case and not given else []
        allowed = {given, *(each.header["clientId"] for each in usual if each.header)}
        for each in readable:
            found = (each.header or {})["clientId"]
            if found not in allowed:
                what = f"{each.api} v{each.version} has the client id {quoted(found)}"
                raise Broken(what, quoted(given), each.frame)

    return judge


for _action, _given in CLIENT_IDS.items():
    _fields: dict[str, Any] = {
        "__doc__": f"Is asked for all topics by a client {_SAYS[_action]}.",
        "__module__": __name__,
        "about": "MetadataRequest",
        "action": _action,
        "answers": "",
        "control_case": ServesTopics,
        "decides": {"client-requests.client-id-as-given": names_itself(_given)},
    }
    type(f"{_action.capitalize()}Client", (Scenario,), _fields)
