"""The refusal of a caller that lacks rights, which shows nothing about the rule in question.

A broker whose login or ACLs keep the run's principal from an API answers each request of it with an
authorization error. That is right, and what a dialogue expects can't be seen. A broker that answers
one API so by mistake differs in that its other APIs serve the same caller.
"""

from __future__ import annotations

from typing import Any

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.controls import Controls
from conformance.brokers.dialogues.talk import SERVED
from conformance.brokers.exchange import Control, Exchange, Peer, exchange
from conformance.error_codes import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from conformance.schema.releases import UnknownDefinition, definitions
from conformance.wire.errors import DecodeError

UNAUTHORIZED = frozenset(
    {
        TOPIC_AUTHORIZATION_FAILED,
        GROUP_AUTHORIZATION_FAILED,
        CLUSTER_AUTHORIZATION_FAILED,
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    }
)
OTHERS = ("Metadata", "CreateTopics", "DescribeConfigs", "DescribeAcls", "ListOffsets")
"""APIs whose plain requests show whether the caller lacks rights to more than one of them."""


class Callers:
    """Finds out whether the run's principal lacks the rights to what a dialogue asks."""

    def __init__(self, endpoint: Peer, control: Control | None, controls: Controls) -> None:
        self._endpoint = endpoint
        self._control = control
        self._controls = controls
        self._refused: dict[tuple[str, int], int | None] = {}

    def why_unproven(self, item: DialogueCase, found: Exchange) -> str:
        """Return why a failed dialogue proves nothing, "" if the caller has the rights to it."""
        if found.broken is None or found.broken.unanswered or item.rule.startswith("sasl."):
            return ""
        api, version = _asked(found.asked)
        error = self._error_in(api, version, found.answer)
        if not error or self._plain(api, version) == 0 or not self._lacks_rights(api):
            return ""
        return (
            f"the caller lacks the rights to it ({api} is answered with error {error}): "
            "log in by --config as one that has them"
        )

    def _lacks_rights(self, api: str) -> bool:
        """True if a caller may lack rights to this API: others are refused, or one logs in."""
        facts = self._controls.facts
        others = (each for each in OTHERS if each != api and facts.has(each))
        return facts.authenticates or any(
            self._plain(each, facts.range_of(each)[1]) for each in others
        )

    def _plain(self, api: str, version: int) -> int | None:
        """Return the authorization error of the plain request, None if it can not be asked."""
        key = api, version
        if key not in self._refused:
            self._refused[key] = None
            for each in self._controls.cases(SERVED):
                if (each.message, each.version) == (f"{api}Request", version):
                    held = exchange(each.begin(), self._endpoint, self._control)
                    if held.broken is None and not held.absent:
                        self._refused[key] = self._error_in(api, version, held.answer)
        return self._refused[key]

    def _error_in(self, api: str, version: int, frame: bytes) -> int:
        """Return the first authorization error of an answer, 0 if it has none."""
        try:
            _, value, _, _ = self._controls.facts.codec.decode_response(
                f"{api}Response", version, frame
            )
        except (DecodeError, UnknownDefinition):
            return 0
        return next((each for each in _errors(value) if each in UNAUTHORIZED), 0)


def _asked(frame: bytes) -> tuple[str, int]:
    """Return the API and the version of a request with its length."""
    key, version = (int.from_bytes(frame[at : at + 2], "big", signed=True) for at in (4, 6))
    return definitions().requests.get(key, "").removesuffix("Request"), version


def _errors(value: Any) -> list[int]:
    """Return every error code of an answer, at any depth."""
    if isinstance(value, list):
        return [code for each in value for code in _errors(each)]
    if not isinstance(value, dict):
        return []
    own = [value["errorCode"]] if "errorCode" in value else []
    return own + [code for each in value.values() for code in _errors(each)]
