"""Every mistake in a hello is told with its remedy."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conformance.codecs.testee.hello import LONGEST_WINDOW, parse_hello
from conformance.targets.errors import BadHello
from conformance.testee_protocol import Request, Support

LEAST: dict[str, Any] = {
    "protocol": 1,
    "name": "x",
    "version": "1",
    "ops": ["roundtrip", "decode"],
    "messages": {"ARequest": [0, 3]},
}


def parse(**changes: Any) -> Any:
    said = {**LEAST, **changes}
    return parse_hello(
        msgspec.json.encode({key: value for key, value in said.items() if value is not ...})
    )


def test_the_least_hello_has_defaults() -> None:
    hello = parse(somethingNew=1)
    assert (hello.language, hello.definitions, hello.window) == ("", "", 1)
    assert (hello.unknown_tags, hello.int64) == ("dropped", "number")
    assert not hello.defaults


def test_a_codec_may_have_defaults_of_its_own() -> None:
    assert parse(defaults=True).defaults


def test_a_message_may_have_ranges_and_operations_of_its_own() -> None:
    hello = parse(messages={"A": {"versions": [[0, 3], [5, 5]], "ops": ["decode"]}})
    assert hello.messages["A"] == Support(((0, 3), (5, 5)), frozenset({"decode"}))
    assert hello.supports(Request(op="decode", message="A", version=5))
    assert not hello.supports(Request(op="decode", message="A", version=4))
    assert not hello.supports(Request(op="roundtrip", message="A", version=5))


def test_an_endless_window_is_bounded() -> None:
    assert parse(window=10**9).window == LONGEST_WINDOW


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        ({"protocol": ...}, "lacks `protocol`", '"protocol":1'),
        ({"protocol": 2}, "speaks protocol 2", "of the same protocol"),
        ({"protocol": True}, "speaks protocol True", "of the same protocol"),
        ({"name": ...}, "lacks `name`", '"name":"…"'),
        ({"version": 4.0}, "`version` of hello is not a string", "quote it"),
        ({"ops": ...}, "`ops` of hello is no list", "roundtrip"),
        ({"ops": []}, "`ops` of hello is no list", "roundtrip"),
        ({"ops": ["decode_request"]}, "unknown operation", "did you mean 'decode-request'"),
        ({"ops": [{}]}, "unknown operation", "roundtrip"),
        ({"messages": ...}, "`messages` of hello is no object", "[0,13]"),
        ({"messages": {}}, "`messages` of hello is no object", "[0,13]"),
        ({"messages": {"A": 3}}, "versions of A in hello are 3", "[low, high]"),
        ({"messages": {"A": [3, 0]}}, "are [3, 0]", "[low, high]"),
        ({"messages": {"A": [0, True]}}, "are [0, True]", "[low, high]"),
        ({"messages": {"A": {"ops": ["decode"]}}}, "A in hello has no list", "[[0,3],[5,5]]"),
        (
            {"messages": {"A": {"versions": [[0, 1]], "ops": ["encode"]}}},
            "operations that `ops` lacks: encode",
            "name in `ops`",
        ),
        ({"definitions": 4}, "`definitions` of hello is not a string", "quote it"),
        ({"unknownTags": "keep"}, "`unknownTags` of hello is 'keep'", '"dropped" or "kept"'),
        ({"int64": 64}, "`int64` of hello is 64", '"number" or "string"'),
        ({"maps": {"A": ["topics"]}}, "`maps` of hello is", '{"FetchRequest":{"topics":"topic"}}'),
        ({"maps": {"A": {"topics": 1}}}, "`maps` of hello is", "name the key of each array"),
        (
            {"rows": {"A": "topics"}},
            "`rows` of hello is",
            '{"OffsetFetchResponse":["topics.partitions"]}',
        ),
        ({"defaults": "yes"}, "`defaults` of hello is 'yes'", "true or false"),
        ({"window": 0}, "`window` of hello is 0", "1 at least"),
        ({"window": "8"}, "`window` of hello is '8'", "1 at least"),
    ],
)
def test_a_mistake_is_named_with_its_remedy(
    changes: dict[str, Any], what: str, remedy: str
) -> None:
    with pytest.raises(BadHello) as raised:
        parse(**changes)
    assert what in raised.value.message
    assert remedy in raised.value.hint


@pytest.mark.parametrize("line", [b"", b"Listening", b"[]", b'"x"', b"[" * 100_000])
def test_what_is_no_object_is_no_hello(line: bytes) -> None:
    with pytest.raises(BadHello) as raised:
        parse_hello(line)
    assert raised.value.hint


def test_an_adapters_own_failure_is_passed_on() -> None:
    with pytest.raises(BadHello, match="hello failed: KeyError"):
        parse_hello(b'{"adapter-error":"hello failed: KeyError"}')
