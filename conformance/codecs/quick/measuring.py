"""Measures which case catches which mutant by which rule, and makes the table of it.

Every mutant is asked the cases of every message. Of cases that ask one question of a message, the
shortest stands for all: the same edit at another place, or the same value in another version. Of
each message those are kept that catch together what all of them catch.

`python -m conformance.codecs.quick.measuring vectors` writes the table into that folder. It takes
two cores about a quarter of an hour, so it is done after minting and after a change of mutants.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Case
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors, version_of
from conformance.codecs.diagnosis.suspects import Suspect, sides
from conformance.codecs.judge.judge import judge_case
from conformance.codecs.mutants import Mutant, mutants, unseen
from conformance.codecs.quick.table import FILE, Measured, Pair, Table, text_of, writes
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.data import vector_messages
from conformance.reference.codec import PlainCodec
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.testee_protocol import Hello, Outcome

_SIDE = {"decode": ("reading",), "encode": ("writing",), "roundtrip": ("reading", "writing")}
_PLACE = re.compile("[:@].*")


class Catching(NamedTuple):
    """A case, how long its input is, and the pairs that it catches."""

    case: str
    size: int
    pairs: frozenset[Pair]


class OfMessage(NamedTuple):
    """The measurements of one message."""

    versions: Mapping[int, int]
    catching: Sequence[Catching]


def measure(message: str) -> OfMessage:
    """Ask every mutant about one message, and those of its definition about all its versions."""
    made = [
        (family.vector, case)
        for family in families(read_vectors(message), _hello(), Selection(rules=catalogue()))
        for case in family.cases
        if case.rules
    ]
    versions = Counter(version_of(vector) for vector, _ in made)
    every = [
        mutant
        for mutant in every_mutant().values()
        if not mutant.messages or message in mutant.messages
    ]
    asked = shortest((vector, case) for vector, case in made if _is_telling(case))
    catching = [*_catching(every, asked), *_catching(*_of_its_own(message, made, asked))]
    return OfMessage(dict(sorted(versions.items())), catching)


def _of_its_own(
    message: str, made: Iterable[tuple[str, Case]], asked: Iterable[Case]
) -> tuple[list[type[Mutant]], list[Case]]:
    """The mutants of a message's definition, and what else decides their own rules."""
    own = [mutant for mutant in every_mutant().values() if message in mutant.messages]
    rules = {mutant.breaks for mutant in own}
    known = {case.id for case in asked}
    return own, [
        case
        for _, case in made
        if case.id not in known and not rules.isdisjoint(case.rules) and _is_telling(case)
    ]


def _catching(every: Iterable[type[Mutant]], asked: Sequence[Case]) -> list[Catching]:
    """The cases that catch some of these mutants."""
    truth = list(_target(PlainCodec).ask(case.request for case in asked))
    caught: list[set[Pair]] = [set() for _ in asked]
    for mutant in every:
        for at, rules in _broken(mutant, asked, truth):
            caught[at].update((rule, mutant.__name__) for rule in rules)
    return [
        Catching(case.id, len(case.request.bytes), frozenset(pairs))
        for case, pairs in zip(asked, caught, strict=True)
        if pairs
    ]


def every_mutant() -> dict[str, type[Mutant]]:
    """Return all mutants of a codec by name, with those that no case was written for."""
    return {**mutants(), **unseen()}


def shortest(made: Iterable[tuple[str, Case]]) -> list[Case]:
    """Return the shortest case for each combination of rules, shape and edit."""
    found: dict[object, tuple[int, int, Case]] = {}
    for vector, case in made:
        shape = vector.partition("-v")[2].partition("-")[2]
        edit = _PLACE.sub("", case.id.removeprefix(vector))
        question = case.rules, shape, edit
        size = len(case.request.bytes), version_of(vector)
        if question not in found or size < found[question][:2]:
            found[question] = *size, case
    return [case for _, _, case in found.values()]


def _is_telling(case: Case) -> bool:
    """True if a case is asked, and with some bytes: one without any rests on another vector."""
    return case.is_asked and (case.request.op.startswith("encode") or bool(case.request.bytes))


def _broken(
    mutant: type[Mutant], asked: Sequence[Case], truth: Sequence[Outcome]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cases that a mutant fails, by position, and the rules that each shows broken."""
    own = set(sides(Suspect(mutant)))
    todo = [
        at
        for at, case in enumerate(asked)
        if not own.isdisjoint(_SIDE[case.request.op.partition("-")[0]])
    ]
    outcomes = _target(mutant).ask(asked[at].request for at in todo)
    for at, outcome in zip(todo, outcomes, strict=True):
        if outcome != truth[at]:
            judged = judge_case(asked[at], outcome)
            rules = [rule for rule in asked[at].rules if judged.on(rule).verdict in BROKEN]
            if rules:
                yield at, rules


def _target(kind: type[PlainCodec]) -> ObjectTarget:
    codec = kind()
    codec.hello = _said  # type: ignore[method-assign]
    return ObjectTarget(codec)


@cache
def _said() -> dict[str, Any]:
    """Return a short hello for mutants; no request depends on it."""
    return {**PlainCodec().hello(), "messages": {"HeartbeatRequest": [0, 0]}}


@cache
def _hello() -> Hello:
    return ObjectTarget(PlainCodec()).hello


def table_of(found: Mapping[str, OfMessage]) -> Table:
    """Return the table of the measurements, by message."""
    every = {pair for each in found.values() for one in each.catching for pair in one.pairs}
    numbers = {pair: number for number, pair in enumerate(sorted(every))}
    return Table(
        list(numbers),
        {
            name: Measured(
                dict(each.versions),
                [
                    (case.removeprefix(f"{name}-"), sorted(numbers[pair] for pair in pairs))
                    for case, pairs in telling(each.catching)
                ],
            )
            for name, each in sorted(found.items())
        },
    )


def telling(catching: Sequence[Catching]) -> Iterator[tuple[str, frozenset[Pair]]]:
    """As few cases as catch what all catch, the most telling first, each with what it adds.

    What is caught by reading is to be caught by writing as well, where it can be: a codec may be
    wrong on one side alone.
    """
    left: dict[bool, set[Pair]] = {False: set(), True: set()}
    for one in catching:
        left[writes(one.case)] |= one.pairs
    while any(left.values()):
        best = min(
            catching,
            key=lambda one: (-len(one.pairs & left[writes(one.case)]), one.size, one.case),
        )
        adds = best.pairs & left[writes(best.case)]
        yield best.case, adds
        left[writes(best.case)] -= adds


def main(folder: Path, jobs: int) -> None:
    """Measure all messages, and write the table."""
    found: dict[str, OfMessage] = {}
    names = vector_messages()
    with Pool(jobs) as pool:
        for name, each in zip(names, pool.imap(measure, names), strict=True):
            found[name] = each
            sys.stderr.write(f"{len(found)} of {len(names)}: {name}\n")
    (folder / FILE).write_text(text_of(table_of(found)), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m conformance.codecs.quick.measuring")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    main(given.folder, given.jobs)
