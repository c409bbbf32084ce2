"""Answers with null in all fields that may be null, and with values where null is usual."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import DESCRIBE_LOG_DIRS
from conformance.clients.scenarios.actions import ADMINISTERED, Action
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form, Layout, WireField, WireType

CONFIGS_SINCE = 5
"""The first version of CreateTopics that returns a topic's configs."""
KEPT = frozenset({"name", "records", "host", "protocolName"})
"""Fields without which there is nothing to be had."""
_PLACES: dict[int, Action] = {
    3: "topics",
    10: "groups",
    15: "groups",
    0: "produce",
    1: "consume",
    9: "join",
    11: "join",
    14: "join",
    **{key: action for key, action in ADMINISTERED.items() if key != DESCRIBE_LOG_DIRS},
}


def with_nulls(layout: Layout, value: Value) -> Value:
    """A struct in which every field that may be null is, but those that are needed."""
    by_name = {item.name: item for item in layout.fields}
    return {
        name: _nulled(by_name[name], given) if name in by_name else given
        for name, given in value.items()
    }


def _nulled(item: WireField, given: Any) -> Any:
    if item.type.nullable and item.name not in KEPT:
        return None
    return _inside(item.type, given)


def _inside(type_: WireType, given: Any) -> Any:
    if given is None:
        return None
    if type_.struct is not None:
        return with_nulls(type_.struct, given)
    if type_.element is not None and type_.element.struct is not None:
        return [with_nulls(type_.element.struct, each) for each in given]
    return given


class _Nulls(Rewrites):
    """Answers one API with all the nulls that it may have."""

    def body(self, form: Form, body: Value) -> Value:
        return with_nulls(form.layout, body)


for _key, _action in _PLACES.items():
    _api = NAMES[_key]
    _Nulls.variant(
        f"NullsIn{_api}",
        f"Answers {_api} with null in every field that may be null.",
        about=f"{_api}Request",
        action=_action,
        decides={"client-answers.nulls-read": succeeds},
    )


class NullsInCreateTopics(Rewrites, about="CreateTopicsRequest", action="create"):
    """Answers CreateTopics with null configs, which the client may not see, and a null message."""

    decides: ClassVar = {"client-answers.nulls-read": succeeds}

    def body(self, form: Form, body: Value) -> Value:
        """Return the answer to a client that may create a topic, not describe configs (KIP-525)."""
        return {**body, "topics": [self._hidden(form, each) for each in body["topics"]]}

    def _hidden(self, form: Form, topic: Value) -> Value:
        if form.version < CONFIGS_SINCE:
            return {**topic, "errorMessage": None}
        hidden = {"configs": None, "numPartitions": -1, "replicationFactor": -1}
        code = {"topicConfigErrorCode": error_codes.TOPIC_AUTHORIZATION_FAILED}
        return {**topic, "errorMessage": None, **hidden, **code}


class EverythingInMetadata(Rewrites, about="MetadataRequest"):
    """Answers Metadata with a rack, authorized operations and a replica that is offline."""

    decides: ClassVar = {"client-answers.optional-values-read": succeeds}

    def body(self, form: Form, body: Value) -> Value:
        """Return the answer with unusual values, as far as the version has fields for them."""
        changed: Value = {**body, "brokers": [self._racked(form, each) for each in body["brokers"]]}
        if 8 <= form.version <= 10:
            changed["clusterAuthorizedOperations"] = 0x1FF8
        changed["topics"] = [self._offline_topic(form, each) for each in body["topics"]]
        return changed

    def _racked(self, form: Form, broker: Value) -> Value:
        return {**broker, "rack": "rack 1, \u00e4\u20ac"} if form.version >= 1 else broker

    def _offline_topic(self, form: Form, topic: Value) -> Value:
        partitions = [self._offline(form, each) for each in topic["partitions"]]
        operations = {"topicAuthorizedOperations": 0x0DF8} if form.version >= 8 else {}
        return {**topic, **operations, "partitions": partitions}

    def _offline(self, form: Form, partition: Value) -> Value:
        if form.version < 5:
            return partition
        return {**partition, "replicaNodes": [1, 77], "offlineReplicas": [77]}


class MessagesInAnswers(Rewrites, about="FindCoordinatorRequest", action="groups"):
    """Answers FindCoordinator with a text beside error code 0."""

    decides: ClassVar = {"client-answers.optional-values-read": succeeds}

    def body(self, form: Form, body: Value) -> Value:
        text = {"errorMessage": "all is well"}
        if form.version >= 4:
            return {**body, "coordinators": [{**each, **text} for each in body["coordinators"]]}
        return {**body, **text} if form.version else body
