"""One failure as data: the sent, the allowed and the received, as bytes or as text.

A verdict has these in hex, in values or in words, depending on the operation. Bytes go beside bytes
and values beside values; a part without a counterpart stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from conformance.reporting.site.hexdump import (
    Annotate,
    Dump,
    Dumped,
    DumpedField,
    Kind,
    alone,
    beside,
)
from conformance.reporting.site.hexdump import unnamed as unnamed_fields
from conformance.results.lines import EXCHANGE, FORWARD, Verdict
from conformance.results.publish import WITHHELD
from conformance.results.text import is_hex
from conformance.results.visits import MARK, around, marked

_FRAME = re.compile(r"(?P<said>.*\s)(?P<bytes>(?:[0-9a-f]{2}){8,})")
_KINDS: dict[str, tuple[Kind, Kind]] = {
    "decode-request": ("request", "request"),
    "encode-request": ("request", "request"),
    "decode-response": ("response", "response"),
    "encode-response": ("response", "response"),
    EXCHANGE: ("requests", "responses"),
    FORWARD: ("requests", "responses"),
}
"""By operation, the kinds of bytes sent and received; other operations send and receive bodies."""
_LONGEST = 4000
_MOST_FRAMES = 25
_NOTHING: tuple[Any, ...] = ("", None, [], {})


class Bodies:
    """A maker of the parts of one run's failures, by the definitions that it follows."""

    def __init__(self, definitions: str, annotate: Annotate) -> None:
        self._definitions = definitions
        self._annotate = annotate

    def parts(self, verdict: Verdict) -> list[dict[str, Any]]:
        """Return the parts that the page shows, in order; none of a withheld case."""
        return [] if verdict.case == WITHHELD else list(self._parts(verdict))

    def _parts(self, verdict: Verdict) -> Iterator[dict[str, Any]]:
        sent, allowed, came = verdict.input, verdict.expected, verdict.actual
        if is_hex(allowed) and is_hex(came):
            if sent != allowed:
                yield from self._sent(verdict)
            title = "sent, and expected back" if sent == allowed else "expected"
            yield self._beside((title, "received"), verdict).data()
            return
        yield from self._sent(verdict)
        if is_hex(allowed) and not isinstance(came, list):
            yield from self._allowed(verdict)
        elif isinstance(came, list) and any(isinstance(each, str) for each in came):
            yield _text("allowed", allowed, "", None)
            yield from self._frames(verdict, came)
        elif is_hex(came):
            yield _text("allowed", allowed, "", None)
            fields = self._fields(came, verdict, _kinds(verdict)[1])
            yield alone("received", fields, None).data()
        elif allowed not in _NOTHING or came not in _NOTHING:
            yield _text("allowed", allowed, "received", came)

    def _allowed(self, verdict: Verdict) -> Iterator[dict[str, Any]]:
        """Yield the allowed bytes if something other than bytes was received."""
        if verdict.expected != verdict.input:
            fields = self._fields(verdict.expected, verdict, _kinds(verdict)[1])
            yield alone("allowed", fields, None).data()
            yield _text("received", verdict.actual, "", None)
        else:
            yield _text("allowed", "the bytes that were sent", "received", verdict.actual)

    def _sent(self, verdict: Verdict) -> Iterator[dict[str, Any]]:
        if is_hex(verdict.input):
            fields = self._fields(verdict.input, verdict, _kinds(verdict)[0])
            yield alone("sent", fields, _pointed_at(verdict)).data()
        elif verdict.input not in _NOTHING:
            yield _text("sent", verdict.input, "", None)

    def _beside(self, titles: tuple[str, str], verdict: Verdict) -> Dump:
        kind = _kinds(verdict)[1]
        left = self._fields(verdict.expected, verdict, kind)
        came = bytes.fromhex(verdict.actual)
        right = self._sent_fields(came, kind, verdict) or unnamed_fields(came, left)
        return beside(titles, left, right)

    def _frames(self, verdict: Verdict, came: list[Any]) -> Iterator[dict[str, Any]]:
        """Yield a client's requests and answers, and under each request its frame."""
        is_broken = MARK in came
        came, broke = marked(came)
        window = around(len(came), broke, _MOST_FRAMES)
        if window.start:
            yield _text("received", f"{window.start} before", "", None)
        for at in window:
            line = came[at]
            frame = _FRAME.fullmatch(line) if isinstance(line, str) else None
            title = "received, and broke the rule" if is_broken and at == broke else "received"
            yield _text(title, frame["said"].strip() if frame else line, "", None)
            if frame:
                data = bytes.fromhex(frame["bytes"])
                fields = self._sent_fields(data, "request", verdict) or unnamed_fields(data)
                yield alone("frame", fields, None).data()
        if more := len(came) - window.stop:
            yield _text("received", f"{more} after", "", None)

    def _fields(self, hex_: str, verdict: Verdict, kind: Kind) -> list[DumpedField]:
        data = bytes.fromhex(hex_)
        return self._sent_fields(data, kind, verdict) or unnamed_fields(
            data, _annotated_fields(verdict)
        )

    def _sent_fields(self, data: bytes, kind: Kind, verdict: Verdict) -> list[DumpedField]:
        asked = Dumped(data, kind, verdict.message, verdict.version, self._definitions)
        return self._annotate(asked)


def _kinds(verdict: Verdict) -> tuple[Kind, Kind]:
    return _KINDS.get(verdict.op, ("body", "body"))


def _pointed_at(verdict: Verdict) -> int | None:
    """Return the offset of the sent byte that the judge points at, None if it points at none."""
    if any(row.actual is not None for row in verdict.annotated):
        return None
    return next((row.offset for row in verdict.annotated if row.differs), None)


def _annotated_fields(verdict: Verdict) -> list[DumpedField]:
    """Return the few fields that the judge named, for bytes that can't be annotated."""
    return [
        DumpedField(row.offset, _plain(row.bytes), row.path, row.type, row.value)
        for row in verdict.annotated
    ]


def _plain(hex_: str) -> bytes:
    text = hex_.replace(" ", "").rstrip("…")
    return bytes.fromhex(text) if is_hex(text) else b""


def _text(left: str, one: Any, right: str, other: Any) -> dict[str, Any]:
    """Return words or values, in one column or in two."""
    return {
        "kind": "text",
        "left": left,
        "one": _shown(one),
        "right": right,
        "other": _shown(_like(one, other)) if right else "",
    }


def _like(one: Any, other: Any) -> Any:
    """Return a value with its keys in the order of another, so that their lines can be compared."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*(key for key in one if key in other), *(key for key in other if key not in one)]
        return {key: _like(one.get(key), other[key]) for key in keys}
    if isinstance(one, list) and isinstance(other, list):
        model = one[-1:] * len(other)
        return [
            _like(each, value)
            for each, value in zip([*one, *model][: len(other)], other, strict=False)
        ] or other
    return other


def _shown(value: Any) -> str:
    if value in (None, ""):
        return "nothing"
    text = value if isinstance(value, str) else _pretty(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… ({len(text):,} characters)"


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
