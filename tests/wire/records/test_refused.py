"""What is no batch of format 2 is refused, with the offset and the field that show it."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.wire.errors import (
    ChecksumError,
    DecodeError,
    EncodeError,
    FormatError,
    LengthError,
    NullNotAllowed,
    TextError,
    Truncated,
    VarintError,
)
from tests.wire.records.codec import read, write
from tests.wire.records.hand import RECORD, WHOLE, WHOLE_VALUE, batch, crc32c, record, value


def refusal(data: bytes) -> DecodeError:
    with pytest.raises(DecodeError) as raised:
        read(data)
    return raised.value


@pytest.mark.parametrize(
    ("magic", "words"),
    [
        (0, "a message set of format 0, no batch of format 2"),
        (1, "a message set of format 1, no batch of format 2"),
        (3, "there is no format 3"),
        (-1, "there is no format -1"),
    ],
)
def test_another_format_is_named(magic: int, words: str) -> None:
    error = refusal(batch(magic=magic))
    assert isinstance(error, FormatError)
    assert (error.reason, error.path, error.offset) == (words, "magic", 16)


@pytest.mark.parametrize("magic", [0, 1])
def test_a_message_set_shorter_than_a_batch_is_still_named(magic: int) -> None:
    """Of format 0: offset, size, then crc, magic, attributes, a null key and an empty value."""
    message = magic.to_bytes(1, "big") + b"\0" + b"\0" * 8 * magic + b"\xff" * 4 + bytes(4)
    data = bytes(8) + (len(message) + 4).to_bytes(4, "big") + bytes(4) + message
    error = refusal(data)
    assert isinstance(error, FormatError)
    assert f"a message set of format {magic}" in error.reason


@pytest.mark.parametrize("crc", [0, 0x716A6188, crc32c(WHOLE), crc32c(WHOLE[12:])])
def test_another_checksum_is_refused_and_both_are_told(crc: int) -> None:
    error = refusal(batch(crc=crc))
    assert isinstance(error, ChecksumError)
    assert error.reason == f"{crc:08x}, the bytes have 716a6189"
    assert (error.path, error.offset) == ("crc", 17)


@pytest.mark.parametrize("at", range(21, len(WHOLE)))
def test_any_byte_that_fell_over_is_noticed(at: int) -> None:
    assert isinstance(refusal(WHOLE[:at] + bytes([WHOLE[at] ^ 1]) + WHOLE[at + 1 :]), ChecksumError)


@pytest.mark.parametrize("at", [0, 15])
def test_what_stands_before_the_checksum_is_not_of_it(at: int) -> None:
    read(WHOLE[:at] + bytes([WHOLE[at] ^ 1]) + WHOLE[at + 1 :])


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (-1, "-1 bytes, a batch has 49 at least"),
        (0, "0 bytes, a batch has 49 at least"),
        (48, "48 bytes, a batch has 49 at least"),
        (59, "59 bytes, 58 left"),
        (2**31 - 1, "2147483647 bytes, 58 left"),
    ],
)
def test_a_length_that_can_not_be_is_refused(length: int, words: str) -> None:
    error = refusal(batch(length=length))
    assert isinstance(error, LengthError)
    assert (error.reason, error.path, error.offset) == (words, "batchLength", 8)


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_a_batch_cut_short_is_refused(end: int) -> None:
    assert isinstance(refusal(WHOLE[:end]), Truncated | LengthError)


@pytest.mark.parametrize(
    ("count", "words"),
    [(-1, "-1 records"), (2, "2 records of at least 7 bytes"), (2**31 - 1, "2147483647 records")],
)
def test_a_count_that_can_not_be_is_refused(count: int, words: str) -> None:
    error = refusal(batch(count=count))
    assert isinstance(error, LengthError)
    assert words in error.reason
    assert (error.path, error.offset) == ("records", 57)


@pytest.mark.parametrize("count", [0, 1])
def test_bytes_behind_the_last_record_are_refused(count: int) -> None:
    error = refusal(batch(RECORD + RECORD, count=count))
    assert error.reason == f"{9 * (2 - count)} bytes after {count} records"


@pytest.mark.parametrize(
    ("records", "kind", "words", "path", "offset"),
    [
        ("0e 00 00 00 02 6b 02 76 00", LengthError, "7 bytes, the record takes 8", "", 61),
        ("12 00 00 00 02 6b 02 76 00 00", LengthError, "9 bytes, the record takes 8", "", 61),
        ("12 00 00 00 02 6b 02 76 00", LengthError, "9 bytes, 8 left", "", 61),
        ("01 00 00 00 02 6b 02 76 00", LengthError, "-1 bytes, 8 left", "", 61),
        ("10 00 00 00 03 6b 02 76 00", LengthError, "length -2", ".key", 65),
        ("10 00 00 00 20 6b 02 76 00", LengthError, "16 bytes, 4 left", ".key", 65),
        ("10 00 00 00 02 6b 03 76 00", LengthError, "length -2", ".value", 67),
        ("10 00 00 00 02 6b 02 76 01", LengthError, "-1 headers, 0 left", ".headers", 69),
        ("10 00 00 00 02 6b 02 76 02", LengthError, "1 headers, 0 left", ".headers", 69),
        ("14 00 00 00 02 6b 02 76 02 01 01", NullNotAllowed, "not nullable", ".headers[0].key", 70),
        ("16 00 00 00 02 6b 02 76 02 02 ff 01", TextError, "", ".headers[0].key", 71),
        ("14 00 00 00 02 6b 02 76 02 00 03", LengthError, "length -2", ".headers[0].value", 71),
        ("12 00 80 00 00 02 6b 02 76 00", VarintError, "longer", ".timestampDelta", 63),
        ("1a 00 00 ff ff ff ff 10 02 6b 02 76 00 00", VarintError, "32 bits", ".offsetDelta", 64),
    ],
)
def test_a_record_that_contradicts_itself_is_refused_where_it_does(
    records: str, kind: type[DecodeError], words: str, path: str, offset: int
) -> None:
    error = refusal(batch(bytes.fromhex(records)))
    assert isinstance(error, kind)
    assert words in error.reason
    assert error.path.removesuffix("(length)").removesuffix("(count)") == f"records[0]{path}"
    assert error.offset == offset


def _without(name: str) -> dict[str, Any]:
    return {key: item for key, item in WHOLE_VALUE.items() if key != name}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, ""),
        (_without("producerId"), "producerId"),
        (_without("records"), "records"),
        ({**WHOLE_VALUE, "crc": 1}, "crc"),
        ({**WHOLE_VALUE, "records": None}, "records"),
        (value(record(), attributes=5), "records"),
        (value(record(), baseOffset=2**63), "baseOffset"),
        (value(record(), producerEpoch=2**15), "producerEpoch"),
        (value(None), "records[0]"),  # type: ignore[arg-type]
        (value(record(timestampDelta=2**63)), "records[0].timestampDelta"),
        (value(record(offsetDelta=2**31)), "records[0].offsetDelta"),
        (value(record(offsetDelta="1")), "records[0].offsetDelta"),
        (value(record(attributes=128)), "records[0].attributes"),
        (value(record(key="no base64!")), "records[0].key"),
        (value(record(key=7)), "records[0].key"),
        (value(record(headers=None)), "records[0].headers"),
        (value(record(headers=[{"key": None, "value": None}])), "records[0].headers[0].key"),
        (value(record(headers=[{"key": "\ud800", "value": None}])), "records[0].headers[0].key"),
        (value(record(headers=[{"key": "a"}])), "records[0].headers[0].value"),
    ],
)
def test_a_value_of_no_batch_is_not_written(given: Any, path: str) -> None:
    with pytest.raises(EncodeError) as raised:
        write(given)
    assert raised.value.path == path
