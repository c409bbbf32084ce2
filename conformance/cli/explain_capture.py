"""`kafka-conformance explain CAPTURE`: every frame of captured traffic, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.explain_rows import WIDTH
from conformance.errors import BROKEN_RULE, UNREACHABLE, ConformanceError
from conformance.results.command_lines import command_line

if TYPE_CHECKING:
    from conformance.captures.audit.explaining import ExplainedFrame, Wanted
    from conformance.captures.errors import Limits
    from conformance.explain import Explanation
    from conformance.wire.annotated import Row


class NoSuchFrame(ConformanceError):
    """The captures have no frame of Kafka, or not the selected one."""

    exit_code = UNREACHABLE


def explain_captures(
    files: Sequence[Path],
    ports: frozenset[int] | None,
    release: str,
    show: Callable[[ExplainedFrame], None],
    *,
    lenient: bool,
    profile: str,
    wanted: Wanted,
    limits: Limits,
) -> int:
    """Show each frame, and return the exit code. Raises CaptureError and NoSuchFrame."""
    from conformance.captures.audit.explaining import explained

    frames = broken = undecided = 0
    for found in explained(
        files, ports, release, lenient=lenient, profile=profile, wanted=wanted, limits=limits
    ):
        frames += found.explanation is not None
        broken += found.is_broken
        undecided += found.is_undecided
        show(found)
    if not frames:
        raise _nothing(wanted)
    if broken:
        return BROKEN_RULE
    return UNREACHABLE if undecided == frames else 0


def _nothing(wanted: Wanted) -> NoSuchFrame:
    """Return the error that says why nothing was shown, and what to do about it."""
    if wanted.case:
        remedy = "give --port, --release and --largest as for the audit"
        return NoSuchFrame(f"no frame {wanted.case}", remedy)
    what = "no frame of Kafka" if wanted.is_all else "no such frame"
    return NoSuchFrame(f"{what} in what was captured", "--port N or --port auto")


class Lines:
    """A printer of a line per frame, connection by connection, with its faults below it.

    `typed` is the command line that asked for it.
    """

    def __init__(self, typed: Sequence[str], says: Callable[[Explanation], Iterable[str]]) -> None:
        self._typed, self._says = typed, says
        self._connection = self._example = ""
        self._wrong = False

    def show(self, found: ExplainedFrame) -> None:
        """Print one more frame, or why one was skipped."""
        connection, _, number = found.case.rpartition("/")
        if found.explanation is None:
            click.echo(f"{found.case}: {found.skipped}")
            return
        if connection != self._connection:
            click.echo(connection)
        self._connection = connection
        if not self._example or (found.is_broken and not self._wrong):
            self._example = found.case
        self._wrong |= found.is_broken
        arrow = ">" if found.side == "request" else "<"
        time = _time(found.at_ns).partition("T")[2][:15]
        title = found.explanation.title.partition(", by the definitions")[0]
        click.echo(f"{number:>6}  {time}  {arrow} {title}")
        for line in (*self._says(found.explanation), *_breaches(found)):
            click.echo(fill(line, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 10))

    def end(self) -> None:
        """Print the commands that show all bytes of a frame, and of all frames."""
        click.echo(f"all bytes of one: {command_line([*self._typed, '--case', self._example])}")
        click.echo(f"of all frames: {command_line([*self._typed, '-v'])}")


def print_bytes(found: ExplainedFrame, show: Callable[[Explanation], None]) -> None:
    """Print all bytes of a frame."""
    if found.explanation is None:
        click.echo(f"-- {found.case}: {found.skipped}")
        return
    click.echo(f"-- {found.case}, {found.side} at {_time(found.at_ns)}")
    show(found.explanation)
    for line in _breaches(found):
        click.echo(fill(line, WIDTH, subsequent_indent="  "))


def _breaches(found: ExplainedFrame) -> Iterator[str]:
    """Yield a line for each rule that a frame breaks, or for why it was not judged."""
    if found.unjudged:
        yield f"not judged: one of the {found.unjudged}"
    for rule, why in found.breaks:
        yield f"breaks {rule}: {why}" if why else f"breaks {rule}"


def print_object(found: ExplainedFrame, as_object: Callable[[Row], dict[str, Any]]) -> None:
    """Print a frame as an object on one line."""
    click.echo(json.dumps(_object(found, as_object)))


def _object(found: ExplainedFrame, as_object: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    if found.explanation is None:
        return {"case": found.case, "skipped": found.skipped}
    return {
        "case": found.case,
        "at": _time(found.at_ns),
        "side": found.side,
        "title": found.explanation.title,
        "rows": [as_object(row) for row in found.explanation.rows],
        "breaks": [rule for rule, _ in found.breaks],
    }


def _time(at_ns: int) -> str:
    """Return a time as text, or as its seconds if it is beyond the calendar."""
    seconds, rest = divmod(at_ns, 1_000_000_000)
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"
    except (OverflowError, OSError, ValueError):
        return f"{seconds}.{rest:09}"
