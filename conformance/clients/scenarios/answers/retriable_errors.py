"""Errors that pass: what is refused once is asked again, as the error says that it may be.

Kafka's list of errors says of each whether it is retriable. A client that tells such an error at
once makes every restart of a broker an error of the application.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import (
    FETCH,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    PRODUCE,
)
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.judging import NOT_TOLD
from conformance.clients.scenarios.plain_brokers import ServesMembers
from conformance.clients.scenarios.playing import Refuses, in_camel_case
from conformance.clients.scenarios.visit import Judgement, succeeds
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

_PASSED = "client-answers.passing-errors-pass"
_MOVED = "client-coordinators.moved-is-asked-again"
_OF_OFFSETS = (
    "LEADER_NOT_AVAILABLE",
    "KAFKA_STORAGE_ERROR",
    "FENCED_LEADER_EPOCH",
    "UNKNOWN_LEADER_EPOCH",
    "OFFSET_NOT_AVAILABLE",
)
_REFUSED: tuple[tuple[int, Action, str, tuple[str, ...]], ...] = (
    (
        PRODUCE,
        "produce",
        "partitionResponses",
        ("NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR", "REQUEST_TIMED_OUT"),
    ),
    (
        FETCH,
        "consume",
        "partitions",
        (
            "KAFKA_STORAGE_ERROR",
            "FENCED_LEADER_EPOCH",
            "UNKNOWN_LEADER_EPOCH",
            "UNKNOWN_TOPIC_OR_PARTITION",
            "OFFSET_NOT_AVAILABLE",
        ),
    ),
    (LIST_OFFSETS, "consume", "partitions", _OF_OFFSETS),
    (LIST_OFFSETS, "lookup", "partitions", _OF_OFFSETS),
    (METADATA, "consume", "topics", ("LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION")),
    (METADATA, "lookup", "topics", ("LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION")),
    (METADATA, "trim", "topics", ("LEADER_NOT_AVAILABLE",)),
    (METADATA, "latest", "topics", ("LEADER_NOT_AVAILABLE",)),
    (OFFSET_COMMIT, "join", "partitions", ("REQUEST_TIMED_OUT",)),
    (OFFSET_FETCH, "join", "partitions", ("UNSTABLE_OFFSET_COMMIT",)),
    (OFFSET_FETCH, "resume", "partitions", ("UNSTABLE_OFFSET_COMMIT",)),
    (
        FIND_COORDINATOR,
        "join",
        "coordinators",
        ("COORDINATOR_NOT_AVAILABLE", "REQUEST_TIMED_OUT"),
    ),
    (INIT_PRODUCER_ID, "produce", "", ("REQUEST_TIMED_OUT",)),
)
"""By api key and action: the array whose elements are refused, and the errors."""
_USUAL: frozenset[Action] = frozenset({"produce", "consume", "join"})
"""The actions that a scenario's name leaves out."""


def refused(value: Any, array: str, code: int) -> Any:
    """A value with this error in each element of these arrays, at any depth."""
    if isinstance(value, list):
        return [refused(each, array, code) for each in value]
    if not isinstance(value, dict):
        return value
    changed = {name: refused(each, array, code) for name, each in value.items()}
    if changed.get(array) and isinstance(changed[array], list):
        changed[array] = [{**each, "errorCode": code} for each in changed[array]]
    return changed


class _RefusesOnce(Refuses):
    """Answers one API with an error, the first time that the answer has elements to refuse."""

    array: ClassVar[str]

    def changed(self, body: Value) -> Value:
        if not self.array:
            return {**body, "errorCode": self.code, "producerId": -1, "producerEpoch": -1}
        found: Value = refused(body, self.array, self.code)
        return found


class _NowhereOnce(_RefusesOnce):
    """Answers with an error and without an address, once, also in the versions with one key."""

    def changed(self, body: Value) -> Value:
        nowhere = {"errorCode": self.code, "nodeId": -1, "host": "", "port": -1}
        if "coordinators" in body:
            return {**body, "coordinators": [{**each, **nowhere} for each in body["coordinators"]]}
        return {**body, **nowhere}


class UnstableForLong(_RefusesOnce, about="OffsetFetchRequest", action="join"):
    """Answers the first three OffsetFetch with UNSTABLE_OFFSET_COMMIT."""

    times = 3
    array = "partitions"
    code = error_codes.UNSTABLE_OFFSET_COMMIT
    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}


class _EmptyOnce(_RefusesOnce):
    """Answers with an error and with no partitions of the topic, once."""

    def changed(self, body: Value) -> Value:
        topics = super().changed(body)["topics"]
        return {**body, "topics": [{**each, "partitions": []} for each in topics]}


def _decided(key: int, code: str) -> dict[str, Judgement]:
    """Return the rules that an error of an API decides; FindCoordinator has rules of its own."""
    if key != FIND_COORDINATOR:
        return {_PASSED: succeeds}
    is_usual = code == "COORDINATOR_NOT_AVAILABLE"
    return {**({_MOVED: succeeds} if is_usual else {}), **NOT_TOLD}


for _key, _action, _array, _codes in _REFUSED:
    _api = NAMES[_key]
    _name = _api if _action in _USUAL else f"{_api}Of{_action.capitalize()}"
    for _code in _codes:
        _base = {METADATA: _EmptyOnce, FIND_COORDINATOR: _NowhereOnce}.get(_key, _RefusesOnce)
        _base.variant(
            f"{in_camel_case(_code)}In{_name}",
            f"Answers the first {_api} of who is asked to {_action} with {_code}.",
            about=f"{_api}Request",
            action=_action,
            array=_array,
            code=getattr(error_codes, _code),
            decides=_decided(_key, _code),
            control_case=ServesMembers if _key == FIND_COORDINATOR else None,
        )


class LeaderNotAmongBrokers(_RefusesOnce, about="MetadataRequest", action="consume"):
    """Tells in the first Metadata of a leader that is not among its brokers."""

    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}

    def changed(self, body: Value) -> Value:
        return {**body, "topics": [self._moved(each) for each in body["topics"]]}

    def _moved(self, topic: Value) -> Value:
        moved = {"leaderId": 77, "replicaNodes": [77], "isrNodes": [77]}
        return {**topic, "partitions": [{**each, **moved} for each in topic["partitions"]]}


class ErrorBetweenMetadata(_RefusesOnce, about="MetadataRequest", action="consume"):
    """Refuses the first Fetch as no leader, and then has an error that passes in Metadata."""

    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}
    refused = False

    def check_partition(self, topic: Topic, index: int) -> None:
        """Refuse the first request with NOT_LEADER_OR_FOLLOWER. Raises Refused."""
        super().check_partition(topic, index)
        if not self.refused:
            self.refused = True
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)

    def body(self, form: Form, body: Value) -> Value:
        """Return the answer, changed after the first Fetch."""
        return super().body(form, body) if self.refused else body

    def changed(self, body: Value) -> Value:
        """Return the topics with LEADER_NOT_AVAILABLE and their partitions."""
        code = error_codes.LEADER_NOT_AVAILABLE
        return {**body, "topics": [{**each, "errorCode": code} for each in body["topics"]]}


class ErrorBesideMorePartitions(ErrorBetweenMetadata):
    """Refuses the first Fetch so, and then has in Metadata an error and one more partition."""

    def changed(self, body: Value) -> Value:
        found = super().changed(body)
        return {**found, "topics": [_grown(each) for each in found["topics"]]}


class ErrorBetweenMetadataToWrite(_EmptyOnce, about="MetadataRequest", action="idempotent"):
    """Refuses the first of two Produce as no leader, and then does not know the topic once."""

    array = "topics"
    code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}
    refused = False

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        """Refuse the first request with NOT_LEADER_OR_FOLLOWER. Raises Refused."""
        if not self.refused:
            self.refused = True
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)
        return super().topic_to_write(request, item)

    def body(self, form: Form, body: Value) -> Value:
        """Return the answer, changed after the first Produce."""
        return super().body(form, body) if self.refused else body


def _grown(topic: Value) -> Value:
    more = [{**each, "partitionIndex": 5, "leaderEpoch": 9} for each in topic["partitions"]]
    return {**topic, "partitions": [*topic["partitions"], *more]}
