"""`kafka-conformance explain CAPTURE`: every frame of captured traffic, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.errors import UNREACHABLE, ConformanceError

if TYPE_CHECKING:
    from conformance.captures.audit.explaining import ExplainedFrame, Wanted
    from conformance.captures.errors import Limits
    from conformance.explain import Explanation
    from conformance.wire.annotated import Row


class NoSuchFrame(ConformanceError):
    """No frame of Kafka in the captures, or not the one that was asked for."""

    exit_code = UNREACHABLE


def explain_captures(
    sources: Sequence[str],
    ports: frozenset[int] | None,
    release: str,
    lenient: bool,
    wanted: Wanted,
    limits: Limits,
    show: Callable[[Explanation], None],
    as_object: Callable[[Row], dict[str, Any]] | None,
) -> bool:
    """Print each frame by `show`, or as an object a line; whether all are well-formed.

    Raises CaptureError and NoSuchFrame.
    """
    from conformance.captures.audit.explaining import explained
    from conformance.captures.streams.traffic import files_of

    files = files_of([Path(source) for source in sources])
    frames = wrong = 0
    for found in explained(files, ports, release, lenient=lenient, wanted=wanted, limits=limits):
        frames += found.explanation is not None
        wrong += bool(found.explanation and found.explanation.wrong)
        if as_object:
            click.echo(json.dumps(_object(found, as_object)))
        else:
            _print(found, show)
    if not frames:
        raise _nothing(wanted)
    return not wrong


def _nothing(wanted: Wanted) -> NoSuchFrame:
    """Why nothing was shown, and what to do about it."""
    if wanted.case:
        remedy = "give --port, --release and --largest as for the audit"
        return NoSuchFrame(f"no frame {wanted.case}", remedy)
    what = "no frame of Kafka" if wanted.is_all else "no such frame"
    return NoSuchFrame(f"{what} in what was captured", "--port N or --port auto")


def _print(found: ExplainedFrame, show: Callable[[Explanation], None]) -> None:
    if found.explanation is None:
        click.echo(f"-- {found.case}: {found.skipped}")
        return
    click.echo(f"-- {found.case}, {found.side} at {_time(found.at_ns)}")
    show(found.explanation)


def _object(found: ExplainedFrame, as_object: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    if found.explanation is None:
        return {"case": found.case, "skipped": found.skipped}
    return {
        "case": found.case,
        "at": _time(found.at_ns),
        "side": found.side,
        "title": found.explanation.title,
        "rows": [as_object(row) for row in found.explanation.rows],
    }


def _time(at_ns: int) -> str:
    """A time as text; one beyond the calendar as its seconds."""
    seconds, rest = divmod(at_ns, 1_000_000_000)
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"
    except (OverflowError, OSError, ValueError):
        return f"{seconds}.{rest:09}"
