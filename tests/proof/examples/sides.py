"""Frames as the sides of an example, and the bytes in which two of them differ, named."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from functools import cache
from itertools import count

from conformance.dialogue import Received
from conformance.explain import Explainer, NotAFrame
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Cluster
from conformance.rules.examples import ExampleRow
from conformance.rules.examples.exchanges import Side
from conformance.schema.releases import UnknownDefinition, request_names
from conformance.wire.annotated import Row
from tests.proof.examples.rows import AFTER_THE_END, AROUND, OF_RECORDS, Rows, around

MOST_BYTES = 64
_LARGE = 1024 * 1024


def _says(row: Row) -> str:
    is_error = row.path.lower().endswith("errorcode")
    return row.text if is_error else row.says or row.text


_COMPUTED = (OF_RECORDS, r"batchLength|size|records\(length\)", "crc", r"header\.correlationId")
ROWS = Rows(16, 60, _says, _COMPUTED)
Asked = tuple[str, int]
"""The API and version of a request."""


def asked(frame: bytes) -> Asked | None:
    """Return the API and version of a frame without its length; None if it is no known request."""
    if len(frame) < 8:
        return None
    key, version = struct.unpack_from(">hh", frame)
    name = request_names().get(key)
    return (name.removesuffix("Request"), version) if name else None


def request(frame: bytes, says: str = "") -> Side:
    """Return the side of a request, or of another frame that was sent."""
    names = asked(frame)
    if names is None:
        return _nameless(frame, says)
    return _side(frame, "request", names, says)


def response(frame: bytes, names: Asked | None, says: str = "") -> Side:
    """Return the side of an answer to a request with this API and version."""
    if names is None or not frame:
        return _nameless(frame, says)
    return _side(frame, "response", names, says)


def _nameless(frame: bytes, says: str) -> Side:
    said = says or ("" if frame else "a frame of no bytes")
    return Side(says=said, bytes=_hex(frame), size=len(frame))


def _side(frame: bytes, direction: str, names: Asked, says: str) -> Side:
    return Side(
        says=says,
        direction=direction,
        message=f"{names[0]}{direction.capitalize()}",
        version=names[1],
        bytes=_hex(frame),
        size=len(frame),
    )


def cut_short(data: bytes) -> Side:
    """Return the side of bytes that begin with a size and are no whole frame."""
    return Side(says="with its size", bytes=_hex(data), size=len(data))


def cut(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the frames in a stream, without their sizes, and the rest."""
    frames = []
    while len(data) >= 4:
        (size,) = struct.unpack_from(">i", data)
        if not 0 <= size <= len(data) - 4:
            break
        frames.append(data[4 : 4 + size])
        data = data[4 + size :]
    return frames, data


def is_bad_size(data: bytes) -> bool:
    """True if no valid frame can begin so."""
    return len(data) >= 4 and not 0 <= struct.unpack_from(">i", data)[0] < _LARGE


def rows_of(side: Side, frame: bytes) -> Sequence[Row]:
    """Return the bytes of a frame, named; nothing if its form does not exist."""
    try:
        if side.direction == "request":
            return _explainer().request(frame, side.message, side.version).rows
        if side.direction == "response":
            return _response_rows(frame, side.message, side.version)
    except (UnknownDefinition, NotAFrame):
        pass
    return ()


def _response_rows(frame: bytes, message: str, version: int) -> Sequence[Row]:
    """Return the named bytes of an answer; an unknown version of ApiVersions is read as v0."""
    try:
        return _explainer().response(frame, message, version).rows
    except UnknownDefinition:
        if message != "ApiVersionsResponse":
            raise
        return _explainer().response(frame, message, 0).rows


@cache
def _explainer() -> Explainer:
    return Explainer(length=False)


def beside(right: Sequence[Row], wrong: Sequence[Row], about: str = "") -> list[ExampleRow]:
    """Return rows around the first field that differs, preferably one with `about` in its path."""
    if not right or not wrong:
        return []
    together = 0
    while together < min(len(right), len(wrong)) and right[together].path == wrong[together].path:
        together += 1
    unlike = [i for i in range(together) if right[i].data != wrong[i].data]
    unlike = [i for i in unlike if about in right[i].path] or unlike
    if not unlike:
        return _parting(right, wrong, together)
    at = min(unlike, key=lambda index: ROWS.derived(right[index]))
    near = (index for index in around(right, at) if index < together)
    return [_paired(right[index], wrong[index], differs=index == at) for index in near]


def _parting(right: Sequence[Row], wrong: Sequence[Row], at: int) -> list[ExampleRow]:
    """Return rows in front of the place where two frames have different fields, and that place."""
    before = range(max(at - AROUND, 0), at)
    found = [_paired(right[index], wrong[index], differs=False) for index in before]
    if at < len(right):
        found.append(ROWS.row(right[at], b"", differs=True))
    if at < len(wrong):
        row = wrong[at]
        meaning, path = f"wrong: {ROWS.meaning(row)}", row.path or AFTER_THE_END
        found.append(ExampleRow(row.offset, "", ROWS.cut(row.data), path, meaning, True))
    return found


def _paired(right: Row, wrong: Row, *, differs: bool) -> ExampleRow:
    same = right.data == wrong.data
    meaning = "" if same else f"{ROWS.meaning(right)}; wrong: {ROWS.meaning(wrong)}"
    return ROWS.row(right, wrong.data, differs=differs, meaning=meaning)


def of_either(right: Side, one: Received, wrong: Side, other: Received) -> list[ExampleRow]:
    """Return the rows of two answers side by side, or of the only one."""
    if one.kind == other.kind == "reply":
        return beside(rows_of(right, one.frame), rows_of(wrong, other.frame))
    side, received = (right, one) if right.direction else (wrong, other)
    return ROWS.alone(rows_of(side, received.frame), None)


def wrong_row(rows: Sequence[Row]) -> int | None:
    """Return the place of the first row that is malformed or after the end."""
    states = [row.state for row in rows]
    return next((i for i, state in enumerate(states) if state in ("wrong", "left over")), None)


def first_unlike(rows: Sequence[Row], usual: Sequence[Row], about: str = "") -> int | None:
    """Return the first row that the usual frame lacks, preferably one with `about` in its path."""
    there = {(row.path, row.data) for row in usual}
    unlike = [i for i, row in enumerate(rows) if (row.path, row.data) not in there]
    in_body = [i for i in unlike if not rows[i].path.startswith("header.")]
    named = [i for i in in_body if about in rows[i].path]
    return next(iter((*named, *in_body)), None)


def _hex(data: bytes) -> str:
    return data[:MOST_BYTES].hex(" ")


def counting(broker: Broker) -> None:
    """Have a broker count the ids that it makes, so that they are the same each time."""
    if type(broker).new_topic_id is Cluster.new_topic_id:
        numbers = count(1)
        setattr(broker, "new_topic_id", lambda: _uuid(next(numbers)))  # noqa: B010


def _uuid(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(16, "big")).decode().rstrip("=")
