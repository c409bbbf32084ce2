"""The runs that stand in the matrix, and the names of their files.

A target that was judged twice stands there once, by its newer run; the older one is compared with
it. Kinds of target are separate: a client and a codec of one library are two targets, and so are
the findings of a fuzzer in it, which have no passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.reporting.site.reading import ResultsFile
from conformance.results.lines import EXCHANGE, FORWARD, VISIT

KINDS = {
    "client": "Clients",
    "broker": "Brokers",
    "proxy": "Proxies",
    "codec": "Codecs",
    "schema": "Definitions",
    "fuzz": "Fuzzed codecs",
    "other": "Others",
}
"""The kinds of target with their headings, in the order in which they are shown."""
LEADS = {
    "client": "What an application speaks to a broker with, judged by what it sends.",
    "broker": "Servers, judged by what they answer.",
    "proxy": "What stands between clients and brokers, judged by what comes out of what went in.",
    "codec": "What writes and reads the bytes within a client or a broker.",
    "schema": "What codecs are generated from.",
}
"""A description of each kind, for readers who choose a target."""
_CODEC = re.compile(r"(?:de|en)code(?:-request|-response)?|roundtrip")
_OPS = {
    EXCHANGE: "broker",
    FORWARD: "proxy",
    VISIT: "client",
    "lint": "schema",
    "diff": "schema",
    "compare": "schema",
    "": "other",
}
_LONGEST = 60


@dataclass(frozen=True)
class Chosen:
    """A run that is shown; `older` are runs of the same target, the newest of them first."""

    file: ResultsFile
    kind: str
    slug: str
    older: tuple[ResultsFile, ...] = ()


def choose(files: Iterable[ResultsFile]) -> list[Chosen]:
    """Return the runs of the matrix, by kind and target. Raises ResultsError."""
    runs: dict[tuple[str, str], list[ResultsFile]] = {}
    for file in files:
        runs.setdefault((kind_of(file), file.run.target), []).append(file)
    order = list(KINDS)
    chosen: list[Chosen] = []
    taken: set[str] = set()
    for kind, target in sorted(runs, key=lambda key: (order.index(key[0]), key[1])):
        newest, *older = sorted(runs[kind, target], key=_started, reverse=True)
        name = f"{kind}-{newest.run.target_version if kind == 'codec' else target}"
        chosen.append(Chosen(newest, kind, slug(name, taken), tuple(older)))
    return chosen


def kind_of(file: ResultsFile) -> str:
    """Return the kind of target: `fuzz` for files beside a fuzzer's progress, else by operation."""
    if file.is_fuzzed:
        return "fuzz"
    op = file.first_op()
    return "codec" if _CODEC.fullmatch(op) else _OPS.get(op, "other")


def slug(name: str, taken: set[str]) -> str:
    """Return a harmless file name that is not in `taken`, and add it there."""
    plain = re.sub(r"[^a-z0-9.]+", "-", name.lower())[:_LONGEST].strip("-.") or "unnamed"
    found, number = plain, 1
    while found in taken:
        number += 1
        found = f"{plain}-{number}"
    taken.add(found)
    return found


def _started(file: ResultsFile) -> tuple[str, str]:
    return file.run.started, str(file.path)
