"""A message that ends early is refused at every byte, and never beyond its end."""

from __future__ import annotations

import pytest

from conformance.codecs.cases.plan import plan
from tests.wire.codec import form_of, read, refusal, write

MESSAGES = [
    ("MetadataRequest", 0),
    ("MetadataResponse", 12),
    ("ProduceRequest", 3),
    ("ProduceResponse", 10),
    ("FetchRequest", 17),
    ("FetchResponse", 16),
    ("ApiVersionsResponse", 3),
    ("CreateTopicsRequest", 7),
    ("AlterClientQuotasRequest", 1),
    ("ConsumerGroupHeartbeatResponse", 1),
    ("DescribeTopicPartitionsResponse", 0),
    ("JoinGroupRequest", 9),
    ("RequestHeader", 2),
    ("ConsumerProtocolSubscription", 3),
    ("ConsumerGroupMemberMetadataValue", 0),
    ("FeatureLevelRecord", 0),
]


SHAPES = {"defaults", "filled", "tagged-all", "unknown-tag"}


@pytest.mark.parametrize(("message", "version"), MESSAGES)
def test_every_truncation_is_refused(message: str, version: int) -> None:
    form = form_of(message, version)
    items = [item for item in plan(form) if item.shape in SHAPES]
    assert {item.shape for item in items} >= {"defaults", "filled"}
    assert form.flexible == ("unknown-tag" in {item.shape for item in items})
    for item in items:
        data = write(form, item.value)
        for length in range(len(data)):
            error = refusal(form, data[:length])
            assert 0 <= error.offset <= length


@pytest.mark.parametrize(("message", "version"), MESSAGES)
def test_whole_message_is_accepted(message: str, version: int) -> None:
    form = form_of(message, version)
    for item in plan(form):
        data = write(form, item.value)
        assert read(form, data)[1] == len(data)
