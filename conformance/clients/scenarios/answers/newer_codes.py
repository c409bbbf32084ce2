"""Codes and words that came after the client: of ACLs, of configs, of groups.

A cluster is mostly newer than some of its clients, and what others have set or begun there is shown
to all of them.
"""

from __future__ import annotations

from typing import Any

from conformance.api_keys import DESCRIBE_ACLS, DESCRIBE_CONFIGS, DESCRIBE_GROUPS, LIST_GROUPS
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.plain_brokers import ServesListing
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

CODE = 100
STATE, TYPE = "Dormant", "crowd"
_NEWER: dict[str, tuple[int, Action, str, Value]] = {
    "NewerOperation": (DESCRIBE_ACLS, "acls", "an operation", {"operation": CODE}),
    "NewerPermission": (DESCRIBE_ACLS, "acls", "a type of permission", {"permissionType": CODE}),
    "NewerResource": (DESCRIBE_ACLS, "acls", "a type of resource", {"resourceType": CODE}),
    "NewerPattern": (DESCRIBE_ACLS, "acls", "a type of pattern", {"patternType": CODE}),
    "NewerConfigType": (DESCRIBE_CONFIGS, "configs", "a type of configs", {"configType": CODE}),
    "NewerConfigSource": (
        DESCRIBE_CONFIGS,
        "configs",
        "a source of configs",
        {"configSource": CODE},
    ),
    "NewerGroupState": (DESCRIBE_GROUPS, "groups", "a state of groups", {"groupState": STATE}),
    "NewerListedState": (LIST_GROUPS, "listing", "a state of groups", {"groupState": STATE}),
    "NewerGroupType": (LIST_GROUPS, "listing", "a type of groups", {"groupType": TYPE}),
}
"""By scenario: the API, the action, the unknown part in words, and its field with the code."""


def with_values(value: Any, given: Value) -> Any:
    """A value with these in the place of what fields of their names have, at any depth."""
    if isinstance(value, list):
        return [with_values(each, given) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: given.get(name, with_values(each, given)) for name, each in value.items()}


class _Newer(Rewrites):
    """Answers one API with an unknown code."""

    given: Value

    def body(self, form: Form, body: Value) -> Value:
        changed: Value = with_values(body, self.given)
        return changed


class _NewerListed(_Newer, ServesListing):
    """Answers about a listed group with an unknown code."""


for _name, (_key, _action, _what, _given) in _NEWER.items():
    _api = NAMES[_key]
    (_NewerListed if _key == LIST_GROUPS else _Newer).variant(
        _name,
        f"Lists {_what} in {_api} that no client knows yet.",
        about=f"{_api}Request",
        action=_action,
        given=_given,
        decides={"client-answers.newer-codes-read": succeeds},
    )
