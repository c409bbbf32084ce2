"""The score of the clauses: which of the mutants that a clause names its rules catch.

`python -m tests.proof.clauses [CLAUSE...]` prints the table: clause, mutant, rule, the rule's
class, and if that rule, run alone, catches that mutant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from conformance.brokers import score as broker_score
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.clients import score as client_score
from conformance.clients.mutants import client_mutants
from conformance.codecs.mutants import Mutant, mutants
from conformance.codecs.mutants.clauses import clause_mutants
from conformance.codecs.score import MOST_VECTORS, verdicts_of_rule, wrong
from conformance.definitions.evolution.pairing import match
from conformance.definitions.evolution.release import read_release
from conformance.definitions.lint.linting import lint
from conformance.definitions.mutants import definition_mutants
from conformance.definitions.mutants.evolution import MUTANTS as EVOLUTION
from conformance.definitions.proofs.evolution import examined
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.rules.clauses import Clause, select


class Shown(NamedTuple):
    """A mutant that a clause names, the rule that has to catch it, and the result."""

    clause: str
    mutant: str
    rule: str
    caught: bool


def score(clauses: Iterable[Clause]) -> Iterator[Shown]:
    """Yield every mutant of these clauses with the rule that it is listed under."""
    for clause in clauses:
        for rule, names in clause.mutants.items():
            for name in names:
                yield Shown(clause.id, name, rule, caught(name, rule))


@cache
def caught(mutant: str, rule: str) -> bool:
    """True if a rule, run alone, catches a mutant. Raises KeyError if none has this name.

    `codec:NAME@MESSAGE` is a codec's mutant, judged by this message alone.
    """
    kind, _, name = mutant.partition(":")
    return _CATCHERS[kind](name, rule)


def _by_codec(name: str, rule: str) -> bool:
    name, _, message = name.partition("@")
    mutant = _codecs()[name]
    messages = (message,) if message else mutant.messages
    return bool(
        wrong(verdicts_of_rule(mutant(), rule, messages, None if messages else MOST_VECTORS))
    )


@cache
def _codecs() -> Mapping[str, type[Mutant]]:
    return {**mutants(), **clause_mutants()}


def _by_broker(name: str, rule: str) -> bool:
    return bool(wrong(broker_score.verdicts_of(stocked(broker_mutants()[name]()), rule)))


def _by_client(name: str, rule: str) -> bool:
    verdicts = client_score.verdicts_of(client_mutants()[name], [rule])
    return any(each.rule == rule and each.verdict in BROKEN for each in verdicts)


def _by_definition(name: str, rule: str) -> bool:
    found = lint(definition_mutants()[name].texts())
    return rule in {finding.rule for each in found for finding in each.findings}


def _by_evolution(name: str, rule: str) -> bool:
    mutant = next(each for each in EVOLUTION if each.name == name)
    matched = match(read_release("1.0", mutant.old()), read_release("1.1", mutant.new()))
    return rule in {finding.rule for each in examined(matched) for finding in each.findings}


_CATCHERS: Mapping[str, Callable[[str, str], bool]] = {
    "codec": _by_codec,
    "broker": _by_broker,
    "client": _by_client,
    "definition": _by_definition,
    "evolution": _by_evolution,
}


def show(table: Iterable[Shown]) -> int:
    """Print a score; return 1 if a mutant is not caught, as an exit code."""
    missed = 0
    for line in table:
        seen = "caught" if line.caught else "MISSED"
        missed += not line.caught
        class_ = catalogue()[line.rule].class_
        print(f"{line.clause:11} {line.mutant:50} {line.rule} ({class_}) {seen}")
    print(f"{missed} mutants of clauses are missed")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(show(score(select(sys.argv[1:]))))
