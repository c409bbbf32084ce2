"""The answer to `hello`, checked in full before a single request is sent.

A target that describes itself wrongly would be judged wrongly for hours, so nothing is guessed
here: each mistake is named together with the line that would mend it, written for someone who is
writing their first adapter. Keys that this protocol does not know are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeGuard, TypeVar

import msgspec

from conformance.codecs.testee.answers import quoted
from conformance.targets.errors import BadHello, did_you_mean, shorten
from conformance.testee_protocol import COMPRESSORS, OPS, PROTOCOL_VERSION, Hello, Support

HELLO_LINE = msgspec.json.encode({"op": "hello", "protocol": PROTOCOL_VERSION}) + b"\n"

_UNKNOWN_TAGS: Final[tuple[Literal["dropped", "kept"], ...]] = ("dropped", "kept")
_INT64: Final[tuple[Literal["number", "string"], ...]] = ("number", "string")
_Word = TypeVar("_Word", bound=str)

LONGEST_WINDOW = 1024
"""However many unanswered requests a target allows, no more than this are held in memory."""


def parse_hello(line: bytes) -> Hello:
    """Read the line that answered `hello`. Raises BadHello."""
    try:
        said = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        raise BadHello(
            f"the answer to hello is not JSON: {quoted(line)}",
            "stdout carries one JSON object a line and nothing else: write logs to stderr",
        ) from None
    return read_hello(said)


def read_hello(said: object) -> Hello:
    """Check a codec's hello and return it. Raises BadHello."""
    if not isinstance(said, dict):
        raise BadHello(
            f"the answer to hello is not a JSON object: {shorten(repr(said))}",
            "answer with the keys protocol, name, version, ops and messages",
        )
    if said.get("adapter-error"):
        raise BadHello(f"the adapter failed: {shorten(str(said['adapter-error']), 1000)}")
    _check_protocol(said)
    ops = _ops(said.get("ops"), "`ops`")
    return Hello(
        name=_text(said, "name"),
        version=_text(said, "version"),
        ops=ops,
        messages=_messages(said.get("messages"), ops),
        language=_text(said, "language", default=""),
        definitions=_text(said, "definitions", default=""),
        unknown_tags=_one_of(said, "unknownTags", _UNKNOWN_TAGS),
        int64=_one_of(said, "int64", _INT64),
        window=_window(said.get("window", 1)),
        unknown_fields=_unknown_fields(said.get("unknownFields", {})),
        compression=_compression(said.get("compression", list(COMPRESSORS))),
        maps=_maps(said.get("maps", {})),
        rows=_rows(said.get("rows", {})),
        defaults=_truth(said, "defaults"),
    )


def _check_protocol(said: Mapping[str, Any]) -> None:
    if "protocol" not in said:
        raise BadHello("hello lacks `protocol`", f'add "protocol":{PROTOCOL_VERSION}')
    if said["protocol"] != PROTOCOL_VERSION or isinstance(said["protocol"], bool):
        raise BadHello(
            f"the adapter speaks protocol {shorten(repr(said['protocol']))}, "
            f"the suite speaks {PROTOCOL_VERSION}",
            f'answer "protocol":{PROTOCOL_VERSION}, or use a suite of the same protocol',
        )


def _text(said: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = said.get(key, default)
    if value is None:
        raise BadHello(f"hello lacks `{key}`", f'add "{key}":"…", what the codec calls itself')
    if not isinstance(value, str):
        raise BadHello(f"`{key}` of hello is not a string: {shorten(repr(value))}", "quote it")
    return value


def _one_of(said: Mapping[str, Any], key: str, allowed: tuple[_Word, ...]) -> _Word:
    """The value of an optional key; the first of `allowed` is its default."""
    value = said.get(key, allowed[0])
    for word in allowed:
        if value == word:
            return word
    choices = " or ".join(f'"{word}"' for word in allowed)
    raise BadHello(f"`{key}` of hello is {shorten(repr(value))}", f"use {choices}")


def _truth(said: Mapping[str, Any], key: str) -> bool:
    value = said.get(key, False)
    if isinstance(value, bool):
        return value
    raise BadHello(f"`{key}` of hello is {shorten(repr(value))}", "use true or false")


def _unknown_fields(value: object) -> dict[str, frozenset[str]]:
    if not isinstance(value, dict) or not all(map(_are_texts, value.values())):
        raise BadHello(
            f"`unknownFields` of hello is {shorten(repr(value))}",
            'list the tagged fields that are not known: {"FetchRequest":["clusterId"]}',
        )
    return {name: frozenset(paths) for name, paths in value.items()}


def _compression(value: object) -> frozenset[str]:
    if not _are_texts(value) or not set(value) <= set(COMPRESSORS):
        raise BadHello(
            f"`compression` of hello is {shorten(repr(value))}",
            f"list the compressors that there are, of {', '.join(COMPRESSORS)}",
        )
    return frozenset(value)


def _maps(value: object) -> dict[str, dict[str, str]]:
    if not isinstance(value, dict) or not all(map(_names_keys, value.values())):
        raise BadHello(
            f"`maps` of hello is {shorten(repr(value))}",
            'name the key of each array that is a map: {"FetchRequest":{"topics":"topic"}}',
        )
    return value


def _rows(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or not all(map(_are_texts, value.values())):
        raise BadHello(
            f"`rows` of hello is {shorten(repr(value))}",
            'list the arrays of which rows are made: {"OffsetFetchResponse":["topics.partitions"]}',
        )
    return {name: tuple(paths) for name, paths in value.items()}


def _names_keys(value: object) -> bool:
    return isinstance(value, dict) and _are_texts(list(value.values()))


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _window(value: object) -> int:
    if not _is_int(value) or value < 1:
        raise BadHello(
            f"`window` of hello is {shorten(repr(value))}",
            "give the number of requests that may be unanswered, 1 at least",
        )
    return min(value, LONGEST_WINDOW)


def _ops(value: object, where: str) -> frozenset[str]:
    hint = f'list what is implemented: "ops":["roundtrip",…], of {", ".join(OPS)}'
    if not isinstance(value, list) or not value:
        raise BadHello(f"{where} of hello is no list of operations", hint)
    for op in value:
        if op not in OPS:
            raise BadHello(
                f"{where} of hello names an unknown operation, {shorten(repr(op))}",
                did_you_mean(str(op), OPS) or hint,
            )
    return frozenset(value)


def _messages(value: object, ops: frozenset[str]) -> dict[str, Support]:
    if not isinstance(value, dict) or not value:
        raise BadHello(
            "`messages` of hello is no object of messages",
            'map each implemented message to its versions: "messages":{"MetadataRequest":[0,13]}',
        )
    return {name: _support(name, declared, ops) for name, declared in value.items()}


def _support(name: str, declared: object, ops: frozenset[str]) -> Support:
    if not isinstance(declared, dict):
        return Support((_range(name, declared),), ops)
    ranges = declared.get("versions")
    if not isinstance(ranges, list) or not ranges:
        raise BadHello(
            f"{shorten(name)} in hello has no list of version ranges",
            '{"versions":[[0,3],[5,5]],"ops":["decode"]}, or just [0,3]',
        )
    own = _ops(declared["ops"], f"`ops` of {shorten(name)}") if "ops" in declared else ops
    if not own <= ops:
        raise BadHello(
            f"{shorten(name)} in hello has operations that `ops` lacks: "
            f"{', '.join(sorted(own - ops))}",
            "name in `ops` whatever is implemented for any message",
        )
    return Support(tuple(_range(name, each) for each in ranges), own)


def _range(name: str, value: object) -> tuple[int, int]:
    if _is_pair(value) and 0 <= value[0] <= value[1] <= 0x7FFF:
        return value[0], value[1]
    remedy = "give the lowest and the highest version, both included, as [low, high]"
    if _is_pair(value) and 0 <= value[1] < value[0]:
        remedy = f"{remedy}: [{value[1]}, {value[0]}]"
    raise BadHello(
        f"the versions of {shorten(name)} in hello are {shorten(repr(value))}",
        remedy,
    )


def _is_pair(value: object) -> TypeGuard[Sequence[int]]:
    return isinstance(value, list) and len(value) == 2 and all(_is_int(each) for each in value)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
