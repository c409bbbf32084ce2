"""VARINT and VARLONG at the borders of their lengths and of their types."""

from __future__ import annotations

import pytest

from conformance.wire.errors import EncodeError, Truncated, VarintError
from conformance.wire.records.zigzag import ZigzagReader
from conformance.wire.writer import Writer

VARINTS = [
    (0, "00"),
    (-1, "01"),
    (1, "02"),
    (-2, "03"),
    (63, "7e"),
    (-64, "7f"),
    (64, "8001"),
    (-65, "8101"),
    (8191, "fe7f"),
    (-8192, "ff7f"),
    (8192, "808001"),
    (-8193, "818001"),
    (2**31 - 1, "feffffff0f"),
    (-(2**31), "ffffffff0f"),
]
VARLONGS = [
    (2**31, "8080808010"),
    (-(2**31) - 1, "8180808010"),
    (2**63 - 1, "feffffffffffffffff01"),
    (-(2**63), "ffffffffffffffffff01"),
]


def written(kind: str, number: int) -> str:
    writer = Writer()
    getattr(writer, kind)(number, "number")
    return writer.out.hex()


def read(kind: str, text: str) -> int:
    reader = ZigzagReader(bytes.fromhex(text))
    number: int = getattr(reader, kind)("number")
    assert reader.remaining == 0
    return number


@pytest.mark.parametrize(("number", "text"), VARINTS)
def test_a_varint_is_read_and_written(number: int, text: str) -> None:
    assert written("varint", number) == text
    assert read("varint", text) == number


@pytest.mark.parametrize(("number", "text"), VARINTS + VARLONGS)
def test_a_varlong_is_read_and_written(number: int, text: str) -> None:
    assert written("varlong", number) == text
    assert read("varlong", text) == number


@pytest.mark.parametrize(
    ("kind", "number"),
    [("varint", 2**31), ("varint", -(2**31) - 1), ("varlong", 2**63), ("varlong", -(2**63) - 1)],
)
def test_a_number_beyond_its_type_is_not_written(kind: str, number: int) -> None:
    with pytest.raises(EncodeError, match="no integer of"):
        written(kind, number)


@pytest.mark.parametrize(
    ("kind", "text", "error", "words"),
    [
        ("varint", "", Truncated, "a varint that does not end"),
        ("varint", "80", Truncated, "a varint that does not end"),
        ("varint", "ffffffffff01", VarintError, "more than 5 bytes"),
        ("varint", "ffffffff10", VarintError, "beyond 32 bits"),
        ("varint", "8000", VarintError, "longer than it need be"),
        ("varlong", "ffffffffffffffffffff01", VarintError, "more than 10 bytes"),
        ("varlong", "ffffffffffffffffff02", VarintError, "beyond 64 bits"),
        ("varlong", "80808000", VarintError, "longer than it need be"),
    ],
)
def test_what_no_writer_writes_is_refused(
    kind: str, text: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        read(kind, text)
