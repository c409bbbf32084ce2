"""Answers without entries: arrays that are empty, which every definition allows.

No broker answers so what it was asked, but for a list of all that it has, so that nothing is
demanded of the client but that it comes to an end by itself. The first answers alone are so: who
asks again is answered right, as a client may ask without end for what it is never told. The
outermost arrays are empty in one scenario, and in another those of their entries, as a topic
without partitions.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.api_keys import (
    CREATE_ACLS,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    DELETE_RECORDS,
    DESCRIBE_CONFIGS,
    FETCH,
    FIND_COORDINATOR,
    JOIN_GROUP,
    LIST_GROUPS,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_DELETE,
    OFFSET_FETCH,
    TXN_OFFSET_COMMIT,
)
from conformance.clients.scenarios.actions import ADMINISTERED, Action
from conformance.clients.scenarios.plain_brokers import ServesMembers
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import survives
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form, Layout
from conformance.schema.releases import definitions

ENTRIES = "client-answers.no-entries-survived"
EMPTY = 2
"""The number of answers without entries."""
_PLACES: dict[int, tuple[Action, ...]] = {
    FETCH: ("consume",),
    LIST_OFFSETS: ("consume", "lookup"),
    METADATA: ("topics", "produce", "consume", "join"),
    OFFSET_COMMIT: ("join", "resume"),
    OFFSET_FETCH: ("join", "resume", "offsets"),
    FIND_COORDINATOR: ("groups", "join"),
    JOIN_GROUP: ("join",),
    LIST_GROUPS: ("listing",),
    CREATE_TOPICS: ("create",),
    DESCRIBE_CONFIGS: ("configs",),
    CREATE_PARTITIONS: ("grow",),
    DELETE_RECORDS: ("trim",),
    OFFSET_DELETE: ("forget",),
    TXN_OFFSET_COMMIT: ("transact",),
    **{key: (action,) for key, action in ADMINISTERED.items() if key != CREATE_ACLS},
}
"""By api key, the actions in which a client makes something of the answer's entries.

Results that no broker ever leaves out are not among them: those of Produce, of CreateAcls, of
DescribeGroups and of AddPartitionsToTxn, without which released clients do not come to an end.
"""
_OUTER, _INNER = 1, 2
LOOKUP_OF_MEMBERS = (FIND_COORDINATOR, "join")
"""A lookup that has another plain broker than those of groups' administrators."""


def emptied(layout: Layout, value: Value, level: int) -> Value:
    """Return a struct whose arrays at a level are empty: 1 are its own, 2 those of its entries."""
    types = {item.name: item.type for item in (*layout.fields, *layout.tagged)}
    return {name: _emptied(types.get(name), given, level) for name, given in value.items()}


def _emptied(type_: Any, given: Any, level: int) -> Any:
    if type_ is None or type_.element is None or not isinstance(given, list):
        return given
    if level == _OUTER:
        return []
    struct = type_.element.struct
    return given if struct is None else [emptied(struct, each, level - 1) for each in given]


def depth(layout: Layout) -> int:
    """Return how deep arrays lie in arrays."""
    types = (item.type for item in layout.fields)
    inside = (each.element.struct for each in types if each.element)
    return max((1 + (depth(each) if each else 0) for each in inside), default=0)


class _Entries(Rewrites):
    """Answers one API with empty arrays."""

    level: ClassVar[int] = _OUTER
    decides: ClassVar = {ENTRIES: survives}
    left = EMPTY

    def body(self, form: Form, body: Value) -> Value:
        if not self.left:
            return body
        self.left -= 1
        return emptied(form.layout, body, self.level)


_SAYS = {_OUTER: ("NoEntries", "no entries"), _INNER: ("EmptyEntries", "entries that are empty")}
for _key, _actions in _PLACES.items():
    _api = NAMES[_key]
    _message = definitions()[f"{_api}Response"]
    _levels = depth(definitions().form(_message.name, _message.valid.high).layout)
    for _action in _actions:
        for _level in range(_OUTER, min(_levels, _INNER) + 1):
            _name, _what = _SAYS[_level]
            _Entries.variant(
                f"{_name}In{_api}Of{_action.capitalize()}",
                f"Answers {_api} twice with {_what}, where it is asked for {_action}.",
                about=f"{_api}Request",
                action=_action,
                level=_level,
                control_case=ServesMembers if (_key, _action) == LOOKUP_OF_MEMBERS else None,
            )
