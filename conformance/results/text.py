"""A verdict in words: what was asked, what was allowed, what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from conformance.results.lines import BROKEN, EXCHANGE, FORWARD, VISIT, Run, Verdict
from conformance.results.visits import visit_lines

_LINE = 240
_SEEN = {
    "silent": "no answer came",
    "closed": "the connection was closed",
    "reset": "the connection was reset",
}
"""The end of an exchange without an answer in words, by its outcome."""
_HEX = re.compile(r"(?:[0-9a-f]{2})+")


def failure_text(verdict: Verdict, more: int = 0) -> str:
    """Return several lines that show one case; the last one counts `more` cases like it."""
    lines = [f"{verdict.rule} ({verdict.class_}): {verdict.verdict}", *case_lines(verdict)]
    if verdict.detail:
        lines.append(f"because:  {verdict.detail}")
    if more:
        lines.append(f"and {more} more")
    return "\n".join(lines)


def case_lines(verdict: Verdict) -> list[str]:
    """Return lines with the case, its input, the expected and actual result, the difference."""
    lines = [
        f"case:     {verdict.case}",
        *_asked(verdict),
        f"expected: {shown(verdict.expected)}",
        *_came(verdict),
        *(f"seen:     {words}" for words in filter(None, [seen(verdict)])),
    ]
    if verdict.first_difference:
        lines.append(f"differs:  {verdict.first_difference}")
    return lines + annotated_lines(verdict)


def seen(verdict: Verdict) -> str:
    """Return what came in place of an answer where an exchange broke its rule; else ""."""
    is_exchange = verdict.op in (EXCHANGE, FORWARD) and verdict.verdict in BROKEN
    return _SEEN.get(verdict.outcome, "") if is_exchange else ""


def _asked(verdict: Verdict) -> list[str]:
    """Return what was sent; of several requests also the last one, with its answer."""
    sent = f"input:    {shown(verdict.input)}"
    if not verdict.step:
        return [sent]
    request, answer = verdict.step
    return [sent, f"last:     {shown(request)}", f"answer:   {shown(answer) if answer else 'none'}"]


def _came(verdict: Verdict) -> list[str]:
    """Return what came back; for a client's visit, its relevant requests and answers."""
    if verdict.op != VISIT or not isinstance(verdict.actual, list):
        return [f"actual:   {shown(verdict.actual)}"]
    return ["actual:", *("  " + line for line in visit_lines(verdict.actual))]


def annotated_lines(verdict: Verdict) -> list[str]:
    """Return the bytes around a difference, a line a field, `>` in front of the first that differs.

    The actual bytes stand beside the expected ones; for a reading, the bytes that were sent are
    shown.
    """
    rows = verdict.annotated
    if not rows:
        return []
    beside = any(row.actual is not None for row in rows)
    table = [
        ("offset", "expected", "actual", "field") if beside else ("offset", "sent", "", "field")
    ]
    for row in rows:
        name = "  ".join(filter(None, (row.path, row.type, row.value)))
        table.append((str(row.offset), row.bytes, row.actual or "", name))
    marks = [" ", *(">" if row.differs else " " for row in rows)]
    widths = [max(len(cells[i]) for cells in table) for i in range(3)]
    return [_annotated_line(*pair, widths) for pair in zip(marks, table, strict=True)]


def _annotated_line(mark: str, cells: tuple[str, str, str, str], widths: Sequence[int]) -> str:
    offset, one, other, name = cells
    beside = f"  {other:<{widths[2]}}" if widths[2] else ""
    return f"  {mark} {offset:>{widths[0]}}  {one:<{widths[1]}}{beside}  {name}".rstrip()


def shown(value: Any) -> str:
    """Return hex as it is and values as JSON, cut to one line."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text.split())
    return text if len(text) <= _LINE else f"{text[:_LINE]}… ({len(text)} characters)"


def json_text(value: Any) -> str:
    """Return a value as JSON shows it: bytes as hex, and half of a surrogate pair escaped.

    >>> json_text({"a": True, "b": None}), json_text(b"\\x01"), json_text(("x", 1))
    ('{"a": true, "b": null}', '"01"', '["x", 1]')
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=_as_json)
    except TypeError:  # keys that JSON can't have
        text = str(value)
    return text.encode("utf-8", "backslashreplace").decode()


def _as_json(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def is_hex(value: Any) -> bool:
    """True if a value is a string of hex digits, as bytes are in results."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def counted(number: int, what: str) -> str:
    """Return a number with its noun: `1 rule`, `1,024 rules`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of numbers that follow each other."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def spans(versions: Iterable[int]) -> list[str]:
    """Return versions in words: `v0`, `v3 to v5`."""
    return [f"v{low}" if low == high else f"v{low} to v{high}" for low, high in runs(versions)]


def by_definitions(run: Run) -> str:
    """Return the definitions that a run judged by, as the end of a sentence; "" for none.

    A version that the release lacks is judged by the newest stored release that has it.
    """
    if not run.definitions:
        return ""
    lacking = "for versions that it lacks, of the newest release with them"
    return f", by the definitions of Apache Kafka {run.definitions} and, {lacking}"
