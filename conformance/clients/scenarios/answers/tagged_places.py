"""Unknown tags in one place of an answer at a time: at its top, in elements, in a nested struct.

Clients that pass over tags in one place may stumble over them in another, which answers with tags
in every place can't tell apart (`conformance.clients.scenarios.answers.tags` has those).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from conformance.api_keys import CONSUMER_GROUP_HEARTBEAT
from conformance.clients.scenarios.actions import ADMINISTERED, FIRST, MEMBERS, Action
from conformance.clients.scenarios.answers.response_headers import first_flexible
from conformance.clients.scenarios.answers.tags import MANY, TAGS, tag, with_tags
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, succeeds
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

FEW = [tag(100, 3), tag(101, 0), tag(102, 20)]
A_THOUSAND = [tag(1000 + index, 2) for index in range(MANY)]
LEADERS_SINCE = {0: 10, 1: 12}
"""The first versions of Produce and Fetch that have a struct for the leader of a partition."""

Placed = Callable[[Form, Value], Value]


def at_top(tags: list[Value]) -> Placed:
    """Return a function that puts tags into the answer's own section."""
    return lambda _form, body: {**body, TAGS: tags}


def in_elements(form: Form, body: Value) -> Value:
    """Return the answer with tags in the elements of arrays, at any depth, and not at its top."""
    tagged = with_tags(form.layout, body, FEW)
    return {name: given for name, given in tagged.items() if name != TAGS}


def in_leaders(tags: list[Value]) -> Placed:
    """Return a function that puts tags into each partition's leader, the broker that was asked."""
    leader = {"currentLeader": {"leaderId": FIRST, "leaderEpoch": 0, TAGS: tags}}

    def placed(form: Form, body: Value) -> Value:
        api_key = form.api_key or 0
        if form.version < LEADERS_SINCE[api_key]:
            return body
        key = "partitions" if api_key else "partitionResponses"
        topics = [
            {**topic, key: [{**each, **leader} for each in topic[key]]}
            for topic in body["responses"]
        ]
        return {**body, "responses": topics}

    return placed


class _Placed(Rewrites):
    """Answers one API with unknown tags in one place."""

    placed: ClassVar[Placed]

    def body(self, form: Form, body: Value) -> Value:
        return type(self).placed(form, body) if form.flexible else body


_APIS: dict[int, Action] = {
    18: "topics",
    3: "topics",
    10: "groups",
    15: "groups",
    19: "create",
    0: "produce",
    22: "produce",
    2: "consume",
    1: "consume",
    **dict.fromkeys(MEMBERS, "join"),
    CONSUMER_GROUP_HEARTBEAT: "member",
    **ADMINISTERED,
}
WITHOUT_ARRAYS = frozenset({12, 14, 22})
"""Heartbeat, SyncGroup and InitProducerId have no struct but themselves."""
MANY_IN = (18, 3, 10, 0, 1)
"""The APIs that are answered with a thousand tags."""


def _scenario_class(
    api_key: int, name: str, says: str, placed: Placed, **more: Any
) -> type[Scenario]:
    """A broker that answers one API so."""
    api = NAMES[api_key]
    return _Placed.variant(
        f"{name}{api}",
        f"Answers {api} with {says}.",
        about=f"{api}Request",
        action=_APIS[api_key],
        placed=staticmethod(placed),
        **more,
    )


def _skips(rule: str, api_key: int, since: int) -> dict[str, Judgement]:
    """Return the judgement that the client succeeds if answered in one of these versions."""
    return {rule: where_asked(NAMES[api_key], succeeds, range(since, 100))}


for _key in _APIS:
    _since = first_flexible(_key)
    _top = _scenario_class(
        _key,
        "TopTagsIn",
        "unknown tags at its top alone",
        at_top(FEW),
        decides=_skips("tags.unknown-skipped", _key, _since),
    )
    if _key not in WITHOUT_ARRAYS:
        _scenario_class(
            _key,
            "ElementTagsIn",
            "unknown tags in the elements of its arrays alone",
            in_elements,
            decides=_skips("tags.unknown-skipped-in-element", _key, _since),
        )
    if _key in MANY_IN:
        _scenario_class(
            _key,
            "ThousandTagsIn",
            "a thousand unknown tags at its top",
            at_top(A_THOUSAND),
            decides=_skips("tags.unknown-by-the-thousand", _key, _since),
            control_case=_top,
        )
for _key, _since in LEADERS_SINCE.items():
    _struct = "the struct that tells a partition's leader"
    _control_case = _scenario_class(
        _key, "LeadersIn", f"{_struct}, and no tags in it", in_leaders([])
    )
    _decides = _skips("tags.unknown-skipped-in-struct", _key, _since)
    _scenario_class(
        _key,
        "LeaderTagsIn",
        f"unknown tags in {_struct}",
        in_leaders(FEW),
        decides=_decides,
        control_case=_control_case,
    )
