"""Whatever the bytes: a value, or a DecodeError, and both readers say the same."""

from __future__ import annotations

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from conformance.reference.codec import Compiled, PlainCodec, ReferenceCodec, load_compiled
from conformance.schema.layout import Form
from conformance.schema.releases import message_names, whole_releases, wire_forms
from conformance.wire.errors import DecodeError
from tests.reference.hostile import SEEDS, examples, reading, within

plain, reference = PlainCodec(), ReferenceCodec()

FORMS = [form for name in message_names() for found in wire_forms(name).values() for form in found]
RESPONSES = [
    form
    for form in FORMS
    if form.type == "response" and form.version in reference.versions(form.message)
]
FAST = {id(form): load_compiled(form) for form, _ in SEEDS}
RELEASES = (*whole_releases(), "2.8.2")
CODECS = {release: ReferenceCodec(release) for release in RELEASES}

Edit = tuple[str, int, int]
edits = st.lists(
    st.tuples(
        st.sampled_from(["set", "flip", "insert", "delete"]),
        st.integers(0, 10_000),
        st.integers(0, 255),
    ),
    min_size=1,
    max_size=4,
)
frames = st.binary(max_size=40) | st.builds(
    lambda key, version, rest: bytes([0, key, 0, version]) + rest,
    st.integers(0, 100),
    st.integers(0, 20),
    st.binary(max_size=30),
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Form, Compiled, bytes]:
    """A message with a few bytes changed, lost or added."""
    form, item = draw(st.sampled_from(SEEDS))
    return form, FAST[id(form)], mutated(plain.write(form, item.value), draw(edits))


def mutated(data: bytes, changes: list[Edit]) -> bytes:
    out = bytearray(data)
    for what, where, byte in changes:
        offset = where % (len(out) + 1)
        if what == "insert":
            out.insert(offset, byte)
        elif offset < len(out):
            if what == "delete":
                del out[offset]
            else:
                out[offset] = byte if what == "set" else out[offset] ^ 1 << byte % 8
    return bytes(out)


@examples(1500)
@given(damaged())
def test_damaged_message_is_the_same_to_both_readers(
    seed: tuple[Form, Compiled, bytes],
) -> None:
    form, fast, data = seed

    expected = reading(plain, form, data)

    assert reading(reference, form, data) == expected
    try:
        found = fast.decode(data, 0)
    except Exception:
        assert len(expected) > 2, "generated code refuses what is right"
    else:
        assert found == expected


@examples(600)
@given(damaged())
def test_whatever_is_read_can_be_written_and_read_again(
    seed: tuple[Form, Compiled, bytes],
) -> None:
    form, _, data = seed
    try:
        value, end = reference.read(form, data)
    except DecodeError:
        reject()

    again = reference.write(form, value)

    assert len(again) <= end
    assert reference.write(form, reference.read(form, again)[0]) == again


@examples(600)
@given(st.sampled_from(FORMS), st.binary(max_size=60))
def test_random_bytes_are_the_same_to_both_readers(form: Form, data: bytes) -> None:
    assert reading(reference, form, data) == reading(plain, form, data)


@pytest.mark.parametrize("release", RELEASES)
@examples(300)
@example(b"\x00\x4e\x00\x00" + bytes(20))  # ShareFetch v0 was unstable, and is gone
@example(b"\x00\x16\x00\x06" + bytes(20))  # InitProducerId v6 is unstable in the newest
@example(b"")
@given(frames)
def test_request_frame_is_read_or_refused(release: str, data: bytes) -> None:
    try:
        _, _, remaining = CODECS[release].decode_request(data)
    except DecodeError as error:
        assert within(error, data)  # noqa: PT017
    else:
        assert 0 <= remaining <= len(data)


@examples(300)
@given(st.sampled_from(RESPONSES), frames)
def test_response_frame_is_read_or_refused(form: Form, data: bytes) -> None:
    try:
        *_, remaining, version = reference.decode_response(form.message, form.version, data)
    except DecodeError as error:
        assert within(error, data)  # noqa: PT017
    else:
        assert 0 <= remaining <= len(data)
        assert version in (form.version, 0)
