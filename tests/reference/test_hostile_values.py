"""Whatever the value: bytes, or an EncodeError, and both writers say the same."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given, reject
from hypothesis import strategies as st

from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.schema.layout import Form
from conformance.wire.errors import EncodeError
from tests.reference.hostile import SEEDS, examples, writing

plain, reference = PlainCodec(), ReferenceCodec()

scalars = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, -1, 128, -32769, 2**31, 2**63, -(2**63) - 1, 10**400])
    | st.sampled_from([0.0, -0.0, 1.5, 1e308, float("inf"), float("nan")])
    | st.sampled_from(["", "7", "-1", "AAAA", "A" * 22, "NaN", "\ud800", "x" * 32768])
    | st.text(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tag", "bytes", "name", "_unknownTaggedFields"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index of it."""
    found = []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[Form, Any]:
    """A message with one or two values in it replaced, removed or added."""
    form, item = draw(st.sampled_from(SEEDS))
    value = deepcopy(item.value)
    for _ in range(draw(st.integers(0, 2))):
        spots = places(value)
        if not spots:
            break
        holder, key = draw(st.sampled_from(spots))
        what = draw(st.sampled_from(["replace", "remove", "add"]))
        if what == "replace":
            holder[key] = draw(values)
        elif what == "remove":
            del holder[key]
        elif isinstance(holder, dict):
            names = [item.name for item in (*form.layout.tagged, *form.layout.absent)]
            holder[draw(st.sampled_from([*names, "_unknownTaggedFields", "x"]))] = draw(values)
    return form, value


@examples(1000)
@given(spoiled())
def test_spoiled_value_is_the_same_to_both_writers(spoilt: tuple[Form, Any]) -> None:
    form, value = spoilt

    assert writing(reference, form, value) == writing(plain, form, value)


@examples(300)
@given(st.sampled_from(SEEDS), values)
def test_any_value_for_a_message_is_the_same_to_both_writers(
    seed: tuple[Form, Any], value: Any
) -> None:
    form, _ = seed

    assert writing(reference, form, value) == writing(plain, form, value)


@examples(300)
@given(values)
def test_any_header_is_written_or_refused(header: Any) -> None:
    for codec in (plain, reference):
        try:
            codec.encode_request("FindCoordinatorRequest", 0, header, {"key": "g"})
        except EncodeError:
            continue


@examples(1000)
@given(spoiled())
def test_what_is_written_is_read_back_whole(spoilt: tuple[Form, Any]) -> None:
    form, value = spoilt
    try:
        data = reference.write(form, value)
    except EncodeError:
        reject()

    read, end = reference.read(form, data)

    assert end == len(data)
    assert reference.write(form, read) == data
