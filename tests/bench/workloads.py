"""The messages that codecs are timed on, as values: sizes that real clusters send."""

from __future__ import annotations

from typing import Any

from conformance.codecs.cases.values.fill import Filler
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Layout

RELEASE = "4.3.1"
"""The definitions that the peers follow."""


def workloads(codec: ReferenceCodec) -> dict[tuple[str, int], dict[str, Any]]:
    """A value for each message and version, in the JSON form."""
    return {
        ("MetadataResponse", 12): _metadata(codec),
        ("ApiVersionsResponse", 3): _api_versions(codec),
        ("CreateTopicsRequest", 7): _filled(codec, "CreateTopicsRequest", 7, 3),
        ("FindCoordinatorResponse", 4): _filled(codec, "FindCoordinatorResponse", 4, 5),
        ("ProduceRequest", 9): _filled(codec, "ProduceRequest", 9, 3),
        ("FetchResponse", 12): _filled(codec, "FetchResponse", 12, 3),
    }


def _filled(codec: ReferenceCodec, message: str, version: int, elements: int) -> dict[str, Any]:
    return Filler(elements=elements).struct(codec.form(message, version).layout)


def _metadata(codec: ReferenceCodec) -> dict[str, Any]:
    """150 topics of three partitions, about 30 KB."""
    layout = codec.form("MetadataResponse", 12).layout
    value = Filler(elements=3).struct(layout)
    topic = _element(layout, "topics")
    value["topics"] = [Filler(elements=3).struct(topic, f".topics[{n}]") for n in range(150)]
    return value


def _api_versions(codec: ReferenceCodec) -> dict[str, Any]:
    """60 api keys, as a broker has them."""
    value = Filler().struct(codec.form("ApiVersionsResponse", 3).layout)
    value["errorCode"] = 0
    value["apiKeys"] = [
        {"apiKey": key, "minVersion": 0, "maxVersion": key % 13} for key in range(60)
    ]
    return value


def _element(layout: Layout, name: str) -> Layout:
    return next(item for item in layout.fields if item.name == name).type.item.layout
