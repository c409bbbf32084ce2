"""The diagnosis of a campaign: its findings, compared with known defects as those of the gate.

A campaign keeps whole only what broke. A diagnosis needs as well what passed, since a suspect is
named only if it fails nothing that the target passed. So the first families are drawn again: a case
of these passed if it was asked and no verdict on it was kept. All of that follows from the tables,
so that a campaign that is resumed says the same as one that ran through.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, Generator, generator_of
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.folder import About
from conformance.campaigns.storage.rows import verdict_of
from conformance.campaigns.storage.tables import partition, read_file, read_rows
from conformance.codecs.cases.case import Case
from conformance.codecs.crash_limit import Kind, is_skipped
from conformance.codecs.diagnosis.diagnosis import diagnose
from conformance.codecs.diagnosis.line_up import Memory
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.testee_protocol import Hello

_SAMPLED = 1000
"""The most families that are drawn again for what passed: about as many cases as a quick run has.

With fewer, a suspect could be named that fails where the target passed; to draw them takes a second
or two.
"""
_MOST_KEPT = 2000
"""The most families whose cases are kept in memory, each made once for all suspects."""
_PLAIN = (0, 2, 3)
"""The places in a family of cases that are a message as it is: read, written, and both."""


class GeneratedCases:
    """The cases of a campaign for one target, made again by their ids."""

    def __init__(self, about: About, hello: Hello) -> None:
        self._families = Families(hello, about.seed)
        self._generator: Generator = generator_of(about.seed, about.messages, about.versions)
        self._made: OrderedDict[int, Mapping[str, Case]] = OrderedDict()

    def find(self, case_id: str) -> Case | None:
        """Return the case of this id, None if it is not asked."""
        return self.family(_number(case_id) // SLOTS).get(case_id)

    def family(self, index: int) -> Mapping[str, Case]:
        """Return the cases of a family that are asked, by their ids."""
        if index not in self._made:
            family = self._families.family(self._generator.draw(index))
            cases = family.cases if family else ()
            self._made[index] = {case.id: case for case in cases if case.is_asked}
            if len(self._made) > _MOST_KEPT:
                self._made.popitem(last=False)
        return self._made[index]


def diagnosed(
    root: Path, about: About, target: str, hello: Hello, sorts: Mapping[Sort, Cause], rounds: int
) -> Explained:
    """Return what explains the sorts of failure of one target, after so many rounds.

    Raises TableError.
    """
    if not sorts:
        return Explained()
    cases = GeneratedCases(about, hello)
    symptoms = Symptoms(_is_plain)
    plan = RunPlan(about.cases, about.targets)
    families = min(_SAMPLED, plan.families, rounds * plan.round)
    for verdict in _Sample(root, about, target, families).verdicts(cases):
        symptoms.take(verdict)
    return diagnose(symptoms, sorts, hello, Memory(hello, cases), quick=True).explained


class _Sample:
    """The rows of the tables on the first families of a target, and so what passed of these."""

    def __init__(self, root: Path, about: About, target: str, families: int) -> None:
        self._families = families
        self._kept: dict[str, list[Verdict]] = {}
        self._skipped: set[Kind] = set()
        self._aside: list[range] = []
        for row in read_rows(partition(root, "set_aside", about.run, target), "set_aside"):
            self._aside.append(range(row["first"], row["first"] + row["count"]))
        verdicts = partition(root, "verdicts", about.run, target)
        for path in sorted(verdicts.glob("round=*/*.parquet")):
            if int(path.stem) < families * SLOTS:
                self._keep(map(verdict_of, read_file(path, "verdicts")))

    def _keep(self, verdicts: Iterable[Verdict]) -> None:
        for verdict in verdicts:
            if is_skipped(verdict):
                self._skipped.add((verdict.message, verdict.rule))
            if _number(verdict.case) < self._families * SLOTS:
                self._kept.setdefault(verdict.case, []).append(verdict)

    def verdicts(self, cases: GeneratedCases) -> Iterator[Verdict]:
        """Yield the verdicts on these families, on cases that passed as well."""
        for index in range(self._families):
            if any(index * SLOTS in each for each in self._aside):
                continue
            for id_, case in cases.family(index).items():
                yield from self._kept.get(id_) or self._passed(case)

    def _passed(self, case: Case) -> Iterator[Verdict]:
        """Yield the verdicts on a case that passed, none if it may not have been asked."""
        for rule in case.rules:
            if (case.request.message, rule) not in self._skipped:
                yield _pass(case, rule)


def _pass(case: Case, rule: str) -> Verdict:
    return Verdict(
        rule=rule,
        class_=catalogue()[rule].class_,
        case=case.id,
        message=case.request.message,
        version=case.request.version,
        op=case.request.op,
        outcome="value",
        verdict="pass",
    )


def _is_plain(case: str) -> bool:
    return _number(case) % SLOTS in _PLAIN


def _number(case: str) -> int:
    return int(case.rpartition("/")[2])
