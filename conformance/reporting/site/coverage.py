"""The messages and versions that a target was asked, of those that its definitions have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.reporting.site.gathered_run import CountedForm

Definitions = Callable[[str], Mapping[str, Sequence[int]]]
"""The versions of each message by the definitions of a release; none if the release is unknown."""


@dataclass(frozen=True)
class Coverage:
    """The coverage of a target.

    `rows` are messages and the state of each version: `asked`, `missing` or `extra`.
    """

    rows: list[tuple[str, dict[int, str]]] = field(default_factory=list)
    asked: int = 0
    defined: int = 0
    missing: list[str] = field(default_factory=list)


def covered(counts: Counter[CountedForm], defined: Mapping[str, Sequence[int]]) -> Coverage:
    """Return the coverage: a version was asked if it got another verdict than `unsupported`.

    Without definitions to compare with, there are no rows.
    """
    asked: dict[str, set[int]] = {}
    for form in counts:
        if form.verdict != "unsupported" and form.version >= 0:
            asked.setdefault(form.message, set()).add(form.version)
    if not defined or not asked:
        return Coverage()
    rows = [(name, _states(asked.get(name, set()), defined[name])) for name in sorted(defined)]
    missing = [
        f"{name} {_spans([v for v, state in states.items() if state == 'missing'])}"
        for name, states in rows
        if "missing" in states.values()
    ]
    states = Counter(state for _, row in rows for state in row.values())
    return Coverage(rows, states["asked"], states["asked"] + states["missing"], missing)


def _states(asked: set[int], defined: Sequence[int]) -> dict[int, str]:
    states = {version: "asked" if version in asked else "missing" for version in defined}
    return states | dict.fromkeys(sorted(asked - set(defined)), "extra")


def _spans(versions: Sequence[int]) -> str:
    low, high = versions[0], versions[-1]
    if low == high:
        return f"v{low}"
    whole = len(versions) == high - low + 1
    return f"v{low} to v{high}" if whole else ", ".join(f"v{version}" for version in versions)
