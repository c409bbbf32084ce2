"""What tests with hostile input share: varied messages, and outcomes to compare."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

from conformance.codecs.cases.plan import Plan, plan
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form
from conformance.schema.releases import wire_forms
from conformance.wire.errors import DecodeError, EncodeError

MESSAGES = [
    ("MetadataRequest", 12),
    ("MetadataResponse", 8),
    ("FetchRequest", 17),
    ("FetchResponse", 16),
    ("ProduceRequest", 3),
    ("ApiVersionsResponse", 3),
    ("CreateTopicsRequest", 7),
    ("AlterClientQuotasRequest", 1),
    ("ConsumerGroupHeartbeatResponse", 1),
    ("ConsumerGroupMemberMetadataValue", 0),
    ("ConsumerProtocolSubscription", 3),
    ("OffsetCommitValue", 4),
    ("ListGroupsRequest", 0),
    ("ListGroupsRequest", 3),
]
SHAPES = ("filled", "two", "tagged-all", "unknown-tag", "unknown-tag-in-array")
SEEDS: list[tuple[Form, Plan]] = [
    (form, item)
    for name, version in MESSAGES
    for form in wire_forms(name)[version]
    for item in plan(form)
    if item.shape in SHAPES
]


def examples(count: int) -> settings:
    """The same examples on every machine, however slow it is."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def within(error: DecodeError, data: bytes) -> bool:
    """Whether an error points into the bytes, or at their end."""
    return 0 <= error.offset <= len(data)


def reading(codec: PlainCodec, form: Form, data: bytes) -> tuple[Any, ...]:
    """The value and where it ends, or the error with its place and text."""
    try:
        return codec.read(form, data)
    except DecodeError as error:
        return type(error), error.offset, error.path, error.reason, within(error, data)


def writing(codec: PlainCodec, form: Form, value: Any) -> bytes | tuple[str, str]:
    """The bytes, or the error's place and text."""
    try:
        return codec.write(form, value)
    except EncodeError as error:
        return error.path, error.reason
