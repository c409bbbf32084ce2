"""decode, encode, explain and vectors."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import Vector, api, decode, encode, explain, strategies, vector_params, vectors
from conformance.errors import ConformanceError
from conformance.schema.releases import UnknownDefinition
from conformance.wire.errors import DecodeError, EncodeError


def test_the_examples_are_true() -> None:
    result = doctest.testmod(api)
    assert result.attempted > 8
    assert result.failed == 0


@pytest.mark.parametrize("vector", vector_params("MetadataResponse", versions=range(9, 13)))
def test_vectors_are_read_and_written(vector: Vector) -> None:
    value = decode(vector.message, vector.version, vector.data)
    assert value == vector.value
    assert encode(vector.message, vector.version, value) == vector.data


def test_frames_are_vectors_of_their_own() -> None:
    frames = [*vectors("MetadataRequest", versions=[12], frames=True)]
    assert {vector.header for vector in frames} == {2}
    for vector in frames:
        assert "MetadataRequest v12" in explain(vector.data).title


def test_malformed_bytes_are_an_error_with_offset_and_field() -> None:
    with pytest.raises(DecodeError) as caught:
        decode("MetadataRequest", 1, b"\x00\x00\x00\x01\x00\x06or")
    assert (caught.value.offset, caught.value.path) == (4, "topics[0].name")


def test_bytes_left_over_are_an_error() -> None:
    with pytest.raises(DecodeError, match="2 bytes after the last field"):
        decode("MetadataRequest", 1, b"\xff\xff\xff\xff??")


def test_a_value_of_no_bytes_is_an_error() -> None:
    with pytest.raises(EncodeError):
        encode("MetadataRequest", 1, {"topics": 3})


def test_a_version_that_nobody_has_is_an_error() -> None:
    with pytest.raises(UnknownDefinition):
        decode("MetadataRequest", 99, b"")


def test_a_request_explains_itself() -> None:
    frame = bytes.fromhex("00120003000000070001780006626c61636b023100")
    explained = explain(frame)
    assert "ApiVersionsRequest v3" in explained.title
    assert b"".join(row.data for row in explained.rows) == frame
    assert str(explained).splitlines()[0] == explained.title


def test_what_is_explained_says_what_it_is_of() -> None:
    with pytest.raises(ConformanceError, match="no version"):
        explain(b"", "MetadataResponse", kind="body")


@settings(max_examples=20, deadline=None)
@given(strategies.bodies("MetadataResponse", 12), st.data())
def test_strategies_are_at_hand(data: bytes, drawn: st.DataObject) -> None:
    assert encode("MetadataResponse", 12, decode("MetadataResponse", 12, data)) == data


def test_vectors_are_chosen_by_version_and_rule() -> None:
    found = vectors("MetadataRequest", versions=[1], rules=["primitives.null-*"])
    assert {vector.version for vector in found} == {1}
    assert all(
        any(rule.startswith("primitives.null-") for rule in vector.covers) for vector in found
    )


@pytest.mark.parametrize(
    ("message", "more", "said"),
    [
        ("MetadataRequst", {}, "did you mean 'MetadataRequest'"),
        ("MetadataRequest", {"versions": [99]}, "no vector of MetadataRequest"),
        ("MetadataRequest", {"rules": ["nothing.*"]}, "no rule matches"),
    ],
)
def test_nothing_is_no_answer(message: str, more: dict[str, list[str]], said: str) -> None:
    with pytest.raises(ConformanceError, match=said):
        vectors(message, **more)  # type: ignore[arg-type]
