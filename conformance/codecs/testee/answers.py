"""Translation between the types of `conformance.testee_protocol` and the lines of a testee.

Pure functions: a request becomes a line, a line becomes an outcome, and a line that is no answer
becomes a `Violation` whose text says to the adapter's author which of the protocol's demands it
breaks. The caller decides what a violation costs. An answer is checked against the operation that
it answers, so that no incomplete answer reaches the judge: a decoder always says how much it left
unread, a writer always gives bytes.
"""

from __future__ import annotations

import binascii
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from conformance.codecs.testee.not_json import (
    DEEPEST,
    DEPTH,
    NOT_FINITE,
    read_leniently,
    too_deep,
    why_not_json,
)
from conformance.targets.crashes import out_of_memory
from conformance.targets.errors import shorten
from conformance.testee_protocol import Kind, Outcome, Request

NEEDED_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "roundtrip": ("bytes",),
    "decode": ("value", "remaining"),
    "encode": ("bytes",),
    "decode-request": ("header", "value", "remaining"),
    "encode-request": ("bytes",),
    "decode-response": ("header", "value", "remaining"),
    "encode-response": ("bytes",),
}
"""The keys that an answer without a refusal needs, for each operation."""

READS: Final = frozenset({"roundtrip", "decode", "decode-request", "decode-response"})
"""Operations that are given bytes; the others are given a value."""

REFUSALS: Final = ("rejected", "crashed", "unsupported")

_T = TypeVar("_T")

_NOTHING_ELSE: Final = (
    "stdout carries one JSON object a line and nothing else: write prints, logs and tracebacks "
    'to stderr, and answer an error as {"id":…,"rejected":"text","error":"TypeName"}'
)
_HEX: Final = "`bytes` of a line is hex in lower case, two digits a byte; base64 is for values"
_COPY_ID: Final = "copy the request's `id`, a JSON integer, into its answer as it came"
_REMEDIES: Final = {
    "id": _COPY_ID,
    "bytes": _HEX,
    "value": "`value` is the message as a JSON object, with the field names as keys",
    "header": "`header` is a JSON object with the fields of RequestHeader or ResponseHeader",
    "remaining": "`remaining` counts the undecoded bytes; null where nobody can tell",
    "rejected": "`rejected` is the error's text, and `error` the name of its type",
}
"""The remedy for a key of an answer that has the wrong type."""


class Violation(Exception):
    """A line that is no answer to the request it was read for. `remedy` mends the adapter."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy


class Answer(msgspec.Struct, frozen=True):
    """One line of a testee, before it is held against its request. Unknown keys are ignored."""

    id: int | UnsetType = UNSET
    value: dict[str, Any] | UnsetType = UNSET
    bytes: str | UnsetType = UNSET
    header: dict[str, Any] | UnsetType | None = UNSET
    remaining: int | UnsetType | None = UNSET
    version: int | None = None
    rejected: str | UnsetType = UNSET
    crashed: str | UnsetType = UNSET
    unsupported: str | UnsetType = UNSET
    error: str | None = None
    stage: str | None = None
    allocated: int | None = None
    adapter_error: Any = msgspec.field(name="adapter-error", default=UNSET)


def request_fields(request: Request, request_id: int) -> dict[str, Any]:
    """The JSON object that asks for `request`: only the keys that its operation uses."""
    fields: dict[str, Any] = {"op": request.op, "id": request_id}
    if request.op != "decode-request":  # a request frame says itself what it holds
        fields["message"] = request.message
        fields["version"] = request.version
    if request.op in READS:
        fields["bytes"] = request.bytes.hex()
    else:
        fields["value"] = request.value
    if request.op in ("encode-request", "encode-response"):
        fields["header"] = request.header
    return fields


def request_line(request: Request, request_id: int) -> bytes:
    """Return `request` as the testee reads it, its newline included."""
    return msgspec.json.encode(request_fields(request, request_id)) + b"\n"


_decoder = msgspec.json.Decoder(Answer)


def parse(line: bytes) -> Answer:
    """Read one line of stdout. Raises Violation where it is not a JSON object of known shape."""
    try:
        answer = _decoded(line)
    except msgspec.ValidationError as error:
        raise Violation(f"{error}: {quoted(line)}", _remedy_of(error)) from None
    except (ValueError, RecursionError) as error:
        why, remedy = why_not_json(line)
        what = f"not JSON ({why or shorten(str(error))}): {quoted(line)}"
        raise Violation(what, remedy or _NOTHING_ELSE) from None
    if too_deep(line, [answer.value, answer.header]):
        what = f"no value can hold more than {DEEPEST} levels of nesting: {quoted(line)}"
        raise Violation(what, DEPTH)
    return answer


def _decoded(line: bytes) -> Answer:
    """Return the answer. Raises ValueError if not JSON, msgspec.ValidationError for wrong types."""
    try:
        return _decoder.decode(line)
    except (ValueError, RecursionError) as strict:
        try:
            said = read_leniently(line)
        except (ValueError, RecursionError):
            raise strict from None
        return msgspec.convert(said, Answer)


def parse_object(fields: object) -> Answer:
    """Convert an answer that was never a line, that of a codec in this process."""
    try:
        return msgspec.convert(fields, Answer)
    except (msgspec.ValidationError, RecursionError) as error:
        raise Violation(str(error)) from None


def _remedy_of(error: msgspec.ValidationError) -> str:
    """The error names the key as a path at its end, in backquotes, unless the line is no object."""
    if "out of range" in str(error):
        return NOT_FINITE
    _, _, path = str(error).rpartition("`$.")
    return _REMEDIES.get(path.rstrip("`"), _NOTHING_ELSE if not path else "see the protocol")


def outcome_of(answer: Answer, request: Request, request_id: int) -> Outcome:
    """Return the target's outcome for `request`. Raises Violation if `answer` does not say."""
    if answer.adapter_error is not UNSET:
        raise Violation(
            f"adapter-error: {shorten(str(answer.adapter_error), 1000)}",
            "the adapter itself says what it did wrong: mend that method of the codec object",
        )
    _check_id(answer, request_id)
    refusals = [key for key in REFUSALS if getattr(answer, key) is not UNSET]
    given = [key for key in ("value", "bytes") if getattr(answer, key) is not UNSET]
    if len(refusals) + bool(given) > 1:
        raise Violation(
            f"an answer has one of {', '.join(refusals + given)}, not all of them",
            "answer with what was decoded or encoded, or say why there is nothing, never both",
        )
    if refusals:
        return _refused(answer, refusals[0])
    return _answered(answer, request)


def _check_id(answer: Answer, request_id: int) -> None:
    if answer.id is UNSET:
        raise Violation(f"no `id`; the request's was {request_id}", _COPY_ID)
    if answer.id != request_id:
        raise Violation(
            f"id {answer.id} where {request_id} is due: answers come in the order of the requests",
            f"{_COPY_ID}; answer one request after another, in the order in which they came",
        )


def _refused(answer: Answer, kind: str) -> Outcome:
    """Return the outcome of a refusal. Running out of memory is a crash, even if it was caught."""
    if kind == "rejected" and out_of_memory(answer.error or ""):
        return Outcome(outcome="crashed", text=f"{answer.error}: {answer.rejected}")
    return Outcome(
        outcome=cast("Kind", kind),
        text=getattr(answer, kind),
        error=answer.error or "",
        stage=answer.stage or "",
        allocated=answer.allocated,
    )


def _answered(answer: Answer, request: Request) -> Outcome:
    needed = NEEDED_KEYS[request.op]
    missing = [key for key in needed if getattr(answer, key) is UNSET]
    if "header" in needed and answer.header is None:
        missing.append("header")
    if missing:
        also = "" if len(missing) < len(needed) else ", `rejected`, `crashed` or `unsupported`"
        raise Violation(
            f"an answer to {request.op} needs `{'`, `'.join(missing)}`{also}",
            _REMEDIES[missing[0]],
        )
    remaining = _or_none(answer.remaining)
    if needed == ("bytes",):
        return Outcome(
            outcome="value", bytes=_unhex(cast("str", answer.bytes)), allocated=answer.allocated
        )
    return Outcome(
        outcome="value",
        value=answer.value,
        header=_or_none(answer.header),
        remaining=remaining,
        version=answer.version,
        allocated=answer.allocated,
    )


def _unhex(text: str) -> bytes:
    try:
        data = binascii.unhexlify(text)
    except ValueError as error:
        raise Violation(f"`bytes` is not hex ({error}): {shorten(text)}", _HEX) from None
    if data.hex() != text:
        raise Violation(f"`bytes` is not lower-case hex: {shorten(text)}", _HEX)
    return data


def _or_none(value: _T | UnsetType) -> _T | None:
    return None if isinstance(value, UnsetType) else value


def quoted(line: bytes) -> str:
    """The start of a line, fit for a message."""
    return repr(shorten(line[:500].decode("utf-8", "replace")))
