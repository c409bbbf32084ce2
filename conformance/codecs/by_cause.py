"""One failure for each cause, where pytest was asked for that.

An item is a message and a rule group, so one defect fails as many items as there are messages that
have the thing. Here all items are judged before the first ends, and their failures are gathered
into findings as at the end of a run. The first item with a finding's smallest case fails for it and
says how many others it explains; an item whose every failure is explained by others is expected to
fail, with the name of the item that fails for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from conformance.codecs.diagnosis.diagnosis import diagnose
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.gate.gate import Gate, JudgedItem
from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.findings import Causes
from conformance.reporting.sorts import sort_of
from conformance.results.lines import BROKEN, Finding, Verdict
from conformance.results.text import counted

Item = tuple[str, str]
"""A message and a rule group."""


def judged_together(gate: Gate[Any], items: Sequence[Item], name: str) -> Mapping[Item, JudgedItem]:
    """Return the result of each item; `name` is the form of an item's name. Raises TargetLost."""
    return ByCause(gate, items, name).items


class ByCause:
    """The items of one process, judged together."""

    def __init__(self, gate: Gate[Any], items: Sequence[Item], name: str) -> None:
        """Judge all items; `name` is the form of an item's name. Raises TargetLost."""
        self._gate = gate
        self.items: dict[Item, JudgedItem] = {item: JudgedItem() for item in items}
        self._name = name
        self._causes, self._symptoms = Causes(), Symptoms()
        self._held: defaultdict[str, list[Item]] = defaultdict(list)
        """The items that a broken case is in."""
        self._sorts: dict[str, object] = {}
        for _, of_message in groupby(sorted(items), key=itemgetter(0)):
            self._judge(list(of_message))
        self._explain()

    def _judge(self, items: Iterable[Item]) -> None:
        broken: list[Verdict] = []
        for item in items:
            verdicts = self._gate.verdicts(*item)
            judged = self.items[item]
            judged.verdicts = len(verdicts)
            judged.unsupported = all(each.verdict == "unsupported" for each in verdicts)
            for verdict in verdicts:
                self._symptoms.take(verdict)
                wrong = verdict.verdict in BROKEN or verdict.verdict == "error"
                if wrong and self._gate.is_news(verdict):
                    judged.wrong.append(verdict)
            found = [verdict for verdict in judged.wrong if verdict.verdict in BROKEN]
            for case in dict.fromkeys(verdict.case for verdict in found):
                self._held[case].append(item)
            broken += found
        by_case = attrgetter("case", "op")
        for (case, _), found_of_case in groupby(sorted(broken, key=by_case), key=by_case):
            of_case = list(found_of_case)
            self._sorts[case] = sort_of(of_case)
            for verdict in of_case:
                self._causes.take(verdict)

    def _explain(self) -> None:
        hello = self._gate.target.hello
        explained = diagnose(self._symptoms, self._causes.sorts(), hello).explained
        cases: defaultdict[object, list[str]] = defaultdict(list)
        for case, sort in self._sorts.items():
            cases[sort].append(case)
        leading: dict[str, tuple[Item, Finding]] = {}
        for finding, sorts in self._causes.with_sorts((), explained):
            own = [case for sort in sorts for case in cases[sort]]
            items = {item for case in own for item in self._held[case]}
            leader = next(item for item in self.items if item in self._held[finding.case])
            self.items[leader].leads += _lines(finding, len(items) - 1)
            leading |= dict.fromkeys(own, (leader, finding))
        for judged in self.items.values():
            errors = any(verdict.verdict == "error" for verdict in judged.wrong)
            if judged.wrong and not judged.leads and not errors:
                leader, finding = leading[judged.wrong[0].case]
                name = self._name.format("-".join(leader))
                judged.repeats = f"same cause as {name}: {in_a_clause(finding)}"


def _lines(finding: Finding, others: int) -> list[str]:
    cases = counted(finding.count, "case")
    also = f", and {counted(others, 'other test')} that xfail" if others else ""
    return [
        f"{in_a_clause(finding)} ({cases}{also})",
        f"  hurts: {harm_of(finding)}",
        f"  to do: {remedy_of(finding)}",
        "",
    ]
