"""A malformed request is told by the place where its client went wrong, not where reading ends."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.requests.mistakes import (
    mistake_in,
    with_tags,
    without_field,
    without_tags,
)
from conformance.clients.score import meet
from conformance.dialogue import Broken
from conformance.reference.codec import PlainCodec
from conformance.schema.filling import filled
from conformance.schema.layout import Form

CODEC = PlainCodec()
CONFIGS = [{"name": f"c{number}", "value": str(number)} for number in range(2)]


def altering(*configs: int) -> tuple[Form, dict[str, Any]]:
    form = CODEC.form("AlterConfigsRequest", 2)
    resources = [
        {"resourceType": 4, "resourceName": "1", "configs": CONFIGS[:number]} for number in configs
    ]
    return form, filled(form.layout, {"resources": resources})


def written(form: Form, value: Any, changes: Any, place: str) -> bytes:
    """The bytes of a client that has another layout at one place."""
    [layout] = [layout for where, layout in changes(form.layout) if where == place]
    writer = CODEC.writer()
    writer.struct(layout, value)
    return bytes(writer.out)


def test_a_tag_section_that_each_entry_lacks_is_named_where_it_is() -> None:
    form, value = altering(2)
    data = written(form, value, without_tags, "resources[0].configs[0]._tags")
    assert mistake_in(form, data, 0) == "resources[0].configs[0]._tags is missing"


def test_where_several_may_be_missing_the_innermost_is_named_first() -> None:
    form, value = altering(1)
    data = written(form, value, without_tags, "resources[0].configs[0]._tags")
    assert mistake_in(form, data, 0) == (
        "resources[0].configs[0]._tags, resources[0]._tags or _tags is missing"
    )


def test_a_tag_section_in_a_version_that_has_none_is_named() -> None:
    form = CODEC.form("MetadataRequest", 8)
    value = filled(form.layout, {"topics": [{"name": "alpha"}, {"name": "beta"}]})
    data = written(form, value, with_tags, "topics[0]._tags")
    assert mistake_in(form, data, 0) == "topics[0]._tags stands there, and this version has none"


def test_a_field_that_is_missing_is_named() -> None:
    form = CODEC.form("HeartbeatRequest", 1)
    value = {"groupId": "g", "memberId": "m"}
    data = written(form, value, without_field, "generationId")
    assert mistake_in(form, data, 0) == "generationId is missing"


def test_a_body_of_another_version_is_told_as_that() -> None:
    newer = CODEC.form("HeartbeatRequest", 3)
    value = filled(newer.layout, {"groupId": "g", "memberId": "m", "groupInstanceId": "i"})
    data = CODEC.write(newer, value)
    assert mistake_in(CODEC.form("HeartbeatRequest", 1), data, 0) == "it is written as v3"


def test_bytes_that_fit_no_field_are_no_tag_of_another_version() -> None:
    form = CODEC.form("MetadataRequest", 13)  # v10 could take the last three for a tag
    assert mistake_in(form, bytes.fromhex("00000000010000"), 0) == "it is written as v8"


def test_what_no_form_explains_is_left_to_the_reader() -> None:
    assert mistake_in(CODEC.form("HeartbeatRequest", 1), b"\xff" * 9, 0) == ""


@pytest.mark.parametrize("name", ["OneOfAlterConfigs", "AlterConfigsInV2"])
def test_a_client_that_leaves_a_tag_section_out_is_told_where(name: str) -> None:
    visit = meet(client_mutants()["NoTagsInConfigs"](), scenarios()[name])
    with pytest.raises(Broken, match=r"AlterConfigs v2: resources\[0\]\.configs\[0\]\._tags"):
        ALWAYS["client-requests.readable"](visit)
