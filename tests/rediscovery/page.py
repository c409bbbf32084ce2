"""Writes docs/public-defects.md, and the line of it in docs/proof.md.

`python -m tests.rediscovery.page`, in the root of a checkout.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.rediscovery.public import Defect, defects, listed

PAGE = Path("docs", "public-defects.md")
LINE = Path(__file__).with_name("figures.md")
KINDS = {"codec": "codecs", "client": "clients"}


def line() -> str:
    """How many of the defects that were chosen before they were run are found."""
    parts = [f"of {len(defects(kind))} of {KINDS[kind]} {_told(kind)}" for kind in KINDS]
    off = sum(bool(one.get("late") and one.get("excluded")) for one in listed())
    return (
        "- Public defects of released libraries, [chosen before they were run]"
        f"(public-defects.md): {'; '.join(parts)}; {off} more were taken off the list after they "
        "had been judged, each for a reason that the page gives."
    )


def _told(kind: str) -> str:
    told = _count(defects(kind))
    return ", ".join(f"{count} are {state}" for state, count in sorted(told.items()))


def _count(them: tuple[Defect, ...] | list[Defect]) -> Counter[str]:
    return Counter(_state(one) for one in them)


def _state(one: Defect) -> str:
    return "found" if one.rule else "not found" if one.missed else "not judged"


def page() -> Iterator[str]:
    """The whole page, line by line."""
    excluded = [one for one in listed() if one.get("excluded")]
    yield "# Public defects, and which the suite finds"
    yield ""
    yield (
        "What trackers and changelogs of fourteen libraries tell of since 2019: every defect of "
        "their wire format or of what they say on a connection whose broken and mended releases "
        "can be installed. The list was made before the suite was run on any of them "
        "(`tests/rediscovery/public.toml`). A defect is found where a rule fails in the broken "
        "release and is kept in the same cases by the mended one; `tox run -e rediscovery` shows "
        "each again."
    )
    yield ""
    yield "| library | kind | found | not found | not judged yet | counted |"
    yield "| --- | --- | --: | --: | --: | --: |"
    for (kind, library), them in _groups():
        told = _count(them)
        states = " | ".join(str(told[state]) for state in ("found", "not found", "not judged"))
        yield f"| {library} | {kind} | {states} | {told.total()} |"
    yield ""
    yield f"{len(excluded)} more do not count; the list says why of each."
    for (kind, library), them in _groups():
        yield from _table(f"{library}, {kind}", [one for one in them if one.rule or one.missed])
    yield from _late()


def _late() -> Iterator[str]:
    """What the list was changed in after the suite had been run on it."""
    late = [one for one in listed() if one.get("late")]
    off = [one for one in late if one.get("excluded")]
    moved = [one["id"] for one in late if not one.get("excluded")]
    yield from ("", "## Taken off the list after they had been judged", "")
    yield (
        f"{len(off)} were counted at first, were not found, and no longer count: the releases "
        "can't be installed, nothing that they say on a connection differs, a race decides, or the "
        "broken release does as its texts or Apache Kafka's own client do. With them, "
        f"{_first_counted(off)}. {len(moved)} that were listed as codecs' and were not found are "
        f"counted as clients' since, as no codec could show them: {', '.join(moved)}."
    )
    yield from (
        "",
        "| library | kind | defect | why it does not count |",
        "| --- | --- | --- | --- |",
    )
    for one in sorted(off, key=lambda one: (one["kind"], one["library"])):
        name = one["id"].removeprefix(f"{one['library']}-")
        what = f"[{name}]({one['public']}): {one['what']}"
        yield f"| {one['library']} | {one['kind']} | {what} | {one['excluded']} |"


def _first_counted(off: list[dict[str, Any]]) -> str:
    """What would be found of all that was counted at first, by kind."""
    parts = []
    for kind, name in KINDS.items():
        found = _count(defects(kind))["found"]
        counted = len(defects(kind)) + sum(one["kind"] == kind for one in off)
        parts.append(f"{found} of {counted} of {name}")
    return f"{' and '.join(parts)} are found"


def _groups() -> list[tuple[tuple[str, str], list[Defect]]]:
    def key(one: Defect) -> tuple[str, str]:
        return one.kind, one.library

    ordered = sorted(defects(), key=key)
    return [(of, list(them)) for of, them in groupby(ordered, key)]


def _table(title: str, them: list[Defect]) -> Iterator[str]:
    if not them:
        return
    yield from ("", f"## {title}", "")
    yield "| broken | mended | defect | found by, or why not |"
    yield "| --- | --- | --- | --- |"
    for one in them:
        name = one.id.removeprefix(f"{one.library}-")
        by = f"`{one.rule}`" if one.rule else f"not found: {one.missed}"
        by += f", of `{one.driver}`" if one.driver else ""
        yield f"| {one.broken} | {one.mended} | [{name}]({one.public}): {one.what} | {by} |"


def main() -> None:
    """Write both files."""
    PAGE.write_text("\n".join(page()) + "\n", "utf-8")
    LINE.write_text(line() + "\n", "utf-8")


if __name__ == "__main__":
    main()
