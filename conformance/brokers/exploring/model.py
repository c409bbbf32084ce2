"""The model of a conversation: the reference broker, with ids that come out the same each time."""

from __future__ import annotations

import base64
from types import MappingProxyType
from typing import Any

from conformance.brokers.dialogues.talk import Facts, api_keys
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES, Ranges
from conformance.schema.releases import definitions


class Model(Broker):
    """The reference broker, which keeps everything, and whose ids are numbers that count up."""

    ids = 0
    listed: Ranges = MappingProxyType({})
    """The versions that the target lists, and this one lists as well."""

    def advertised(self, version: int) -> list[Value]:
        """Return what the target has listed first: each answer has to say the same."""
        del version
        return [
            {"apiKey": key, "minVersion": low, "maxVersion": high}
            for key, (low, high) in sorted(self.listed.items())
        ]

    def new_topic_id(self) -> str:
        """Return the next id in the JSON form of a uuid."""
        self.ids += 1
        return uuid_text(self.ids.to_bytes(16, "big"))


def uuid_text(data: bytes) -> str:
    """Return a uuid of 16 bytes in its JSON form."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def model_of(facts: Facts, settings: dict[str, Any]) -> Model:
    """Return a model that serves what the target advertises, as far as the model implements it."""
    kept: dict[str, Any] = {"keeps_logs": True, "keeps_offsets": True, "keeps_groups": True}
    model = Model(_ranges(facts), **{**kept, **settings})
    model.listed = facts.advertised
    model.reads = model.writes = facts.codec  # which has compiled the forms already
    return model


def _ranges(facts: Facts) -> Ranges:
    """Return the versions that target and model have in common, by api key."""
    newest = definitions()
    found = {}
    for key, api in NAMES.items():
        if api not in api_keys() or not facts.has(api):
            continue
        valid = newest[f"{api}Request"].valid
        low, high = facts.range_of(api)
        low, high = max(low, valid.low), min(high, valid.high)
        if low <= high:
            found[key] = (low, high)
    return found
