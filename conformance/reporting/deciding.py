"""How many of its rules a run decided, and what the others wait for.

A rule is decided by one verdict that says how the target behaves. One that is not was never asked,
or all of its cases came to nothing: they ask for what the target lacks, they are held only with an
option that this run was not given, or another rule is broken first.
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
    """The rule that has to be kept before this one can be judged, "" where it has no name."""
    found = _BROKEN_FIRST.match(verdict.detail)
    return found["rule"] if found else ""


@dataclass
class Deciding:
    """Notes of each rule whether a verdict decides it, and why the others do not."""

    _decided: set[str] = field(default_factory=set)
    _others: defaultdict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def take(self, verdict: Verdict) -> None:
        """Note one verdict."""
        if verdict.verdict in JUDGED:
            self._decided.add(verdict.rule)
            self._others.pop(verdict.rule, None)
        elif verdict.rule not in self._decided:
            first = broken_first(verdict) if verdict.verdict == "not-proven" else ""
            why = NOT_ASKED if verdict.detail.startswith(NOT_ASKED) else verdict.verdict
            self._others[verdict.rule][why, first] += 1

    def of(
        self, rules: Iterable[str] | None, needs: Mapping[str, str], *, is_whole: bool = True
    ) -> Decided:
        """How many of these rules are decided, or of those that have verdicts.

        `needs` has the option that the cases of a rule are held with. A run that is not whole did
        not come to those without verdicts.
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
        """Why a rule is not decided, and the rule that is broken first."""
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
    """How many rules were decided, how many were not, and why, in a line of 80 columns.

    A rule that is broken first is named by the number of its finding. What a target lacks that
    `lists_apis`, a broker, is an API.
    """
    said = f"{decided.decided} of {counted(decided.rules, 'rule')} decided"
    because = _reasons(decided, findings, lists_apis=lists_apis)
    if not because:
        return said
    whole = f"{said}; {decided.rules - decided.decided} not: {because}"
    is_told = ", " in because and len(whole) <= WIDTH  # of one reason the number says it already
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
    """The option that most of them need."""
    first = next(iter(needs), "")
    return f"{first} or others" if len(needs) > 1 else first


def _mended(behind: Mapping[str, int], findings: Sequence[Finding]) -> str:
    """What has to be mended before they can be judged."""
    numbers = {rule: number for number, each in _numbered(findings) for rule in each.rules}
    found = sorted({numbers[rule] for rule in behind if rule in numbers})
    if len(found) == 1 and behind.keys() <= numbers.keys():
        return f"defect {found[0]} mended"
    return "a mended defect"


def _numbered(findings: Sequence[Finding]) -> list[tuple[int, Finding]]:
    """The findings with their numbers, the last first: of two with one rule the first counts."""
    return [*enumerate(findings, 1)][::-1]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
