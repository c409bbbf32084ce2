"""Suspicions that no case confirms, by reason, each reason with its shortest input.

They are no findings, as no breach of a rule was seen, and no success either: a codec that answers
differently the second time, or an error that no caller is meant to catch, may be among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from conformance.fuzzing.campaign import Suspected, write_inputs
from conformance.reporting.closing_block import Defect, outcome_of
from conformance.results.command_lines import input_line
from conformance.results.text import counted

FOLDER = "unconfirmed"
MOST_SHOWN = 5
"""So many reasons are shown; the others are counted."""


def outcome(defects: Sequence[Defect], unconfirmed: Sequence[Suspected]) -> str:
    """Return the outcome of a run in a line: what was found, and what could not be confirmed."""
    said = [outcome_of(defects)] if defects else []
    if unconfirmed:
        said.append(f"{counted(len(unconfirmed), 'suspicion')} could not be confirmed")
    return ", ".join(said) or "nothing found"


def unconfirmed_in_words(unconfirmed: Iterable[Suspected]) -> list[str]:
    """Return a line for each reason, without the bytes, which may do harm."""
    reasons = Counter(each.reason for each in unconfirmed)
    return [f"not confirmed: {why} ({counted(n, 'input')})" for why, n in reasons.items()]


def keep_unconfirmed(folder: Path, unconfirmed: Iterable[Suspected]) -> None:
    """Write the inputs to the folder of a campaign, in place of those that were there."""
    kept = folder / FOLDER
    kept.mkdir(mode=0o700, exist_ok=True)
    for path in kept.iterdir():
        path.unlink()
    write_inputs(kept, (each.data for each in unconfirmed))


def show_unconfirmed(
    console: Console, target: str, unconfirmed: Iterable[Suspected], profile: str
) -> None:
    """Print each reason with its shortest input and the command that judges it again."""
    reasons: dict[str, list[bytes]] = {}
    for each in unconfirmed:
        reasons.setdefault(each.reason, []).append(each.data)
    for why, inputs in list(reasons.items())[:MOST_SHOWN]:
        shortest = min(inputs, key=lambda data: (len(data), data))
        said = f"not confirmed: {why} ({counted(len(inputs), 'input')})"
        console.print(said, soft_wrap=True, markup=False)
        command = input_line(target, shortest, profile)
        console.print(f"  {command}", soft_wrap=True, markup=False)
    if len(reasons) > MOST_SHOWN:
        console.print(f"and {len(reasons) - MOST_SHOWN} more reasons")


__all__ = [
    "FOLDER",
    "keep_unconfirmed",
    "outcome",
    "show_unconfirmed",
    "unconfirmed_in_words",
]
