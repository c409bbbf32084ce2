"""Topics of any legal name: letters, digits, dots, underscores and hyphens, 249 of them at most.

A client that keeps what it knows of topics by their names must not take one of them for something
else that bears it, such as a method that all objects of its language have.
"""

from __future__ import annotations

from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, judgement, succeeds
from conformance.dialogue import NotApplicable

_NAMES: dict[str, tuple[str, tuple[Action, ...]]] = {
    "Constructor": ("constructor", ("produce", "consume", "join")),
    "ToString": ("toString", ("join",)),
    "Keys": ("keys", ("join",)),
}


@judgement
def _is_about(visit: Visit, name: str) -> None:
    """The client does well with a topic of this name, where the driver asks for that."""
    if not any(name.encode() in each.frame for each in visit.sent):
        raise NotApplicable(f"the driver asks for another topic than {name}")
    succeeds(visit)


for _title, (_name, _actions) in _NAMES.items():
    for _action in _actions:
        Scenario.variant(
            f"Topic{_title}To{_action.capitalize()}",
            f"Has a topic of the name {_name}, to a client that is asked for {_action}.",
            about="MetadataRequest",
            action=_action,
            topic=_name,
            decides={"client-requests.any-topic-name": _is_about(_name)},
        )
