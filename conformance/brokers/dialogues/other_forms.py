"""Bytes that are no answer in the form that was asked for, and a whole one in another.

A broker that answers in a version of its own choice, or with the other response header, sends bytes
that are right elsewhere. Read in the form that was asked for they give counts of millions and
fields that end too early, which says nothing about the cause; the form that they have does.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form
from conformance.wire.errors import DecodeError
from conformance.wire.frames import header_version

HEADER = "ResponseHeader"
_CORRELATION_ID_BYTES = 4


def whole_in(codec: ReferenceCodec, message: str, frame: bytes) -> list[int]:
    """Return the versions of a response that a frame is a whole answer of, ascending."""
    forms = [codec.form(message, version) for version in codec.versions(message)]
    return [each.version for each in forms if _is_whole(codec, each, frame, header_version(each))]


def other_form(codec: ReferenceCodec, message: str, version: int, frame: bytes) -> str:
    """Return in which other form a frame is a whole answer, as a clause; "" if in none.

    Return "" as well if it is a whole answer in the version that was asked for.
    """
    found = whole_in(codec, message, frame)
    if version in found:
        return ""
    if _repeats_correlation_id(codec, message, version, frame):
        return f"it is a whole {message} v{version} but for a second correlation id"
    if found:
        return f"it is a whole {message} {spans(found)}, and v{version} was asked for"
    own = codec.form(message, version)
    expected = header_version(own)
    if _is_whole(codec, own, frame, 1 - expected):
        return f"its response header has version {1 - expected}, and version {expected} is expected"
    return ""


def _repeats_correlation_id(
    codec: ReferenceCodec, message: str, version: int, frame: bytes
) -> bool:
    """True if a frame is whole once a correlation id is taken out that follows its header."""
    own = codec.form(message, version)
    header = header_version(own)
    body = _CORRELATION_ID_BYTES + header  # an empty section of tags is one byte
    end = body + _CORRELATION_ID_BYTES
    once = frame[:body] + frame[end:]
    is_repeated = any(frame[:4]) and frame[body:end] == frame[:_CORRELATION_ID_BYTES]
    return is_repeated and _is_whole(codec, own, once, header)


def spans(versions: Sequence[int]) -> str:
    """Return ascending versions in words: `v0`, `v3 to v5`, `v0 and v3 to v5`."""
    runs: list[list[int]] = []
    for version in versions:
        if runs and runs[-1][-1] == version - 1:
            runs[-1].append(version)
        else:
            runs.append([version])
    named = [f"v{run[0]}" if len(run) == 1 else f"v{run[0]} to v{run[-1]}" for run in runs]
    return " and ".join(named)


def _is_whole(codec: ReferenceCodec, form: Form, frame: bytes, header: int) -> bool:
    """True if a frame is a response header of this version, a body of this form, and no more."""
    try:
        _, offset = codec.read(codec.form(HEADER, header), frame)
        _, end = codec.read(form, frame, offset)
    except DecodeError:
        return False
    return end == len(frame)
