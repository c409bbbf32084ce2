"""The quality of diagnoses of failing brokers, clients and proxies, measured on mutants.

Each mutant is judged by its own rules and by those of all mutants that it could be mistaken for. A
diagnosis is right if it names the mutant, or one that does the same in every case. Then the mutant
is taken out of the line-up, so that its defect is unknown: a mutant that is named now is its double
as far as rules see.

`python -m tests.proof.likeness` prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool

from conformance.brokers.kind import line_up as brokers
from conformance.clients.kind import line_up as clients
from conformance.gate.likeness import Mutant, MutantLineUp, Pictures, explained, rules_of
from conformance.proxies.kind import line_up as proxies
from conformance.reference.proxy.translation import USUAL
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Verdict

LINE_UPS: dict[str, Callable[[], MutantLineUp]] = {
    "brokers": brokers,
    "clients": clients,
    "proxies": partial(proxies, USUAL),
}


@dataclass(frozen=True, slots=True)
class Likened:
    """The diagnoses of a mutant.

    `false` are the hints that a case contradicts, `doubles` the hints if the mutant is unknown.
    """

    hints: frozenset[str]
    false: frozenset[str]
    doubles: frozenset[str]


def likened(line_up: MutantLineUp, mutant: Mutant) -> Likened | None:
    """Return a mutant's diagnoses, None if it fails no rule."""
    near = list(line_up.breaking(rules_of(mutant)))
    rules = sorted({rule for each in near for rule in rules_of(each)})
    verdicts = list(line_up.verdicts_of(mutant, rules))
    hints = _hints(line_up, verdicts)
    if hints is None:
        return None
    other = [each for each in near if each is not mutant and line_up.describe(each) in hints]
    false = (each for each in other if not _is_equal(verdicts, line_up.verdicts_of(each, rules)))
    doubles = _hints(line_up.without(mutant), verdicts) or frozenset()
    return Likened(hints, frozenset(map(line_up.describe, false)), doubles)


def _hints(line_up: MutantLineUp, verdicts: Iterable[Verdict]) -> frozenset[str] | None:
    """Return the hints for these verdicts, None if none is broken."""
    causes, pictures = Causes(), Pictures()
    for verdict in verdicts:
        pictures.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    if not causes.sorts():
        return None
    return frozenset(explained(line_up, pictures.seen, causes.sorts()).texts.values())


def _is_equal(some: Iterable[Verdict], others: Iterable[Verdict]) -> bool:
    """True if the same is seen in all cases."""
    return Pictures(some).seen == Pictures(others).seen


def row(kind: str, found: Iterable[Likened | None]) -> str:
    """Return a line of the table, as Markdown."""
    seen = [each for each in found if each is not None]
    right = sum(bool(each.hints) and not each.false for each in seen)
    none = sum(not each.hints for each in seen)
    false = sum(bool(each.false) for each in seen)
    doubles = sum(bool(each.doubles) for each in seen)
    return f"| {kind} | {len(seen)} | {right} | {none} | {false} | {doubles} |"


def table() -> Iterator[str]:
    """Yield the figures of all mutants."""
    yield "| mutants of | judged | told right | told nothing | told wrong | a double if unknown |"
    yield "| --- | --: | --: | --: | --: | --: |"
    with Pool(2) as pool:
        for kind, line_up in LINE_UPS.items():
            asked = [(kind, number) for number in range(len(line_up().mutants))]
            yield row(kind, pool.imap(_liken_one, asked, chunksize=8))


def _liken_one(asked: tuple[str, int]) -> Likened | None:
    line_up = LINE_UPS[asked[0]]()
    return likened(line_up, line_up.mutants[asked[1]])


if __name__ == "__main__":
    for line in table():
        sys.stdout.write(f"{line}\n")
