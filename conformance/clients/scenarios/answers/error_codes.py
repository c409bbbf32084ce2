"""Unknown error codes, in every answer that has room for one."""

from __future__ import annotations

from typing import Any

from conformance.api_keys import (
    CONSUMER_GROUP_HEARTBEAT,
    DESCRIBE_LOG_DIRS,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_DELETE,
    OFFSET_FETCH,
    PRODUCE,
)
from conformance.clients.scenarios.actions import ADMINISTERED, MEMBERS, Action
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.records.logs import WritingRefused
from conformance.clients.scenarios.visit import fails, survives
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

UNKNOWN = 9999
_SURVIVED = "client-answers.unknown-errors-survived"
_TOLD = "client-answers.unknown-errors-told"
_PLACES: dict[int, tuple[Action, bool]] = {
    18: ("topics", False),
    3: ("topics", False),
    10: ("groups", True),
    15: ("groups", False),
    16: ("listing", True),
    19: ("create", True),
    22: ("produce", False),
    0: ("produce", True),
    2: ("consume", False),
    1: ("consume", False),
    **dict.fromkeys(MEMBERS, ("join", False)),
    8: ("join", True),
    CONSUMER_GROUP_HEARTBEAT: ("member", True),
    **{key: (action, key != DESCRIBE_LOG_DIRS) for key, action in ADMINISTERED.items()},
    OFFSET_DELETE: ("forget", True),
}
"""By api key: the action, and True if it can't succeed with an error there."""
_PLACES_BESIDE: tuple[tuple[int, Action, bool], ...] = (
    (OFFSET_COMMIT, "resume", True),
    (OFFSET_FETCH, "resume", False),
    (OFFSET_FETCH, "offsets", False),
    (LIST_OFFSETS, "lookup", True),
    (LIST_OFFSETS, "ends", True),
    (METADATA, "produce", False),
    (METADATA, "consume", False),
    (METADATA, "join", False),
    (METADATA, "describe", True),
)
"""Other actions that an API is asked in, to read what its answer says there."""


def with_error(value: Any) -> Any:
    """A value whose error codes are all of that kind, but those that are errors already."""
    if isinstance(value, list):
        return [with_error(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: (each or UNKNOWN) if name == "errorCode" else with_error(each)
        for name, each in value.items()
    }


class _Errors(Rewrites):
    """Answers one API with an unknown error code."""

    def body(self, form: Form, body: Value) -> Value:
        changed: Value = with_error(body)
        return changed


_FIRST = [(key, *place, "", "") for key, place in _PLACES.items()]
_OTHERS = [
    (key, action, is_told, f"Of{action.capitalize()}", f", where it is asked for {action}")
    for key, action, is_told in _PLACES_BESIDE
]
for _key, _action, _told, _of, _where in (*_FIRST, *_OTHERS):
    _api = NAMES[_key]
    _decides = {_SURVIVED: survives}
    if _told:
        _decides[_TOLD] = fails
    _Errors.variant(
        f"UnknownErrorIn{_api}{_of}",
        f"Answers {_api} with error code {UNKNOWN}{_where}.",
        about=f"{_api}Request",
        action=_action,
        decides=_decides,
        controls={_TOLD: WritingRefused} if _key == PRODUCE else {},
    )
