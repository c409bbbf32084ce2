"""The testee protocol as types.

A testee answers one JSON object for each request, one line each. These are the two sides of that
line and the `hello` that opens a session. Nothing here reads or writes a stream: the same types
serve a process on pipes, an object in this process and a row of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, Protocol, Self, get_args

import msgspec

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 16 * 1024 * 1024

Op = Literal[
    "roundtrip",
    "decode",
    "encode",
    "decode-request",
    "encode-request",
    "decode-response",
    "encode-response",
]
OPS: tuple[Op, ...] = get_args(Op)

Kind = Literal["value", "rejected", "crashed", "hung", "unsupported", "error"]

Value = Any
"""A message in the JSON form of the testee protocol: dicts, lists, numbers and strings."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One operation asked of a codec, with the `bytes` to read or the `value` to write."""

    op: Op
    message: str = ""
    version: int = 0
    bytes: bytes = b""
    value: Value = None
    header: dict[str, Any] | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one request to the target.

    `value` (a reader's answer) or `bytes` (a writer's) come with the outcome `value`; `remaining`
    counts undecoded bytes, None if the codec does not know. `text`, `error` (the type's name) and
    `stage` ("decode" or "encode", for a round trip) say why there is no value. `version` is the one
    that a response decoder fell back to (KIP-511). `allocated` is in bytes. `then` is what came
    when the same was asked once more, where that was something else. `ended` is true where its
    process ended, and not where it answered that it crashed and survived.
    """

    outcome: Kind
    value: Value = None
    bytes: bytes | None = None
    header: dict[str, Any] | None = None
    remaining: int | None = None
    version: int | None = None
    text: str = ""
    error: str = ""
    stage: str = ""
    allocated: int | None = None
    then: Outcome | None = None
    ended: bool = False


class Support(msgspec.Struct, frozen=True):
    """The versions of one message that a codec declares, and the operations on them."""

    versions: tuple[tuple[int, int], ...]
    ops: frozenset[str]

    def covers(self, version: int, op: str) -> bool:
        """True if the codec declares that it implements `op` on this version."""
        return op in self.ops and any(low <= version <= high for low, high in self.versions)


ANY_FIELD = "*"
"""Every tagged field of a message."""
COMPRESSORS: tuple[str, ...] = ("gzip", "snappy", "lz4", "zstd")
"""The compressors of batches of records, by their numbers from 1 on."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """A codec's description of itself.

    `definitions` is the Kafka release it follows, "" the newest. `unknown_fields` are the paths of
    the tagged fields of that release which it does not know, by message, or ANY_FIELD;
    `compression` are the compressors that it has. `maps` are the arrays that it holds by a key, by
    message: the path of each, and the field that is the key. `rows` are the paths of the arrays
    whose elements it holds as rows, each with the fields around it, by message. `defaults` means
    that fields may be left out of a value to encode, and have the codec's own defaults.
    """

    name: str
    version: str
    ops: frozenset[str]
    messages: dict[str, Support]
    language: str = ""
    definitions: str = ""
    unknown_tags: Literal["kept", "dropped"] = "dropped"
    int64: Literal["number", "string"] = "number"
    window: int = 1
    unknown_fields: dict[str, frozenset[str]] = {}
    compression: frozenset[str] = frozenset(COMPRESSORS)
    maps: dict[str, dict[str, str]] = {}
    rows: dict[str, tuple[str, ...]] = {}
    defaults: bool = False

    def supports(self, request: Request) -> bool:
        """True if the codec declares this request's message, version and operation."""
        support = self.messages.get(request.message)
        return support is not None and support.covers(request.version, request.op)


class Target(Protocol):
    """A target that answers requests in order. Used as a context manager; `close` frees it."""

    @property
    def hello(self) -> Hello:
        """Return what it declared when it was opened."""
        ...

    @property
    def notes(self) -> list[str]:
        """Return what it did so far that no outcome shows, such as a leak: a line each."""
        ...

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """Yield the outcome of each request, in order.

        Up to `hello.window` requests are read ahead of the answers.
        """
        ...

    def close(self) -> None:
        """End the target and every process it started."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...
