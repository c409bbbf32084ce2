"""The number of rules that a run decided, and what the others wait for.

A rule is decided by one verdict that says how the target behaves. An undecided rule was never
asked, or none of its cases was conclusive: they ask for something that the target lacks, they need
an option that this run was not given, or another rule is broken first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.results.lines import BROKEN, NOT_ASKED, Decided, Finding, Verdict
from conformance.results.text import counted

WIDTH = 80
JUDGED = frozenset({"pass", "note", *BROKEN})
_BROKEN_FIRST = re.compile(r"(?P<rule>[a-z0-9-]+\.[a-z0-9-]+) (?:is broken|failed) first: ")
_API = "an API"
_ASKED_FOR = "what it lacks"


def broken_first(verdict: Verdict) -> str:
    """Return the rule that must be kept before this one can be judged, "" if none is named."""
    found = _BROKEN_FIRST.match(verdict.detail)
    return found["rule"] if found else ""


@dataclass
class Deciding:
    """A record of the decided rules, and of why the others are not decided."""

    _decided: set[str] = field(default_factory=set)
    _kept: set[str] = field(default_factory=set)
    _broken: Counter[str] = field(default_factory=Counter)
    _others: defaultdict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def take(self, verdict: Verdict) -> None:
        """Note one verdict."""
        if verdict.verdict in BROKEN:
            self._broken[verdict.rule] += 1
        elif verdict.verdict in JUDGED:
            self._kept.add(verdict.rule)
        if verdict.verdict in JUDGED:
            self._decided.add(verdict.rule)
            self._others.pop(verdict.rule, None)
        elif verdict.rule not in self._decided:
            first = broken_first(verdict) if verdict.verdict == "not-proven" else ""
            why = NOT_ASKED if verdict.detail.startswith(NOT_ASKED) else verdict.verdict
            self._others[verdict.rule][why, first] += 1

    def never_kept(self) -> frozenset[str]:
        """Return the rules that several cases decided, each as broken."""
        several = {rule for rule, count in self._broken.items() if count > 1}
        return frozenset(several - self._kept)

    def of(
        self, rules: Iterable[str] | None, needs: Mapping[str, str], *, is_whole: bool = True
    ) -> Decided:
        """Return how many of these rules are decided; with None, of those that have verdicts.

        `needs` has the option with which the cases of a rule are asked. A run that is not whole did
        not reach the rules without verdicts.
        """
        seen = self._decided | self._others.keys()
        every = seen if rules is None else {*rules}
        counts: Counter[str] = Counter()
        behind: Counter[str] = Counter()
        options: Counter[str] = Counter()
        for rule in every - self._decided:
            why, first = self._why(rule)
            if why == "behind":
                behind[first] += 1
            elif why == "missing" and rule in needs:
                options[needs[rule]] += 1
            elif why == "missing" and not is_whole:
                counts["unreached"] += 1
            else:
                counts[why] += 1
        return Decided(
            rules=len(every),
            decided=len(every & self._decided),
            behind=_sorted(behind),
            needs=_sorted(options),
            **counts,
        )

    def _why(self, rule: str) -> tuple[str, str]:
        """Return why a rule is not decided, and the rule that is broken first."""
        others = self._others.get(rule)
        if not others:
            return "missing", ""
        unproven = {key: count for key, count in others.items() if key[0] == "not-proven"}
        if unproven:
            return "behind", max(unproven, key=lambda key: (unproven[key], key))[1]
        if (NOT_ASKED, "") in others:
            return "unreached", ""
        return ("unsupported" if ("unsupported", "") in others else "errors"), ""


def in_words(decided: Decided, findings: Sequence[Finding] = (), *, lists_apis: bool) -> str:
    """Return how many rules were decided, how many were not, and why, in a line of 80 columns.

    A rule that is broken first is named by the number of its finding. If a target `lists_apis`, as
    a broker does, the missing things are called APIs.
    """
    said = f"{decided.decided} of {counted(decided.rules, 'rule')} decided"
    because = _reasons(decided, findings, lists_apis=lists_apis)
    if not because:
        return said
    whole = f"{said}; {decided.rules - decided.decided} not: {because}"
    is_told = ", " in because and len(whole) <= WIDTH  # one reason repeats the number
    return whole if is_told else f"{said}; {because}"


def _reasons(decided: Decided, findings: Sequence[Finding], *, lists_apis: bool) -> str:
    missing = _API if lists_apis and not decided.unsupported else _ASKED_FOR
    lacking = [
        (decided.missing + decided.unsupported, missing),
        (sum(decided.needs.values()), _options(decided.needs)),
        (sum(decided.behind.values()), _mended(decided.behind, findings)),
    ]
    said = [f"{count} {what}" for count, what in lacking if count]
    if said:
        number, _, what = said[0].partition(" ")
        said[0] = f"{number} {'needs' if number == '1' else 'need'} {what}"
    if decided.errors:
        said.append(f"{decided.errors} had errors")
    if decided.unreached:
        said.append(
            f"{decided.unreached} {'was' if decided.unreached == 1 else 'were'} not reached"
        )
    return ", ".join(said)


def _options(needs: Mapping[str, int]) -> str:
    """Return the option that most of them need."""
    first = next(iter(needs), "")
    return f"{first} or others" if len(needs) > 1 else first


def _mended(behind: Mapping[str, int], findings: Sequence[Finding]) -> str:
    """Return what must be mended before they can be judged."""
    numbers = {rule: number for number, each in _numbered(findings) for rule in each.every_rule}
    found = sorted({numbers[rule] for rule in behind if rule in numbers})
    if len(found) == 1 and behind.keys() <= numbers.keys():
        return f"defect {found[0]} mended"
    return "a mended defect"


def _numbered(findings: Sequence[Finding]) -> list[tuple[int, Finding]]:
    """Return the findings with their numbers, the last first, so that the first one counts."""
    return [*enumerate(findings, 1)][::-1]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """Return the counts, the most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
