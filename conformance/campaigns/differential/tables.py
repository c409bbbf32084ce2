"""Disagreements as table rows, with each target's answer to the smallest case, and on a console."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.markup import escape

from conformance.campaigns.chunk import ChunkSettings, close_targets, target_of
from conformance.campaigns.differential.causes import (
    AS_DUE,
    LEGAL,
    TAKEN,
    CountedCause,
    DisagreementCause,
    Disagreements,
)
from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, generator_of
from conformance.campaigns.storage.rows import case_row, from_json, to_json
from conformance.campaigns.storage.tables import Row
from conformance.codecs.cases.case import Case, Refuses, RefusesOrReads, RefusesOrWrites
from conformance.codecs.judge.judge import judge_case
from conformance.results.naming import short_name
from conformance.results.text import shown
from conformance.targets.errors import TargetError
from conformance.testee_protocol import Hello, Outcome

MOST_SHOWN = 10
MOST_ASKED = 2000
"""Causes whose smallest case is asked again; only a badly broken target has more."""
_DEADLY = ("crashed", "hung")
Sort = tuple[str, ...]


def rows_of(
    found: Disagreements, settings: ChunkSettings, hellos: dict[str, Hello]
) -> Iterator[Row]:
    """Yield a row for each cause, those with most cases first."""
    causes = sorted(found.by_cause.items(), key=_most)
    again = _Again(settings, hellos, causes[:MOST_ASKED])
    for position, (cause, counted) in enumerate(causes):
        case = again.case_of(cause, counted)
        row = case_row(case, "")
        yield {
            "position": position,
            "message": cause.message,
            "version": case.request.version,
            "op": cause.op,
            "rule": cause.rule,
            "field": cause.field,
            "sides": [{"answer": answer, "targets": list(names)} for answer, names in cause.sides],
            "count": counted.count,
            "case": case.id,
            "input": case.request.bytes.hex() if row["value"] is None else row["value"],
            "expected": _expected(case, row),
            "said": to_json(again.said.get(position)),
        }


def show(console: Console, rows: Iterable[Row], verbose: bool) -> None:
    """Print disagreements, one entry per sort; those where each side is legal come last."""
    alike: dict[Sort, list[Row]] = defaultdict(list)
    for row in rows:
        alike[_sort(row)].append(row)
    groups = sorted(alike.values(), key=lambda group: (_is_legal(group[0]), -_cases(group)))
    cases = sum(map(_cases, groups))
    told = f"{cases:,} cases answered differently, in {len(groups)} ways"
    console.print(f"\ntargets compared: {told if groups else 'no disagreement'}", soft_wrap=True)
    for number, group in enumerate(groups, 1):
        if number > MOST_SHOWN and not verbose:
            more = f"and {len(groups) - MOST_SHOWN} more: -v shows them, the table keeps them"
            console.print(more)
            break
        _show(console, number, group)


def _show(console: Console, number: int, group: list[Row]) -> None:
    ops, rules = sorted({row["op"] for row in group}), sorted({row["rule"] for row in group})
    title = f"{number}. {', '.join(ops)}: {_sides(group)}"
    smallest = min(group, key=lambda row: (len(row["input"]), row["case"]))
    messages = sorted({row["message"] for row in group})
    where = messages[0] if len(messages) == 1 else f"{len(messages)} messages"
    console.print(
        f"\n[bold]{escape(title)}[/] ({_cases(group):,} cases of {where})", soft_wrap=True
    )
    at = f", at {smallest['field']}" if smallest["field"] else ""
    lines = [
        f"rules:    {', '.join(rules)}",
        f"case:     {smallest['case']}, {smallest['message']} v{smallest['version']}{at}",
        f"input:    {shown(smallest['input'])}",
        f"expected: {shown(smallest['expected'])}",
    ]
    lines += [f"{name}: {text}" for name, text in (from_json(smallest["said"]) or {}).items()]
    console.print("\n".join(f"   {line}" for line in lines), soft_wrap=True, markup=False)


def _sort(row: Row) -> Sort:
    """Return the key that disagreements of one sort share: the wrong answers and their targets.

    If a target refused, its words are the key; otherwise the operation and the rule are added.
    """
    sides = tuple(
        f"{side['answer']}: {_names(side['targets'])}"
        for side in row["sides"]
        if side["answer"] not in (AS_DUE, TAKEN)
    )
    if any(side["answer"].startswith("refused: ") for side in row["sides"]):
        return sides
    return (row["op"], row["rule"], *sides)


def _sides(group: list[Row]) -> str:
    """Return each answer with its targets; not every target was asked each of these cases."""
    sides: dict[str, set[str]] = defaultdict(set)
    for row in group:
        for side in row["sides"]:
            sides[side["answer"]].update(side["targets"])
    wrong = sorted(sides, key=lambda answer: (answer in (AS_DUE, TAKEN), answer))
    told = "; ".join(
        f"{', '.join(sorted(map(short_name, sides[answer])))} {answer}" for answer in wrong
    )
    return f"{told} (both are legal)" if _is_legal(group[0]) else told


def _names(targets: Iterable[str]) -> str:
    return ", ".join(sorted(map(short_name, targets)))


def _is_legal(row: Row) -> bool:
    return {side["answer"] for side in row["sides"]} <= LEGAL


def _cases(rows: Iterable[Row]) -> int:
    return sum(row["count"] for row in rows)


def _most(pair: tuple[DisagreementCause, CountedCause]) -> tuple[int, tuple[int, int], str]:
    cause, counted = pair
    return -counted.count, counted.smallest, repr(cause)


def _expected(case: Case, row: Row) -> str:
    match case.expects:
        case Refuses(why):
            return f"refused: {why}"
        case RefusesOrReads(why) | RefusesOrWrites(why):
            return f"either is legal: {why}"
    return str(row["expected"])


class _Again:
    """The smallest cases, made again for each target in its own form, and its answers in words."""

    def __init__(
        self,
        settings: ChunkSettings,
        hellos: dict[str, Hello],
        causes: list[tuple[DisagreementCause, CountedCause]],
    ) -> None:
        self._settings = settings
        self._makes = {name: Families(hello, settings.seed) for name, hello in hellos.items()}
        self.said: dict[int, dict[str, str]] = defaultdict(dict)
        for name in hellos:
            with suppress(TargetError):  # what it has said until then is shown
                self._ask(name, causes)
        close_targets()

    def case_of(self, cause: DisagreementCause, counted: CountedCause, target: str = "") -> Case:
        """Return a cause's smallest case for `target`, or for one of those that were asked it."""
        names = sorted(name for _, targets in cause.sides for name in targets)
        settings = self._settings
        generator = generator_of(settings.seed, settings.messages, settings.versions)
        number = counted.smallest[1]
        family = self._makes[target or names[0]].family(generator.draw(number // SLOTS))
        assert family is not None  # it was asked
        return family.cases[number % SLOTS]

    def _ask(self, name: str, causes: list[tuple[DisagreementCause, CountedCause]]) -> None:
        wanted = {}
        for position, (cause, counted) in enumerate(causes):
            answer = next((answer for answer, names in cause.sides if name in names), "")
            if answer in _DEADLY:
                self.said[position][name] = answer
            elif answer:
                wanted[position] = self.case_of(cause, counted, name)
        outcomes = target_of(name, self._settings).ask(case.request for case in wanted.values())
        for (position, case), outcome in zip(wanted.items(), outcomes, strict=True):
            self.said[position][name] = _said(case, outcome)


def _said(case: Case, outcome: Outcome) -> str:
    if outcome.outcome == "rejected":
        return shown(f"refused: {outcome.error} {outcome.text}")
    if outcome.outcome != "value":
        return shown(f"{outcome.outcome}: {outcome.text}")
    judged = judge_case(case, outcome)
    if judged.verdict in ("pass", "note"):
        return AS_DUE
    what = judged.first_difference or judged.detail
    return f"{what}; it says {shown(_value(outcome))}"


def _value(outcome: Outcome) -> Any:
    return outcome.bytes.hex() if outcome.bytes is not None else outcome.value
