"""A verdict in words: what was asked, what was allowed, what came back."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

from conformance.results.lines import Verdict

_LINE = 240


def failure_text(verdict: Verdict, more: int = 0) -> str:
    """Several lines that show one case; `more` cases like it are counted in the last."""
    lines = [f"{verdict.rule} ({verdict.class_}): {verdict.verdict}", *case_lines(verdict)]
    if verdict.detail:
        lines.append(f"because:  {verdict.detail}")
    if more:
        lines.append(f"and {more} more")
    return "\n".join(lines)


def case_lines(verdict: Verdict) -> list[str]:
    """The case, what it asked, what was allowed, what came back and where they differ."""
    lines = [
        f"case:     {verdict.case}",
        f"input:    {shown(verdict.input)}",
        f"expected: {shown(verdict.expected)}",
        f"actual:   {shown(verdict.actual)}",
    ]
    if verdict.first_difference:
        lines.append(f"differs:  {verdict.first_difference}")
    return lines


def shown(value: Any) -> str:
    """Hex as it is and values as JSON, cut to one line."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text.split())
    return text if len(text) <= _LINE else f"{text[:_LINE]}… ({len(text)} characters)"


def reproduce(target: str, case: str, options: Sequence[str] = ()) -> str:
    """The command that runs one case alone, with those options of the run that it depends on."""
    selection = shlex.join(["--case", case, *options])
    if target.startswith("-- "):
        return f"kafka-conformance codec {selection} {target}"
    return f"kafka-conformance codec {shlex.quote(target)} {selection}"
