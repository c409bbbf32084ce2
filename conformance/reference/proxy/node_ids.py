"""Ids of brokers, wherever a message has them.

They are in fields that its definition marks as such ids, and in the names of brokers whose configs
are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from conformance.schema.layout import json_name
from conformance.schema.model import Field, Type
from conformance.schema.releases import definitions

Value = dict[str, Any]
Change = Callable[[int], int]
BROKER_ID = "brokerId"
_OF_BROKERS = (4, 8)
"""The types of config resources that are brokers: BROKER and BROKER_LOGGER."""
_OF_FOLLOWERS = "ReplicaId"
"""The field with the sender's id in requests of brokers to each other; clients have -1 there."""


def renumbered(message: str, value: Value, change: Change) -> Value:
    """Return a message with changed ids of brokers; negative ones mean no broker, and stay."""
    if not has_nodes(message):
        return value
    is_request = message.endswith("Request")
    return _struct(definitions()[message].fields, value, change, is_request=is_request)


def nodes_in(message: str, value: Value) -> list[int]:
    """Return the ids of brokers that a message names."""
    found: list[int] = []

    def keep(node: int) -> int:
        found.append(node)
        return node

    renumbered(message, value, keep)
    return found


def names_follower(value: Any) -> bool:
    """True if a request is one of a broker, which names itself by its id."""
    replica = value.get("replicaState", value).get("replicaId", -1)
    return bool(replica >= 0)


@cache
def has_nodes(message: str) -> bool:
    """True if a message may name brokers by their ids."""
    return _has_nodes(definitions()[message].fields)


def _has_nodes(fields: tuple[Field, ...]) -> bool:
    return any(
        item.entity_type == BROKER_ID
        or item.name == "ResourceName"
        or _has_nodes(_innermost(item.type).fields)
        for item in fields
    )


def _innermost(type_: Type) -> Type:
    return type_ if type_.element is None else _innermost(type_.element)


def _struct(fields: tuple[Field, ...], value: Value, change: Change, *, is_request: bool) -> Value:
    found = dict(value)
    for item in fields:
        name = json_name(item.name)
        if value.get(name) is not None and not (is_request and item.name == _OF_FOLLOWERS):
            found[name] = _field(item, item.type, value[name], change, is_request=is_request)
    resource = found.get("resourceName") or ""
    if found.get("resourceType") in _OF_BROKERS and resource.isdigit():
        found["resourceName"] = str(change(int(resource)))
    return found


def _field(item: Field, type_: Type, value: Any, change: Change, *, is_request: bool) -> Any:
    if type_.element is not None:
        return [_field(item, type_.element, each, change, is_request=is_request) for each in value]
    if type_.fields and value is not None:
        return _struct(type_.fields, value, change, is_request=is_request)
    return change(value) if item.entity_type == BROKER_ID and value >= 0 else value
