"""The functions for users: those of `from conformance import ...`.

Messages are named as in Apache Kafka's definitions ("MetadataRequest"), values are in the JSON form
of its JsonConverter classes, bytes are bytes. `release` is a stored release of Kafka whose
definitions are followed, "" the newest. See docs/python-api.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.checking import Results, check
from conformance.codecs.gate import CodecSettings
from conformance.data import vector_messages
from conformance.explain import Explainer, Explanation
from conformance.explain.prefixed import leads
from conformance.gate.settings import UnknownName
from conformance.reference.codec import ReferenceCodec
from conformance.rules import select
from conformance.targets.errors import did_you_mean
from conformance.wire.errors import LengthError

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

__all__ = [
    "Results",
    "Vector",
    "check_codec",
    "decode",
    "encode",
    "explain",
    "vector_params",
    "vectors",
]

Value = dict[str, Any]
_UNBROKEN = 1 << 20
"""The width in columns at which no line is broken."""


class Explained(Explanation):
    """An explanation that prints itself, a line a field."""

    def __str__(self) -> str:
        from conformance.cli.explain_rows import plain_lines

        return "\n".join(plain_lines(self, full=False, width=_UNBROKEN))


def decode(message: str, version: int, data: bytes, *, release: str = "") -> Value:
    """Return the value of a body, read strictly.

    >>> decode("MetadataRequest", 1, b"\\xff\\xff\\xff\\xff")
    {'topics': None}

    Raises `conformance.wire.errors.DecodeError`, with offset and field, for malformed bytes and for
    bytes left over, and UnknownDefinition if no stored release has such a message or version.

    >>> decode("MetadataRequest", 1, b"\\xff\\xff")
    Traceback (most recent call last):
    ...
    conformance.wire.errors.Truncated: offset 2, topics(length): 4 bytes expected, 2 left
    """
    value, left = _codec(release).decode(message, version, data)
    if left:
        raise LengthError(f"{left} bytes after the last field", "", len(data) - left)
    return value


def encode(message: str, version: int, value: Value, *, release: str = "") -> bytes:
    """Return the canonical bytes of a body; a field that is left out has its default.

    >>> encode("MetadataRequest", 1, {"topics": [{"name": "orders"}]}).hex(" ")
    '00 00 00 01 00 06 6f 72 64 65 72 73'

    Raises `conformance.wire.errors.EncodeError` for a value that has no such bytes.
    """
    return _codec(release).encode(message, version, value)


def explain(
    data: bytes,
    message: str = "",
    version: int | None = None,
    *,
    kind: Literal["request", "response", "body"] = "request",
    release: str = "",
    lenient: bool = False,
    length: bool | None = None,
) -> Explained:
    """Explain every byte of a frame in rows of offset, bytes, field, type and value.

    The header of a request identifies it; a response and a body need message and version, except
    that messages that begin with their version, such as "OffsetCommitValue", need none. `lenient`
    reads all that Apache Kafka reads, `length` says whether the frame's length precedes it (None
    tests that). Malformed bytes raise no error: `wrong` has the rows that say why.

    >>> explained = explain(bytes.fromhex("ffffffff"), "MetadataRequest", 1, kind="body")
    >>> print(explained)
    MetadataRequest v1, 4 bytes, by the definitions of Kafka 4.4.0
    0  ff ff ff ff  topics(length)  int32  -1 (null)
    >>> explained.wrong
    []
    """
    explainer = Explainer(release, lenient=lenient, length=length)
    if kind == "request":
        found = explainer.request(data, message, version)
    elif kind == "response":
        found = explainer.response(data, message, _given(version))
    else:
        found = explainer.body(data, message, version if message in leads() else _given(version))
    return Explained(found.title, found.rows, found.notes, found.undecided)


def vectors(
    message: str,
    *,
    versions: Iterable[int] = (),
    rules: Iterable[str] = (),
    frames: bool = False,
) -> tuple[Vector, ...]:
    """Return the golden vectors of a message: bytes that independent implementations agreed on.

    They are bodies, or whole frames with their headers but without their lengths. `versions` limits
    the versions, empty for all; `rules` are globs, of which a vector decides one or more. Raises
    ConformanceError for an unknown message or rule, or if no vector is left, since a test without
    cases would pass.

    >>> null, *_ = vectors("MetadataRequest", versions=[1], rules=["primitives.null-array"])
    >>> null.id, null.data, null.value
    ('MetadataRequest-v1-null-topics', b'\\xff\\xff\\xff\\xff', {'topics': None})
    """
    wanted, chosen = frozenset(versions), {rule.id for rule in select(rules)}
    if message not in vector_messages():
        near = did_you_mean(message, vector_messages())
        raise UnknownName(f"no vectors of a message {message!r}", near)
    found = tuple(
        vector
        for vector in read_vectors(message)
        if (vector.header is not None) == frames
        and (not wanted or vector.version in wanted)
        and not chosen.isdisjoint(vector.covers)
    )
    if not found:
        raise UnknownName(f"no vector of {message} is of those versions and rules", "widen them")
    return found


def vector_params(
    message: str,
    *,
    versions: Iterable[int] = (),
    rules: Iterable[str] = (),
    frames: bool = False,
) -> list[ParameterSet]:
    """Return golden vectors as parameters of pytest, each named by its id.

    >>> [first, *_] = vector_params("MetadataRequest", versions=[0])
    >>> first.id
    'MetadataRequest-v0-filled'

    Use it as `@pytest.mark.parametrize("vector", vector_params("MetadataRequest"))`.
    """
    import pytest

    found = vectors(message, versions=versions, rules=rules, frames=frames)
    return [pytest.param(vector, id=vector.id) for vector in found]


def check_codec(
    codec: object,
    *,
    rules: Sequence[str] = (),
    messages: Sequence[str] = (),
    versions: Sequence[int] = (),
    profile: Literal["spec", "kafka"] = "spec",
    known: Path | str | None = None,
    timeout_s: float = 10.0,
    memory_mib: int = 2048,
) -> Results:
    """Judge a codec by golden vectors and edits of them, as `kafka-conformance codec` does.

    `codec` is what the command line takes ("mypackage.codec:Codec", or a command as a sequence of
    words), served in a process of its own that may crash or hang; or an object with the methods of
    such a codec, or its class, which is judged in this very process. `rules` are globs; arguments
    left out restrict nothing. `known` is a file of known failures.

    >>> results = check_codec("reference", messages=["ControlledShutdownResponse"])
    >>> results.ok, results.failures
    (True, [])

    Raises ConformanceError if there is nothing to judge.
    """
    spec: str | None = None
    command: tuple[str, ...] = ()
    target: object | None = None
    if isinstance(codec, str):
        spec = codec
    elif isinstance(codec, Sequence):
        command = tuple(map(str, codec))
    else:
        target = codec() if isinstance(codec, type) else codec
    settings = CodecSettings(
        spec=spec,
        command=command,
        profile=profile,
        rules=tuple(rules),
        messages=tuple(messages),
        versions=tuple(versions),
        timeout_s=timeout_s,
        memory_mib=memory_mib,
    )
    return check(settings, target, Path(known) if known else None)


@cache
def _codec(release: str) -> ReferenceCodec:
    return ReferenceCodec(release)


def _given(version: int | None) -> int:
    if version is None:
        raise UnknownName("a message is named, and no version of it", "version=N")
    return version
