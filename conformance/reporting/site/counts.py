"""Counts by verdict: as a cell to read, and in few characters for a script.

A cell has a sign and words with the meaning of its colour, so that it can be read without colour.
In a script, the verdicts of a rule on a message are one text: `0-3:p3;4:p2f1` are three passes in
each of the versions 0 to 3, then two passes and a failure in version 4. `-1` is a case of no
version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from conformance.reporting.site.gathered_run import broken

LETTERS = {
    "pass": "p",
    "note": "n",
    "fail": "f",
    "crash": "c",
    "hang": "h",
    "unsupported": "u",
    "not-proven": "q",
    "error": "e",
}
SIGNS = {
    "pass": "✓",
    "note": "~",
    "fail": "✗",
    "crash": "‼",
    "hang": "‼",
    "unsupported": "⊘",
    "not-proven": "?",
    "error": "!",
}
_DEEPER = (0.01, 0.1, 0.5)
"""The least rates of failures for each deeper shade of their colour."""
_MORE = (3, 10, 20)
"""The least numbers of defects for each deeper shade."""


@dataclass(frozen=True)
class SiteCell:
    """A cell of a table: one result as a colour (`kind`), as a `sign` and as `text`."""

    kind: str
    sign: str
    text: str


def cell(verdicts: Counter[str]) -> SiteCell:
    """Return the cell for these verdicts: the worst of them, and how often."""
    judged = verdicts.total() - verdicts["unsupported"]
    failed = broken(verdicts)
    if not verdicts.total():
        return SiteCell("none", "·", "not asked")
    if not judged:
        return SiteCell("none", "⊘", "unsupported")
    if failed:
        kind = "harm" if verdicts["crash"] or verdicts["hang"] else "fail"
        sign = "‼" if kind == "harm" else "✗"
        return SiteCell(shade(kind, failed / judged), sign, f"{failed:,} of {judged:,}")
    if verdicts["error"]:
        return SiteCell("error", "!", f"{verdicts['error']:,} errors")
    if verdicts["not-proven"] == judged:
        return SiteCell("unproven", "?", "not proven")
    unproven = f", ? {verdicts['not-proven']:,}" if verdicts["not-proven"] else ""
    if not verdicts["pass"]:
        return SiteCell("note", "~", f"{verdicts['note']:,} noted{unproven}")
    return SiteCell("pass", "✓", f"{verdicts['pass'] + verdicts['note']:,}{unproven}")


def breaking(some: int, judged: int) -> SiteCell:
    """Return the cell for so many targets that break a rule, of so many judged by it."""
    if not judged:
        return SiteCell("none", "⊘", "unsupported")
    if not some:
        return SiteCell("pass", "✓", f"{judged}")
    return SiteCell(shade("fail", some / judged), "✗", f"{some} of {judged}")


def shade(kind: str, rate: float) -> str:
    """Return a colour and its shade: the higher the rate of failures, the deeper."""
    if kind != "fail":
        return kind
    return f"fail r{1 + sum(rate >= limit for limit in _DEEPER)}"


def shade_of_number(kind: str, number: int) -> str:
    """Return a colour and its shade: the more defects, the deeper."""
    if kind != "fail":
        return kind
    return f"fail r{1 + sum(number >= limit for limit in _MORE)}"


def packed(verdicts: Mapping[str, int]) -> str:
    """Return counts in few characters: `p3f1`."""
    return "".join(
        f"{letter}{verdicts[name]}" for name, letter in LETTERS.items() if verdicts.get(name)
    )


def packed_versions(by_version: Mapping[int, Counter[str]]) -> str:
    """Return counts by version in few characters: `0-3:p3;4:p2f1`."""
    spans = _spans((version, packed(by_version[version])) for version in sorted(by_version))
    return ";".join(f"{span}:{text}" for span, text in spans)


def _spans(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """Yield spans of adjacent versions that have the same text, with that text."""
    numbered = enumerate(texts)
    for (text, _), alike in groupby(numbered, key=lambda pair: (pair[1][1], pair[1][0] - pair[0])):
        versions = [version for _, (version, _) in alike]
        low, high = versions[0], versions[-1]
        yield (str(low) if low == high else f"{low}-{high}"), text
