"""A verdict in words: what was asked, what was allowed, what came back."""

from __future__ import annotations

import shlex
from typing import Any

import msgspec

from conformance.results.lines import Verdict

_LINE = 240


def failure_text(verdict: Verdict, more: int = 0) -> str:
    """Several lines that show one case; `more` cases like it are counted in the last."""
    lines = [
        f"{verdict.rule} ({verdict.class_}): {verdict.verdict}",
        f"case:     {verdict.case}",
        f"input:    {shown(verdict.input)}",
        f"expected: {shown(verdict.expected)}",
        f"actual:   {shown(verdict.actual)}",
    ]
    if verdict.first_difference:
        lines.append(f"differs:  {verdict.first_difference}")
    if verdict.detail:
        lines.append(f"because:  {verdict.detail}")
    if more:
        lines.append(f"and {more} more")
    return "\n".join(lines)


def shown(value: Any) -> str:
    """Hex as it is and values as JSON, cut to one line."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _LINE else f"{text[:_LINE]}… ({len(text)} characters)"


def reproduce(target: str, case: str) -> str:
    """The command that runs one case alone."""
    selection = f"--case {shlex.quote(case)}"
    if target.startswith("-- "):
        return f"kafka-conformance codec {selection} {target}"
    return f"kafka-conformance codec {shlex.quote(target)} {selection}"
