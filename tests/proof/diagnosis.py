"""The quality of diagnoses of failing codecs, measured on codecs whose defect is known.

Every mutant, and pairs of them, is judged through adapters that are narrower or wider: of all
messages, of three, and one that can only round-trip. A diagnosis is right if it names the defect,
or one that gives the same answers to every case that ran. A hint is false if a case that ran
distinguishes its mutant from the defect. Defects that no case sees are left out.

`python -m tests.proof.diagnosis` prints the table as Markdown, and writes it with `-o FILE`;
with `unseen MODULE` it measures defects of other authors (`tests.proof.unseen`).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, permutations
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from conformance.codecs.cases.case import Family
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import Vector, all_vectors
from conformance.codecs.diagnosis.diagnosis import diagnose
from conformance.codecs.diagnosis.line_up import Memory
from conformance.codecs.diagnosis.suspects import Suspect, codec_of, told_as
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.mutants import Mutant, mutants
from conformance.codecs.mutants.habits.together import together
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Finding
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.record_batch import RECORD_BATCH
from conformance.testee_protocol import OPS, Op, Outcome
from tests.proof import unseen as diagnosis_unseen

SEED = 20
PAIRS = 100
ONE_VECTOR_IN = 20
OF_EACH_RULE = 10
"""The sample of all messages: one vector in so many, and so many more of each rule."""
THREE = ("ApiVersionsRequest", "MetadataResponse", "FindCoordinatorResponse")
Defects = tuple[str, ...]
"""The names of the mutants that a codec combines."""


@dataclass(frozen=True, slots=True)
class MeasuredAdapter:
    """The messages, none for all, and the operations that a codec is asked through an adapter."""

    name: str
    messages: tuple[str, ...] = ()
    ops: tuple[Op, ...] = OPS

    def around(self, codec: PlainCodec) -> ObjectTarget:
        """Return a codec as a target that declares no more than this."""
        said = {**_hello(), "name": codec.name, "ops": list(self.ops)}
        said["messages"] = {
            name: support for name, support in said["messages"].items() if self.has(name)
        }
        codec.hello = lambda: said  # type: ignore[method-assign]
        return ObjectTarget(codec)

    def has(self, message: str) -> bool:
        """True if a message goes through it."""
        return not self.messages or message in self.messages


ADAPTERS = {
    each.name: each
    for each in (
        MeasuredAdapter("all messages"),
        MeasuredAdapter("three messages", THREE),
        MeasuredAdapter("round trips alone", ops=("roundtrip",)),
    )
}


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """The diagnoses of a codec with these defects: its hints, "" for a finding without one.

    `named` are the defects that a hint names, `first` says that the first finding names one, and
    `false` are the hints that a case contradicts.
    """

    defects: Defects
    hints: tuple[str, ...]
    named: frozenset[str]
    first: bool
    false: tuple[str, ...]

    @property
    def right(self) -> bool:
        """True if the first finding names a defect, and the findings name all."""
        return self.first and self.named == frozenset(self.defects)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of all codecs with so many defects, through one adapter."""

    adapter: str
    defects: int
    codecs: int
    right: int
    findings: int
    hints: int
    false: int


@cache
def _hello() -> dict[str, Any]:
    return PlainCodec().hello()


@cache
def _memory(adapter: MeasuredAdapter) -> Memory:
    return Memory(adapter.around(PlainCodec()).hello)


@cache
def cases(adapter: MeasuredAdapter) -> tuple[Family, ...]:
    """Return the cases of an adapter: all of a few messages, or a seeded sample of all messages."""
    hello = adapter.around(PlainCodec()).hello
    everything = Selection(rules=catalogue())
    return tuple(
        family
        for _, same in groupby(_vectors(adapter), key=lambda vector: vector.message)
        for family in families(list(same), hello, everything)
    )


def _vectors(adapter: MeasuredAdapter) -> list[Vector]:
    vectors = [vector for vector in all_vectors() if adapter.has(vector.message)]
    if adapter.messages:
        return vectors
    order = random.Random(SEED).sample(range(len(vectors)), len(vectors))
    kept, covered = set(order[: len(vectors) // ONE_VECTOR_IN]), Counter[str]()
    for index in order:
        rules = vectors[index].covers
        if any(covered[rule] < OF_EACH_RULE for rule in rules):
            kept.add(index)
            covered.update(rules)
    return [v for at, v in enumerate(vectors) if at in kept or v.message == RECORD_BATCH]


def findings_of(adapter: MeasuredAdapter, codec: PlainCodec) -> list[Finding]:
    """Return a codec's findings through an adapter, under the profile that fails for most."""
    target, symptoms, causes = adapter.around(codec), Symptoms(), Causes()
    for verdict in run(cases(adapter), target, catalogue(), "kafka"):
        symptoms.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    diagnoses = diagnose(symptoms, causes.sorts(), target.hello, _memory(adapter))
    return causes.findings(["codec", codec.name], diagnoses.explained)


def diagnosed(adapter: MeasuredAdapter, defects: Defects) -> Diagnosed | None:
    """Return the diagnoses of a codec with these defects, None if no case sees one."""
    kinds = [mutants()[name] for name in defects]
    whole = together(*kinds)
    hints = tuple(finding.diagnosis for finding in findings_of(adapter, whole()))
    if not hints:
        return None
    known = {hint: _meant(adapter, hint, whole, kinds) for hint in set(hints) if hint}
    named = frozenset().union(*known.values(), _hidden(adapter, whole, kinds, hints))
    false = tuple(hint for hint in hints if hint and not known[hint])
    return Diagnosed(defects, hints, named, bool(known.get(hints[0])), false)


def _meant(
    adapter: MeasuredAdapter, hint: str, whole: type[Mutant], kinds: Sequence[type[Mutant]]
) -> frozenset[str]:
    """Return the defects that no case distinguishes from a hint.

    They are all, if none is and the hint can't be distinguished from the whole codec.
    """
    suspect = told_as(hint)
    found = frozenset(kind.__name__ for kind in kinds if _alike(adapter, suspect, Suspect(kind)))
    if not found and len(kinds) > 1 and _alike(adapter, suspect, Suspect(whole)):
        return frozenset(kind.__name__ for kind in kinds)
    return found


def _hidden(
    adapter: MeasuredAdapter,
    whole: type[Mutant],
    kinds: Sequence[type[Mutant]],
    hints: Sequence[str],
) -> frozenset[str]:
    """Return the defects that another hides: the codec gives the same answers without them."""
    named = {told_as(hint).kind for hint in hints if hint}
    return frozenset(
        one.__name__
        for one, other in permutations(kinds, 2)
        if other in named and one not in named and _alike(adapter, Suspect(whole), Suspect(other))
    )


def _alike(adapter: MeasuredAdapter, one: Suspect, other: Suspect) -> bool:
    """True if two codecs give the same answers to every case of an adapter."""
    both = zip(_answers(adapter, one), _answers(adapter, other), strict=True)
    return one == other or all(_said(first) == _said(second) for first, second in both)


def _answers(adapter: MeasuredAdapter, suspect: Suspect) -> Iterator[Outcome]:
    asked = (case.request for each in cases(adapter) for case in each.cases if case.is_asked)
    return adapter.around(codec_of([suspect], PlainCodec().release)).ask(asked)


def _said(outcome: Outcome) -> tuple[Any, ...]:
    """Return the contents of an answer, without the words of a refusal."""
    whole = outcome.outcome, outcome.bytes, outcome.value, outcome.header
    return (*whole, outcome.remaining, outcome.version)


def drawn_pairs(names: Sequence[str], count: int) -> list[Defects]:
    """Return so many pairs of these, the same at each run."""
    pairs = list(permutations(names, 2))
    return random.Random(SEED).sample(pairs, min(count, len(pairs)))


def figures(adapter: str, defects: int, found: Sequence[Diagnosed]) -> Figures:
    """Return the figures of these diagnoses."""
    hints = [hint for each in found for hint in each.hints]
    return Figures(
        adapter=adapter,
        defects=defects,
        codecs=len(found),
        right=sum(each.right for each in found),
        findings=len(hints),
        hints=sum(map(bool, hints)),
        false=sum(len(each.false) for each in found),
    )


def table(rows: Iterable[Figures]) -> Iterator[str]:
    """Yield the figures as Markdown."""
    yield "| adapter | defects of a codec | codecs | right | findings of a defect | false hints |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for row in rows:
        each = row.findings / max(row.codecs * row.defects, 1)
        right = f"{row.right} ({row.right / max(row.codecs, 1):.0%})"
        yield (
            f"| {row.adapter} | {row.defects} | {row.codecs} | {right} | {each:.2f} | "
            f"{row.false} of {row.hints} |"
        )


def measured(
    adapter: str, singles: Sequence[str], pairs: int, jobs: int, say: bool = False
) -> Iterator[Figures]:
    """Yield the figures of one adapter: of these mutants, and of pairs of those that it sees."""
    with Pool(jobs) as pool:
        one = _all_told(pool, adapter, [(name,) for name in singles])
        two = _all_told(pool, adapter, drawn_pairs([each.defects[0] for each in one], pairs))
    for number, found in enumerate((one, two), 1):
        for each in found if say else ():
            if not each.right or each.false or len(each.hints) > number:
                print(each, file=sys.stderr)
        yield figures(adapter, number, found)


def _all_told(pool: Any, adapter: str, asked: Iterable[Defects]) -> list[Diagnosed]:
    return [each for each in pool.imap(_diagnose_one, [(adapter, one) for one in asked]) if each]


def _diagnose_one(asked: tuple[str, Defects]) -> Diagnosed | None:
    return diagnosed(ADAPTERS[asked[0]], asked[1])


def main(arguments: Sequence[str]) -> int:
    """Measure, print the table, and write it if that is asked for."""
    if arguments[:1] == ["unseen"]:
        return diagnosis_unseen.main(arguments[1:])
    parser = argparse.ArgumentParser(prog="diagnosis_score", description=__doc__)
    parser.add_argument("--adapter", action="append", choices=list(ADAPTERS))
    parser.add_argument("--mutants", type=int, help="a seeded sample of so many")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="tell of those that were not told right")
    parser.add_argument("-o", type=Path, help="write the table to this file")
    asked = parser.parse_args(arguments)
    names = list(mutants())
    names = random.Random(SEED).sample(names, asked.mutants) if asked.mutants else names
    adapters = asked.adapter or list(ADAPTERS)
    rows = [r for a in adapters for r in measured(a, names, asked.pairs, asked.jobs, asked.v)]
    lines = "\n".join(table(rows)) + "\n"
    print(lines, end="")
    if asked.o:
        asked.o.parent.mkdir(parents=True, exist_ok=True)
        asked.o.write_text(lines, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
