"""The topics that Metadata is asked about: those that the application named, and no others."""

from __future__ import annotations

from conformance.clients.scenarios.actions import FILLED, Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require
from conformance.dialogue import Broken

_ACTIONS: tuple[Action, ...] = ("produce", "consume", "join", "lookup", "resume")


def names_its_topic(visit: Visit) -> None:
    """Judge that Metadata is asked about the one wanted topic, or about none."""
    asked = [each for each in visit.of("Metadata") if each.value is not None]
    require(asked, "it did not ask Metadata")
    for each in asked:
        assert each.value is not None
        topics = each.value["topics"]
        if topics is None or (each.version == 0 and not topics):
            raise Broken(f"Metadata v{each.version} asks for all topics", FILLED, each.frame)
        named = {one["name"] for one in topics if one["name"] is not None}
        if named - {FILLED}:
            what = f"Metadata v{each.version} asks for {', '.join(sorted(named))}"
            raise Broken(what, FILLED, each.frame)


for _action in _ACTIONS:
    Scenario.variant(
        f"OneOfTwoTopicsFor{_action.capitalize()}",
        f"Has two topics, one of which a client is told of that is asked for {_action}.",
        about="MetadataRequest",
        action=_action,
        decides={"client-requests.topics-named": names_its_topic},
    )
