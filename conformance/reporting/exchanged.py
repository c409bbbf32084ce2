"""The changes that a client notices where one broker replaces another: a page about two runs.

The page lists the requests that are no longer available, then the answers: those that newly break a
rule, those that newly keep one, and those that differ although both are right. A rule is shown in
its own words: its breach and its harm.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.error_codes import NAMES
from conformance.reporting.differences import Difference
from conformance.results.text import counted, spans
from conformance.rules import Rule

Ranges = Mapping[str, range]
"""The versions of each request that a broker lists, by its name."""

_CASE = re.compile(r"(\w+?)(?:Request)?(?:-v(\d+))?/.*")
_ERROR = re.compile(r"\berror (-?\d+)$")
_BROKEN = frozenset({"fail", "crash", "hang"})
_MOST_NAMED = 4
_MOST_ALIKE = 8
_KINDS = {
    "crash": "ends its process or stays silent",
    "must": "breaks the protocol",
    "harden": "lacks a guard against bad input",
    "kafka": "does otherwise than Apache Kafka",
}


@dataclass(frozen=True, slots=True)
class _Side:
    verdict: str
    detail: str

    def broken(self, rule: Rule) -> bool:
        """True if the rule is not kept, whether the profile allows that or not."""
        return self.verdict in _BROKEN or (self.verdict == "note" and rule.class_ == "kafka")


def page(
    names: tuple[str, str],
    ranges: tuple[Ranges, Ranges],
    differences: Sequence[Difference],
    rules: Mapping[str, Rule],
) -> Iterator[str]:
    """Yield the lines of the page, for the first of two brokers in place of the second."""
    one, other = names
    yield f"What a client would notice where {one} takes the place of {other}"
    yield from _of_versions(*ranges)
    worse, better, told, untold = _sorted_out(differences, rules)
    yield from _of_rules(f"{one} {{}}, and {other} does not", worse, rules)
    yield from _of_rules(f"{other} {{}}, and {one} does not", better, rules)
    yield from _of_answers(told)
    if untold:
        yield ""
        cases = counted(untold, "case")
        yield f"In {cases} both are wrong, or one of them could not be judged: -v shows them"


def _of_versions(one: Ranges, other: Ranges) -> Iterator[str]:
    for what, named in (
        ("It can ask no longer", _lost(one, other)),
        ("It can ask no longer in the versions", _fewer(one, other)),
        ("It can ask as well", _lost(other, one)),
        ("It can ask as well in the versions", _fewer(other, one)),
    ):
        if named:
            yield ""
            yield f"{what}: {', '.join(named)}"


def _lost(one: Ranges, other: Ranges) -> list[str]:
    """Return the requests that the other has and the one lacks."""
    return sorted(other.keys() - one.keys())


def _fewer(one: Ranges, other: Ranges) -> list[str]:
    """Return the versions, of requests that both have, which the other has and the one lacks."""
    left = {name: set(other[name]) - set(one[name]) for name in sorted(one.keys() & other.keys())}
    return [
        f"{name} {' and '.join(spans(versions))}" for name, versions in left.items() if versions
    ]


def _sorted_out(
    differences: Sequence[Difference], rules: Mapping[str, Rule]
) -> tuple[list[Difference], list[Difference], list[Difference], int]:
    worse, better, told, untold = [], [], [], 0
    for each in differences:
        if each.is_of_versions:
            continue
        one, other, rule = _side(each.one), _side(each.other), rules[each.rule]
        if one.broken(rule) and other.verdict == "pass":
            worse.append(each)
        elif other.broken(rule) and one.verdict == "pass":
            better.append(_turned(each))
        elif {one.verdict, other.verdict} <= {"pass", "note"} and not one.broken(rule):
            told.append(each)
        else:
            untold += 1
    return worse, better, told, untold


def _turned(each: Difference) -> Difference:
    return Difference(each.rule, each.case, each.other, each.one)


def _side(said: str) -> _Side:
    verdict, _, detail = said.partition(": ")
    return _Side(verdict, detail)


def _of_rules(
    heading: str, broken: Sequence[Difference], rules: Mapping[str, Rule]
) -> Iterator[str]:
    """Yield a paragraph for each kind of defect, with each rule and its harm."""
    kinds: defaultdict[str, defaultdict[str, list[Difference]]]
    kinds = defaultdict(lambda: defaultdict(list))
    for each in broken:
        harmful = _side(each.one).verdict in ("crash", "hang")
        kinds["crash" if harmful else rules[each.rule].class_][each.rule].append(each)
    for kind, words in _KINDS.items():
        if found := kinds.get(kind):
            yield ""
            yield f"{heading.format(words)}:"
            for name, cases in found.items():
                yield f"  {rules[name].breach}: {_asked(cases)}"
                yield f"    {rules[name].harm}"


def _of_answers(told: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines about answers that are right in both brokers, and differ."""
    alike: defaultdict[tuple[str, str], list[Difference]] = defaultdict(list)
    for each in told:
        said = [_named(_side(side).detail) or "as usual" for side in (each.one, each.other)]
        alike[said[0], said[1]].append(each)
    if alike:
        yield ""
        yield "Both are right, and answer otherwise:"
    ordered = sorted(alike.items(), key=lambda item: -len(item[1]))
    for (mine, theirs), cases in ordered[:_MOST_ALIKE]:
        yield f"  {mine}, where it was {theirs}: {_asked(cases)}"
    if rest := ordered[_MOST_ALIKE:]:
        yield f"  and {counted(sum(len(cases) for _, cases in rest), 'case')} more: -v"


def _named(detail: str) -> str:
    """Return a detail with the name of an error after its number."""
    return _ERROR.sub(lambda each: f"{each[0]} {NAMES.get(int(each[1]), '')}".rstrip(), detail)


def _asked(cases: Sequence[Difference]) -> str:
    """Return the requests and versions of some cases: Metadata v1 to v13, CreateTopics v5."""
    versions: defaultdict[str, set[int]] = defaultdict(set)
    for each in cases:
        if found := _CASE.fullmatch(each.case):
            versions[found[1]] |= {int(found[2])} if found[2] else set()
    named = [f"{name} {' and '.join(spans(of))}".strip() for name, of in sorted(versions.items())]
    left = len(named) - _MOST_NAMED
    return ", ".join(named[:_MOST_NAMED]) + (f" and {left} more" if left > 0 else "")
