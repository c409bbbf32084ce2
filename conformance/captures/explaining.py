"""The frames of captures, each explained to its last byte, and what of them is not shown.

The values of fields that hold passwords and keys are left out, and so are bytes of such frames
that could not be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.captures.events import Captured, Event, Skipped
from conformance.captures.showing import is_secret
from conformance.captures.traffic import Traffic, segments
from conformance.explain import Explainer, Explanation
from conformance.reference import ReferenceCodec
from conformance.wire.annotated import Row

_SECRET_FIELD = re.compile(r"\b(authBytes|hmac|salt|saltedPassword|value)$")


@dataclass(frozen=True, slots=True)
class Explained:
    """A frame of a capture: its id, when it was sent, and its rows; or what was passed over."""

    case: str
    at_ns: int = 0
    side: str = ""
    explanation: Explanation | None = None
    skipped: str = ""


def explained(
    paths: Iterable[Path],
    ports: frozenset[int] | None,
    release: str = "",
    *,
    lenient: bool = False,
    case: str = "",
) -> Iterator[Explained]:
    """Every frame, in the order in which they are complete; only that of a case where one is given.

    Raises CaptureError.
    """
    explainer = Explainer(release, lenient=lenient, length=False)
    traffic = Traffic(ReferenceCodec(release), ports)
    for event in _events(traffic, paths):
        if case and (isinstance(event, Skipped) or event.case != case):
            continue
        if isinstance(event, Captured):
            yield _frame(explainer, event)
        elif isinstance(event, Skipped):
            yield Explained(
                event.connection, skipped=": ".join(filter(None, (event.why, event.detail)))
            )
        else:
            yield Explained(event.case, event.at_ns, skipped="an answer to nothing that was asked")


def _events(traffic: Traffic, paths: Iterable[Path]) -> Iterator[Event]:
    for segment in segments(paths, traffic.told):
        yield from (event for _, event in traffic.feed(segment))
    yield from (event for _, event in traffic.finish())
    for why, count in traffic.told.reasons.items():
        yield Skipped("the capture", why, str(count))


def _frame(explainer: Explainer, captured: Captured) -> Explained:
    asked = captured.asked
    if captured.side == "request":
        found = explainer.request(captured.frame)
    elif captured.message:
        found = explainer.response(captured.frame, captured.message, asked.version)
    else:
        what = f"an answer to api key {asked.api_key} v{asked.version}, which has no definition"
        return Explained(captured.case, captured.at_ns, captured.side, skipped=what)
    if is_secret(captured.message):
        found = replace(found, rows=tuple(map(_hidden, found.rows)))
    return Explained(captured.case, captured.at_ns, captured.side, found)


def _hidden(row: Row) -> Row:
    """A row without its bytes, where they may be secret."""
    if row.state in ("read", "forgiven") and not _SECRET_FIELD.search(row.path):
        return row
    return replace(row, data=b"", value=None, text=f"({len(row.data)} bytes, not shown)")
