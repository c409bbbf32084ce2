"""The JSON form of what JSON lacks: bytes, uuids, special floats."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.text import (
    bytes_to_text,
    float_to_text,
    text_to_bytes,
    text_to_float,
    text_to_uuid,
    uuid_to_text,
)


def test_bytes_are_padded_base64_of_the_standard_alphabet() -> None:
    assert bytes_to_text(b"\xfb\xff\xfe\x01") == "+//+AQ=="
    assert bytes_to_text(b"") == ""


def test_uuid_is_22_letters_of_the_alphabet_for_urls() -> None:
    assert uuid_to_text(b"\xfb" * 16) == "-_v7-_v7-_v7-_v7-_v7-w"
    assert uuid_to_text(bytes(16)) == "A" * 22


@pytest.mark.parametrize(
    ("value", "text"), [(math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN")]
)
def test_float_that_json_lacks_is_a_word(value: float, text: str) -> None:
    assert float_to_text(value) == text


def test_other_floats_are_themselves() -> None:
    assert float_to_text(0.1) == 0.1
    assert math.copysign(1, text_to_float(float_to_text(-0.0))) == -1


@given(st.binary())
def test_bytes_come_back(data: bytes) -> None:
    assert text_to_bytes(bytes_to_text(data)) == data


@given(st.binary(min_size=16, max_size=16))
def test_uuid_comes_back(data: bytes) -> None:
    assert text_to_uuid(uuid_to_text(data)) == data


@given(st.floats(allow_nan=False))
def test_float_comes_back(value: float) -> None:
    assert text_to_float(float_to_text(value)) == value


@given(st.text(max_size=30))
def test_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    for read in (text_to_bytes, text_to_uuid, text_to_float):
        try:
            read(text)
        except ValueError:
            continue


@pytest.mark.parametrize("value", [None, True, 7, [], {}])
def test_what_is_no_text_is_refused(value: Any) -> None:
    for read in (text_to_bytes, text_to_uuid):
        with pytest.raises((TypeError, ValueError)):
            read(value)


@pytest.mark.parametrize("value", [None, True, [], {}])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        text_to_float(value)
