"""AlterClientQuotas and DescribeClientQuotas, and a client's throttle time (KIP-546).

Quotas are stored by their entity, and one of them has an effect: a client id that may use next to
none of the broker's time gets a throttle time. The broker itself delays no answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance import error_codes
from conformance.reference.broker.admin.access import ALTER_CONFIGS, DESCRIBE_CONFIGS, Access
from conformance.reference.broker.cluster import MAX_CONFIGURED, Entity, Request, Value
from conformance.reference.broker.errors import Refused

TYPES = frozenset({"user", "client-id", "ip"})
SHARE = "request_percentage"
KEYS = frozenset(
    {
        SHARE,
        "producer_byte_rate",
        "consumer_byte_rate",
        "controller_mutation_rate",
        "connection_creation_rate",
    }
)
LITTLE = 0.01
"""The percentage of the broker's time that any request is counted as."""
THROTTLE_MS = 1000


class Quotas(Access):
    """The handlers of both requests, and the throttle time."""

    def describe_client_quotas(self, request: Request) -> Value:
        """Return the quotas of all entities that the components match, or an error."""
        answer = {"throttleTimeMs": 0, "errorCode": error_codes.NONE, "errorMessage": None}
        try:
            if not self.may_cluster(request, DESCRIBE_CONFIGS):
                raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")
            return {**answer, "entries": list(self.quotas_found(request.value))}
        except Refused as refused:
            told = {"errorCode": refused.code, "errorMessage": refused.message}
            return {**answer, **told, "entries": None}

    def quotas_found(self, asked: Value) -> Iterator[Value]:
        """Yield entries for entities that all components match; if strict, with no other types."""
        wanted = {each["entityType"]: each for each in asked["components"]}
        if len(wanted) < len(asked["components"]) or not wanted.keys() <= TYPES:
            raise Refused(
                error_codes.INVALID_REQUEST, "A component has no type, or that of another."
            )
        for entity, values in self.quotas.items():
            names = dict(entity)
            is_more = asked["strict"] and names.keys() != wanted.keys()
            if not is_more and all(_matches(each, names) for each in wanted.values()):
                quotas = [{"key": key, "value": value} for key, value in values.items()]
                yield {"entity": _entity_values(entity), "values": quotas}

    def alter_client_quotas(self, request: Request) -> Value:
        """Return one result for each entry, in order."""
        is_tried = request.value["validateOnly"]
        results = [self.quota_altered(request, item, is_tried) for item in request.value["entries"]]
        return {"throttleTimeMs": 0, "entries": results}

    def quota_altered(self, request: Request, item: Value, is_tried: bool) -> Value:
        """Return the result of one entry, whose operations are all done or none."""
        result = {"errorCode": error_codes.NONE, "errorMessage": None, "entity": item["entity"]}
        try:
            if not self.may_cluster(request, ALTER_CONFIGS):
                raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")
            entity = _entity(item["entity"])
            values = _changed(self.quotas.get(entity, {}), item["ops"])
            if entity not in self.quotas and len(self.quotas) >= MAX_CONFIGURED:
                raise Refused(error_codes.POLICY_VIOLATION, "Too many have quotas.")
        except Refused as refused:
            return {**result, "errorCode": refused.code, "errorMessage": refused.message}
        if not is_tried:
            self.quotas.pop(entity, None)
            self.quotas |= {entity: values} if values else {}
        return result

    def throttled(self, request: Request, body: Value) -> Value:
        """Return an answer with the throttle time of the client that asked."""
        mine = frozenset({("client-id", request.header.get("clientId"))})
        is_broken = self.quotas.get(mine, {}).get(SHARE, LITTLE) < LITTLE
        return {**body, "throttleTimeMs": THROTTLE_MS} if is_broken else body


def _entity(given: list[Value]) -> Entity:
    """Return the entity that a quota is for. Raises Refused."""
    entity = frozenset((each["entityType"], each["entityName"]) for each in given)
    types = {kind for kind, _ in entity}
    if not types or len(types) < len(given) or not types <= TYPES:
        raise Refused(
            error_codes.INVALID_REQUEST, "An entity has types of users, client ids and IPs."
        )
    return entity


def _changed(values: dict[str, float], ops: list[Value]) -> dict[str, float]:
    """Return the quotas after some operations. Raises Refused."""
    found = dict(values)
    for each in ops:
        value = float(each["value"])
        if each["key"] not in KEYS or not (each["remove"] or 0 < value < math.inf):
            raise Refused(error_codes.INVALID_REQUEST, "There is no such quota.")
        found.pop(each["key"], None)
        found |= {} if each["remove"] else {each["key"]: value}
    return found


def _matches(component: Value, names: dict[str, str | None]) -> bool:
    """True if a component matches an entity with these names by type."""
    kind = component["entityType"]
    if kind not in names:
        return False
    match component["matchType"]:
        case 0:  # exactly that name
            return bool(names[kind] == component["match"])
        case 1:  # entities without a quota of their own
            return names[kind] is None
        case 2:  # any name
            return names[kind] is not None
    raise Refused(error_codes.INVALID_REQUEST, "There is no such way to match.")


def _entity_values(entity: Entity) -> list[Value]:
    return [{"entityType": kind, "entityName": name} for kind, name in sorted(entity, key=str)]
