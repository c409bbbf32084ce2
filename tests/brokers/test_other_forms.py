"""An answer in another form than was asked for is named by the form that it has."""

from __future__ import annotations

import pytest

from conformance.brokers.dialogues.other_forms import other_form
from conformance.reference.codec import ReferenceCodec

CODEC = ReferenceCodec()
LIST_GROUPS = "ListGroupsResponse"


def answer(version: int, number: int = 7) -> bytes:
    value = CODEC.form(LIST_GROUPS, version).layout.default_value()
    return CODEC.encode_response(LIST_GROUPS, version, {"correlationId": number}, value)


def test_one_in_another_version_is_named_by_that():
    found = other_form(CODEC, LIST_GROUPS, 0, answer(1))
    assert found == "it is a whole ListGroupsResponse v1 to v2, and v0 was asked for"


@pytest.mark.parametrize(("version", "header"), [(0, 4), (4, 5)])
def test_one_with_its_correlation_id_twice_is_no_other_version(version: int, header: int):
    """Read as version 1, the second would be a throttle time."""
    once = answer(version)
    twice = once[:header] + once[:4] + once[header:]
    found = other_form(CODEC, LIST_GROUPS, version, twice)
    assert found == f"it is a whole {LIST_GROUPS} v{version} but for a second correlation id"


def test_a_whole_one_is_in_no_other_form():
    assert not other_form(CODEC, LIST_GROUPS, 0, answer(0))
