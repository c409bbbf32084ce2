"""Requests of readers that are lost once: with their connection, or because no answer comes."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, cast

from conformance.api_keys import (
    FETCH,
    FIND_COORDINATOR,
    JOIN_GROUP,
    LIST_OFFSETS,
    OFFSET_FETCH,
    SYNC_GROUP,
)
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.control_cases import WELL
from conformance.clients.scenarios.groups.committing import (
    CommittedBefore,
    CommittedToResume,
    begins_at_committed,
)
from conformance.clients.scenarios.groups.members import keeps_its_name, named
from conformance.clients.scenarios.judging import all_of
from conformance.clients.scenarios.playing import Closes, EndingSession, Ends
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, succeeds
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Unanswered
from conformance.reference.broker.releases import NAMES

_LOST: tuple[tuple[int, Action], ...] = (
    (FETCH, "consume"),
    (LIST_OFFSETS, "consume"),
    (LIST_OFFSETS, "lookup"),
    (FIND_COORDINATOR, "join"),
    (FIND_COORDINATOR, "resume"),
    (JOIN_GROUP, "join"),
    (SYNC_GROUP, "join"),
    (OFFSET_FETCH, "join"),
    (OFFSET_FETCH, "resume"),
)
_UNANSWERED = frozenset({LIST_OFFSETS, OFFSET_FETCH})
"""The requests that are sent again after the time that a request may take."""


class _FreezingSession(EndingSession):
    """Answers nothing more behind what it does not answer: answers come in their order."""

    is_frozen = False

    def handle(self, request: Request) -> Value:
        if self.is_frozen:
            raise Unanswered
        return super().handle(request)


class _Freezes(Ends):
    """Gives no answer, nor any behind it on that connection."""

    sessions = _FreezingSession

    def end(self, session: EndingSession) -> None:
        cast("_FreezingSession", session).is_frozen = True
        raise Unanswered


class _Named(Closes):
    """Knows the member by the name that it keeps."""

    def join_group(self, request: Request) -> Value:
        return super().join_group(named(request))


class CommittedBehindSilence(_Freezes, CommittedBefore, about="OffsetFetchRequest", action="join"):
    """Has an offset of the group, and does not answer the first OffsetFetch."""

    left = 1
    control_case: ClassVar[type[Scenario] | None] = CommittedBefore
    decides: ClassVar = {"client-groups.begins-at-committed": all_of(begins_at_committed, succeeds)}


class CommittedBehindSilenceOfResume(CommittedBehindSilence, action="resume"):
    """Does not answer the first OffsetFetch of who resumes where the group has come to."""

    control_case = CommittedToResume


for _key, _action in _LOST:
    _api = NAMES[_key]
    _name = f"{_api}Of{_action.capitalize()}"
    _of = f"the first {_api} of a client that is asked for {_action}"
    _decides: dict[str, Judgement] = {"client-answers.lost-is-asked-again": succeeds}
    if _key == SYNC_GROUP:
        _decides["client-groups.member-id-kept"] = partial(keeps_its_name, refused=_api)
    _fields: dict[str, Any] = {
        "__module__": __name__,
        "about": f"{_api}Request",
        "action": _action,
        "left": 1,
        "control_case": WELL[_action],
        "decides": _decides,
    }
    (_Named if _key == SYNC_GROUP else Closes).variant(
        f"Closed{_name}",
        f"Closes the connection on {_of}.",
        **_fields,
    )
    if _key in _UNANSWERED:
        _fields["decides"] = {"client-answers.lost-is-asked-again": succeeds}
        type(
            f"Unanswered{_name}",
            (_Freezes,),
            {
                **_fields,
                "__doc__": f"Never answers {_of}, nor what comes behind it on that connection.",
            },
        )
