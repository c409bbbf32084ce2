"""A count that is wrong is named where one change of one count makes all bytes readable."""

from __future__ import annotations

import struct

import pytest

from conformance.explain.recognised import Stream, recognised
from tests.explain.test_recognised import framed

JOIN = bytes.fromhex(
    "000b0007 00000009 0002 7733 00 07 672d6a6f696e 0000afc8 000493e0 01 09 7374617469632d33"
    " 09 636f6e73756d6572 02 06 72616e6765 05 00010000 00 00"
)
"""JoinGroup v7 with one protocol, whose count is the byte at offset 47."""
COUNT = 47
FETCH = bytes.fromhex(
    "00010004 00000007 0001 78 ffffffff 000001f4 00000001 00100000 00 00000001 0001 74"
    " 00000001 00000000 0000000000000000 00100000"
)


def notes(data: bytes) -> list[str]:
    """The notes on one part that can't be read to its end."""
    [part] = recognised([Stream(data)])
    assert part.explanation.wrong
    return [note for note in part.explanation.notes if "would be read" in note]


def changed(data: bytes, at: int, by: int) -> bytes:
    return data[:at] + bytes([data[at] + by]) + data[at + 1 :]


def test_what_is_right_has_no_culprit() -> None:
    for data in (JOIN, FETCH):
        [part] = recognised([Stream(data)])
        assert not part.explanation.wrong


def test_a_count_that_is_too_large_is_named() -> None:
    wrong = changed(JOIN, COUNT, 1)
    assert notes(wrong) == [f"if protocols(length) at byte {COUNT} were 1, all would be read"]
    inside = f"if protocols(length) at byte {COUNT + 4} were 1, all would be read"
    assert notes(framed(wrong)) == [inside]


def test_a_count_of_four_bytes_is_named() -> None:
    at = FETCH.index(b"\0\0\0\1\0\1t") + 3
    wrong = changed(FETCH, at, 2)
    assert notes(framed(wrong)) == [f"if topics(length) at byte {at + 1} were 1, all would be read"]


def test_a_byte_that_is_no_count_has_no_culprit() -> None:
    assert notes(changed(JOIN, JOIN.index(b"static"), 0x8C)) == []


@pytest.mark.parametrize("end", [30, 50, 60])
def test_a_frame_that_is_cut_has_no_culprit(end: int) -> None:
    assert notes(struct.pack(">i", len(JOIN)) + JOIN[:end]) == []
