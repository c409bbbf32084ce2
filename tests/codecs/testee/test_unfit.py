"""What JSON has no room for is named with its remedy; what no field holds is the codec's."""

from __future__ import annotations

import msgspec
import pytest

from conformance.codecs.testee.answers import Violation, parse
from conformance.codecs.testee.not_json import doubled_key


def line(value: bytes) -> bytes:
    return b'{"id":1,"value":{"a":' + value + b'},"remaining":0}'


@pytest.mark.parametrize(
    ("value", "why", "remedy"),
    [
        (b"NaN", "NaN is no JSON number", 'as the string "NaN"'),
        (b" -Infinity", "Infinity is no JSON number", 'as the string "NaN"'),
        (b"[1,NaN]", "NaN is no JSON number", 'as the string "NaN"'),
        (b"1e999", "out of range", 'as the string "NaN"'),
        (b'"\xff"', "byte 22 is not UTF-8", "write UTF-8"),
        (b'"\xed\xa0\x80"', "byte 22 is not UTF-8", "write UTF-8"),
        (b"[" * 5000 + b"]" * 5000, "nested too deep", "holds itself"),
        (b"[" * 300 + b"]" * 300, "more than 64 levels", "holds itself"),
        (b'"a\x01b"', "not JSON", "one JSON object a line"),
        (b'"a\x00b"', "not JSON", "one JSON object a line"),
    ],
    ids=lambda given: given[:20] if isinstance(given, bytes) else "",
)
def test_what_no_value_can_hold_is_named(value: bytes, why: str, remedy: str) -> None:
    with pytest.raises(Violation) as raised:
        parse(line(value))
    assert why in str(raised.value)
    assert remedy in raised.value.remedy
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "value",
    [
        b'"NaN"',
        b'"a: NaN, or [-Infinity"',
        b'"a\\u0000b"',
        b'"\\ud83d\\ude00"',
        b"9223372036854775807",
        b"-9223372036854775808",
        b"18446744073709551615",
        b'"123456789012345678901234567890"',
        b"[" + b"{}," * 500 + b"{}]",
        b"1.7976931348623157e308",
    ],
    ids=lambda value: value[:20],
)
def test_what_a_value_can_hold_is_taken(value: bytes) -> None:
    parse(line(value))


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (b"18446744073709551616", 2**64),
        (b"-590295810358705651649", -590295810358705651649),
        (b"1" * 5000, "1" * 5000),
        (b'"\\ud800"', "\\ud800"),
        (b'"\\ude00\\ud83d"', "\\ude00\\ud83d"),
        (b'{"\\ud800":1}', {"\\ud800": 1}),
    ],
    ids=lambda given: given[:20] if isinstance(given, bytes) else "",
)
def test_what_no_field_holds_is_the_value_that_the_codec_made(given: bytes, taken: object) -> None:
    answer = parse(line(given))
    assert answer.value == {"a": taken}
    assert msgspec.json.encode(answer.value)  # as a line of the results has it


def test_a_key_that_comes_twice_is_found() -> None:
    assert doubled_key(b'{"a":[{"b":1,"c":2,"b":3}]}') == "b"
    assert doubled_key(b'{"a":{"a":1}}') == ""
