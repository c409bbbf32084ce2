"""Plans ask what they say, of every form."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from conformance.codecs.cases.plan import plan, structs
from conformance.schema.layout import Form, Layout
from conformance.schema.releases import message_names, wire_forms


def all_forms() -> list[Form]:
    return [
        form for name in message_names() for found in wire_forms(name).values() for form in found
    ]


def test_plans_of_a_form_have_names_of_their_own() -> None:
    for form in all_forms():
        names = Counter(item.name for item in plan(form))
        assert max(names.values()) == 1, (form.message, form.version, names.most_common(1))


def test_plans_are_the_same_each_time() -> None:
    (form, *_) = wire_forms("FetchRequest")[17]

    assert list(plan(form)) == list(plan(form))


def test_plans_share_no_value_with_each_other() -> None:
    (form, *_) = wire_forms("MetadataResponse")[12]
    plans = list(plan(form))
    spoiled = plans[0].value
    before = [repr(item.value) for item in plans[1:]]

    for key in list(spoiled):
        spoiled[key] = "spoiled"

    assert [repr(item.value) for item in plans[1:]] == before


def assert_filled(layout: Layout, value: dict[str, Any], path: str) -> None:
    for item in layout.fields:
        given = value[item.name]
        assert given != item.default, f"{path}.{item.name}"
        inner = item.type.element or item.type
        if inner.struct is not None:
            for struct in given if isinstance(given, list) else [given]:
                assert_filled(inner.struct, struct, f"{path}.{item.name}")


def test_filled_message_has_no_field_at_its_default() -> None:
    for form in all_forms():
        filled = next(item for item in plan(form) if item.shape == "filled")
        assert_filled(form.layout, filled.value, f"{form.message} v{form.version}")


def test_every_nullable_field_is_null_in_a_plan_of_its_own() -> None:
    (form, *_) = wire_forms("MetadataRequest")[12]

    assert {item.about for item in plan(form) if item.shape == "null"} == {"topics", "topics.name"}


@pytest.mark.parametrize("shape", ["tagged", "unknown-tag"])
def test_version_without_tag_sections_has_no_plans_for_tags(shape: str) -> None:
    for form in all_forms():
        if not form.flexible:
            assert all(not item.shape.startswith(shape) for item in plan(form))


def test_structs_are_found_in_plain_and_tagged_fields() -> None:
    (form, *_) = wire_forms("FetchRequest")[17]

    assert [place.path for place in structs(form.layout)] == [
        "",
        "topics",
        "topics.partitions",
        "forgottenTopicsData",
        "replicaState",
    ]
