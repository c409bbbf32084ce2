"""The header and the exit code of a run on a target, on Spark or off it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.errors import BROKEN_RULE, INTERRUPTED, UNCONFIRMED, UNREACHABLE
from conformance.results.lines import Run
from conformance.results.naming import file_name
from conformance.testee_protocol import Hello


def now() -> str:
    """Return the current UTC time in the form of results, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def header(
    target: str,
    hello: Hello,
    profile: str,
    started: str,
    selection: Mapping[str, Any],
    lacks: str = "",
    again: Sequence[str] = (),
    left_out: Sequence[str] = (),
    named: str = "",
) -> Run:
    """Return the header of a run on a target that has said hello. Empty selections are left out."""
    return Run(
        target=target,
        target_version=f"{hello.name} {hello.version}".strip(),
        language=hello.language,
        definitions=hello.definitions,
        suite_version=__version__,
        profile=profile,
        started=started,
        selection={key: value for key, value in selection.items() if value != []},
        lacks=lacks,
        left_out=list(left_out),
        named=named,
        again=list(again),
    )


def exit_code(
    *, interrupted: bool, unfinished: bool, broken: bool, judged: bool, unconfirmed: bool = False
) -> int:
    """Return the exit code of a run on a target.

    It is `unfinished` if the target or a part of the work was lost, or the suite or the adapter
    failed; `broken` if a fault was found that is not known; `unconfirmed` if something was
    suspicious, and no case shows whether it is wrong.
    """
    if interrupted:
        return INTERRUPTED
    if unfinished:
        return UNREACHABLE
    if broken:
        return BROKEN_RULE
    if unconfirmed:
        return UNCONFIRMED
    return 0 if judged else UNREACHABLE


def results_path(wanted: Path, target: str, targets: int) -> Path:
    """Return the results file of one target: `wanted`, with the target's name if there are several.

    >>> results_path(Path("out/all.ndjson"), "mine:Codec", 2).name
    'all-mine-Codec.ndjson'
    """
    if targets == 1:
        return wanted
    return wanted.with_stem(f"{wanted.stem}-{file_name(target)}")
