"""Writes docs/public-defects.md, and the line of it in docs/proof.md.

`python -m tests.rediscovery.page`, in the root of a checkout.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.rediscovery.public import Defect, defects, listed

PAGE = Path("docs", "public-defects.md")
LINE = Path(__file__).with_name("figures.md")
KINDS = {"codec": "codecs", "client": "clients"}


def line() -> str:
    """How many of the defects that were chosen before they were run are found."""
    parts = [f"of {len(defects(kind))} of {KINDS[kind]} {_told(kind)}" for kind in KINDS]
    return (
        "- Public defects of released libraries, [chosen before they were run]"
        f"(public-defects.md): {'; '.join(parts)}."
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
    yield from _late()
    for (kind, library), them in _groups():
        yield from _table(f"{library}, {kind}", [one for one in them if one.rule or one.missed])


def _late() -> Iterator[str]:
    """What the list was changed in after the suite had been run on it."""
    late = [one for one in listed() if one.get("late")]
    off = [one["id"] for one in late if one.get("excluded")]
    moved = [one["id"] for one in late if not one.get("excluded")]
    yield ""
    yield (
        f"{len(off)} of these were taken off the list after they had been judged and were not "
        "found, when the released sources showed that no codec could show them, or that the broken "
        f"release does as its texts say: {', '.join(off)}. "
        f"{len(moved)} that were listed as codecs' and were not found are counted as clients' "
        f"since, for the same reason: {', '.join(moved)}."
    )


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
        yield f"| {one.broken} | {one.mended} | [{name}]({one.public}): {one.what} | {by} |"


def main() -> None:
    """Write both files."""
    PAGE.write_text("\n".join(page()) + "\n", "utf-8")
    LINE.write_text(line() + "\n", "utf-8")


if __name__ == "__main__":
    main()
