"""The standing of a target among others: in a word, in the closing block's words, and in numbers.

The target with fewer defects of the gravest kind stands first; of equal ones, the one that has more
of the protocol. A run that judged a part, or nothing, stands after those that judged all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.reporting.badge import Badge, conforming, in_short
from conformance.reporting.closing_block import defects_of, measured, outcome_of
from conformance.reporting.deciding import JUDGED, in_words
from conformance.reporting.site.counts import shade_of_number
from conformance.reporting.site.coverage import Definitions
from conformance.reporting.site.gathered_run import CountedForm, Gathered, broken
from conformance.results.lines import BROKEN
from conformance.results.text import counted

NEWEST = ""
"""The argument that asks for the definitions of the newest stored release."""
_OWN = "reference"
_SEEN_WHOLE, _SEEN_IN_PART, _NOT_SEEN = range(3)


@dataclass(frozen=True)
class Part:
    """A number out of a total."""

    some: int
    of: int

    @property
    def share(self) -> float:
        """Return the share, between 0 and 1."""
        return self.some / self.of if self.of else 0.0

    @property
    def percent(self) -> str:
        """Return a percentage such as `97 %`, rounded down; 100 % is all, and 0 % is none."""
        if self.some in (0, self.of):
            return f"{100 * self.share:.0f} %"
        return f"{max(1, int(100 * self.share))} %"


@dataclass(frozen=True)
class Standing:
    """The standing of one target; `kind` is the colour of its word, `kinds` counts its defects."""

    word: str
    kind: str
    outcome: str
    measured: str
    kinds: Counter[str]
    kept: Part
    """Its `must` rules that were not broken, of those that were judged."""
    has: Part | None
    """Its versions of requests and responses, of those of the newest release.

    None if the run judged only a part, since it is not known then what the codec lacks.
    """
    rules: int
    """The number of rules that the run was to decide, 0 if its results do not say."""
    seen: int
    badge: Badge
    is_own: bool

    @property
    def order(self) -> tuple[float, ...]:
        """Return the key that sorts the best to the front."""
        kinds = self.kinds
        grave = (kinds["must"], kinds["crash"] + kinds["hang"], kinds["harden"], kinds["kafka"])
        has = self.has.share if self.has else 0.0
        return (self.seen, *grave, -has, self.is_own)

    @property
    def is_whole(self) -> bool:
        """True if the run judged all that it could."""
        return self.seen == _SEEN_WHOLE


def standing(gathered: Gathered, kind: str, definitions: Definitions) -> Standing:
    """Return the standing of the target of a run."""
    defects = defects_of(gathered.findings)
    kinds = Counter(each.kind for each in defects)
    kinds.update(each.ends for each in defects if each.ends not in ("", each.kind))
    found = len(defects) + gathered.more_findings
    word, colour, seen = _word(gathered, kind, found)
    kept = _kept(gathered)
    is_codec = kind == "codec"
    has = _has(gathered.counts, definitions(NEWEST)) if is_codec and seen == _SEEN_WHOLE else None
    summary = gathered.summary
    return Standing(
        word=word,
        kind=shade_of_number(colour, found or len(_broken_rules(gathered))),
        outcome=outcome_of(defects) or word,
        measured="; ".join(filter(None, (_measured(gathered, is_codec), _decided(gathered, kind)))),
        kinds=kinds,
        kept=kept,
        has=has,
        rules=summary.decided.rules if summary and summary.decided else 0,
        seen=seen,
        badge=_badge(gathered, word, found, seen),
        is_own=gathered.run.target == _OWN,
    )


def _measured(gathered: Gathered, is_codec: bool) -> str:
    """Return the size of the run, in the closing block's words."""
    summary = gathered.summary
    unasked = summary.unasked if summary else None
    cases, seconds = (summary.cases, summary.seconds) if summary else (gathered.cases, 0.0)
    names_messages = is_codec and not gathered.run.selection
    messages = len({form.message for form in gathered.counts}) if names_messages else 0
    return measured(cases, messages, seconds, unasked)


def _decided(gathered: Gathered, kind: str) -> str:
    """Return how many rules the run decided, in the closing block's words."""
    summary = gathered.summary
    if summary is None or summary.decided is None:
        return ""
    return in_words(summary.decided, gathered.findings, lists_apis=kind == "broker")


def _word(gathered: Gathered, kind: str, found: int) -> tuple[str, str, int]:
    """Return the word, its colour, and how much of the target was judged."""
    verdicts = gathered.verdicts
    whole = bool(gathered.summary) and not gathered.run.selection
    seen = _SEEN_WHOLE if whole else _SEEN_IN_PART
    if found or broken(verdicts):
        rules = counted(len(_broken_rules(gathered)), "rule")
        said = in_short(found, gathered.ended_by) if found else f"{rules} broken"
        return said, "harm" if gathered.ended_by else "fail", seen
    if kind == "fuzz":
        return "nothing found", "none", _SEEN_IN_PART
    if not any(verdicts[name] for name in JUDGED):
        return "not judged", "none", _NOT_SEEN
    if not gathered.summary:
        return "interrupted", "none", _SEEN_IN_PART
    if verdicts["error"]:
        return "not judged to the end", "none", _SEEN_IN_PART
    return (in_short(0), "pass", seen) if whole else ("no failure", "pass", seen)


def _broken_rules(gathered: Gathered) -> set[str]:
    return {form.rule for form in gathered.counts if form.verdict in BROKEN}


def _badge(gathered: Gathered, word: str, found: int, seen: int) -> Badge:
    rules = len({form.rule for form in gathered.counts})
    if found or broken(gathered.verdicts):
        return Badge(in_short(found) if found else word, "red", is_error=True)
    if seen == _SEEN_WHOLE and word == in_short(0):
        return Badge(conforming(rules, gathered.run.profile), "brightgreen")
    return Badge(word, "lightgrey")


def _kept(gathered: Gathered) -> Part:
    judged = {form.rule for form in gathered.counts if form.verdict in JUDGED}
    bad = _broken_rules(gathered)
    must = {rule for rule in judged if gathered.classes[rule] == "must"}
    return Part(len(must - bad), len(must))


def _has(counts: Counter[CountedForm], newest: Mapping[str, Sequence[int]]) -> Part | None:
    there = {
        (name, version)
        for name, versions in newest.items()
        if name.endswith(("Request", "Response"))
        for version in versions
    }
    has = {(form.message, form.version) for form in counts}
    return Part(len(there & has), len(there)) if there else None
