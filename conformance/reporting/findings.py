"""The causes of many verdicts: each is reported once as a finding, with its smallest case.

If wrong bytes were written in some cases of a cause, the smallest of these cases is shown: it shows
the wrong byte itself, where the refusal of something shorter does not.

Cases have one cause where one diagnosis explains them, or else where their sorts are linked by
common keys (`reporting.sorts`). If a rule fails in nearly all of its cases, the cases that fail
under it have one cause as well (`reporting.leading_rules`).

Findings that hurt most come first: breaches of what the texts demand that keep clients from
connecting, since a client meets those first; then input of a peer that ends the target or stalls
it; then other breaches of what the texts demand, then other cases that end the target, then what
should be hardened, then differences from Apache Kafka. Within each of these groups, findings that
only a client's driver reports, and no request of the client shows, come last. Of the others the
harm of the broken rules decides, after what today's clients never meet: what only versions before
the newest show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import shorten
from zlib import crc32

import msgspec

from conformance.reporting.explained import Explained
from conformance.reporting.forwarded import harm_seen, sort_of_harm
from conformance.reporting.gravity import RANKS, Gravity, gravest, gravity, rank_of
from conformance.reporting.harms import ENDED, Endings, harm_of, remedy_of, unheard, was_unreadable
from conformance.reporting.leading_rules import FIELDS, NONE_FITS, Leads, is_about
from conformance.reporting.nulls import NULL_NOT_WRITTEN, null_written, writes_null
from conformance.reporting.observed import Observed
from conformance.reporting.of_several_rules import of_several_rules
from conformance.reporting.said import Said, with_example
from conformance.reporting.sorts import (
    Key,
    Sort,
    bytes_that_differ,
    case_of,
    linked,
    shared_words,
    sort_of,
)
from conformance.reporting.unread_fields import field_unread
from conformance.reporting.visited import is_rush, rests_on_driver, rush
from conformance.results.case_examples import key_of
from conformance.results.command_lines import case_line
from conformance.results.lines import (
    EXCHANGE,
    FORWARD,
    NOT_LED,
    ONE_ALONE,
    VISIT,
    Finding,
    Verdict,
)

_MOST_NAMED = 3
"""The most operations and messages that are named; more are counted."""
_LONGEST = 160
_PLAIN = "serves-"
"""The beginning of the case names of clients that test nothing but the requested task."""
_EXAMPLES = 3
"""The number of cases kept of a sort: the smallest, and some spread over all the others."""
_NOTHING = Explained()


class Causes:
    """A collector of broken verdicts into findings. It keeps a few cases of each sort, not all."""

    def __init__(self) -> None:
        self._sorts: dict[Sort, Cause] = {}
        self._case: list[Verdict] = []

    def take(self, verdict: Verdict) -> None:
        """Count one broken verdict. The verdicts of one case have to come one after another."""
        first = self._case[0] if self._case else None
        if first and (first.op == EXCHANGE or case_of(verdict) != case_of(first)):
            self._close_case()
        self._case.append(verdict)

    def findings(
        self,
        again: Sequence[str] = (),
        explained: Explained = _NOTHING,
    ) -> list[Finding]:
        """Return the findings so far, the most harmful first.

        `again` has the words of the command line that reproduces a case. `explained` has the
        diagnoses of the sorts.
        """
        return [finding for finding, _ in self.with_sorts(again, explained)]

    def with_sorts(
        self, again: Sequence[str] = (), explained: Explained = _NOTHING
    ) -> list[tuple[Finding, frozenset[Sort]]]:
        """Return the findings, each with the sorts of cases that it covers."""
        leads = Leads(explained.judged)
        found = [
            (
                cause,
                cause.finding(what, partial(case_line, again), lead, leads.unproven(cause, lead)),
                frozenset(cause.sorts),
            )
            for what, lead, cause in self._causes(explained, leads)
        ]
        newest = explained.newest
        found.sort(
            key=lambda each: (*each[0].gravity(each[1], newest), -each[1].count, each[1].case)
        )
        return [(finding, sorts) for _, finding, sorts in found]

    def sorts(self) -> Mapping[Sort, Cause]:
        """Return the cases so far, by sort."""
        self._close_case()
        return self._sorts

    def examples(self) -> dict[str, Verdict]:
        """Return a verdict of the smallest case of each sort, and of each rule of a dialogue.

        Each finding covers one sort or more, so the case of every finding is among them.
        """
        self._close_case()
        shown = (each for cause in self._sorts.values() for each in cause.shown)
        return {key_of(each): each for each in shown}

    def _close_case(self) -> None:
        if self._case:
            sort = sort_of(self._case)
            cause = self._sorts.setdefault(sort, Cause())
            cause.sorts.add(sort)
            cause.take(self._case)
            self._case = []

    def _causes(self, explained: Explained, leads: Leads) -> Iterator[tuple[str, str, Cause]]:
        """Yield each diagnosis ("" if there is none), its rule and its cause."""
        diagnosed: dict[str, list[Cause]] = {}
        others: list[tuple[tuple[Key, ...], Cause]] = []
        texts, wheres = explained.whole(self.sorts()), {*explained.where.values()}
        in_kinds = {*explained.in_kind.values()}
        unnamed = {*wheres, *in_kinds}
        seen: dict[Observed, list[Cause]] = {}
        nulls = self._nulls(texts, explained.breaks) | self._silences()
        for sort, cause in self.sorts().items():
            if shown := explained.observed.get(sort):
                seen.setdefault(shown, []).append(cause)
            elif sort not in nulls and (what := texts[sort] or explained.name_of(sort)):
                diagnosed.setdefault(what, []).append(cause)
            else:
                others.append((sort[1] if cause.ends else explained.keys_of(sort), cause))
        for shown, causes in seen.items():
            whole = _together(causes)
            whole.observed = shown
            yield "", shown.lead, whole
        for what, causes in diagnosed.items():
            whole = _together(causes)
            is_false = any(each.sorts & explained.lacking for each in causes)
            whole.where = what if what in wheres and not is_false else ""
            own = explained.breaks.get(what, "")
            whole.words = explained.words.get(what, ("", ""))
            whole.in_values = what in in_kinds
            lead = own or leads.about(whole, gravest(whole.rules))
            yield "" if what in unnamed else what, lead, whole
        for cause in leads.joined([_together(causes) for causes in linked(others)]):
            cause.observed = shown = cause.of_several_rules
            yield "", shown.lead if shown else leads.about(cause, gravest(cause.rules)), cause

    def _nulls(self, texts: Mapping[Sort, str], breaks: Mapping[str, str]) -> frozenset[Sort]:
        """Return the sorts of null that is written, if they break several rules.

        A diagnosis of one of these rules alone counts as none.
        """
        found = frozenset(
            sort
            for sort, cause in self._sorts.items()
            if cause.is_null_written
            and (not texts[sort] or breaks.get(texts[sort]) in NULL_NOT_WRITTEN)
        )
        return found if len({rule for rules, _ in found for rule in rules}) > 1 else frozenset()

    def _silences(self) -> frozenset[Sort]:
        """Return the sorts of unreadable requests left in silence, if they break several rules."""
        found = frozenset(sort for sort, cause in self._sorts.items() if cause.is_unheard)
        return found if len({rule for rules, _ in found for rule in rules}) > 1 else frozenset()


class Cause:
    """The cases of one cause, as far as a finding describes them."""

    smallest: Verdict
    where = ""
    """The common trait of its messages, as a clause."""
    in_values = False
    """True if nothing differs but values of one type, or bytes after the end."""
    observed: Observed | None = None
    """The cause that its answers themselves show."""
    words = ("", "")
    """The harm and the remedy of its diagnosis, "" where those of the leading rule fit."""

    def __init__(self) -> None:
        self.sorts: set[Sort] = set()
        self.rules: Counter[str] = Counter()
        self.bytes_differ: Counter[str] = Counter()
        self.altered: Counter[str] = Counter()
        self.placed = 0
        self.placed_rules: Counter[str] = Counter()
        self.count = 0
        self.examples: list[Verdict] = []
        self._size: tuple[int, int, str] | None = None
        self._rank = len(RANKS)
        self._endings = Endings()
        self._asked: set[tuple[str, int]] = set()
        """The messages of its cases, each with a version."""
        self._ops: set[str] = set()
        self._said: Said | None = None
        self._on_driver = True
        """True if nothing but the words of a client's driver shows the cause."""
        self._rushes = True
        """True if each of its cases is a client that asks again without waiting."""
        self._nulls = True
        """True if each of its cases is null written where the field is not nullable."""
        self._of_rule: dict[str, tuple[tuple[int, int, str], Verdict]] = {}
        """The smallest dialogue that breaks each rule."""
        self.is_unheard = True
        """True if each of its cases is an unreadable request that was left in silence."""

    def take(self, case: list[Verdict]) -> None:
        """Count one case by its verdicts."""
        first = case[0]
        self.count += 1
        self.rules.update(verdict.rule for verdict in case)
        kinds = bytes_that_differ(first)
        self.bytes_differ.update(kinds)
        self.placed += bool(kinds)
        self.placed_rules.update(each.rule for each in case if kinds and is_about(each.rule, kinds))
        self.altered.update(each.rule for each in case if _is_made_for(each))
        self._asked.add((first.message, first.version))
        self._ops.add(first.op)
        self._show(first, _size(first))
        self._keep([first])
        self._rank = min(self._rank, *map(rank_of, case))
        self._endings.take(case)
        self._say(Said(_what(first), shared_words(first)))
        self._on_driver &= all(map(rests_on_driver, case))
        self._rushes &= is_rush(first)
        self._nulls &= writes_null(case)
        self.is_unheard &= all(map(was_unreadable, case))
        if first.op in (EXCHANGE, VISIT):
            for each in case:
                self._keep_of_rule(each.rule, (_size(each), each))

    def add(self, other: Cause) -> None:
        """Add the counts of another cause."""
        self.sorts |= other.sorts
        self.count += other.count
        self.rules.update(other.rules)
        self.bytes_differ.update(other.bytes_differ)
        self.altered.update(other.altered)
        self.placed += other.placed
        self.placed_rules.update(other.placed_rules)
        self._asked |= other._asked
        self._ops |= other._ops
        if other._size is not None:
            self._show(other.smallest, other._size)
            self._keep(other.examples)
        self._rank = min(self._rank, other._rank)
        self._endings.add(other._endings)
        if other._said is not None:
            self._say(other._said)
        self._on_driver &= other._on_driver
        self._rushes &= other._rushes
        self._nulls &= other._nulls
        self.is_unheard &= other.is_unheard
        for rule, found in other._of_rule.items():
            self._keep_of_rule(rule, found)

    @property
    def _messages(self) -> set[str]:
        return {message for message, _ in self._asked}

    @property
    def rank(self) -> int:
        """Return the rank of the gravest verdict, 0 for the gravest.

        The class of the rule decides, and if the target ended or stalled.
        """
        return self._rank

    @property
    def is_doubted(self) -> bool:
        """True if only a driver's words show it, in one case: the driver may bring that about."""
        return self._on_driver and self.count == 1

    def gravity(self, finding: Finding, newest: Mapping[str, int]) -> Gravity:
        """Return a sort key of its finding, with the gravest first.

        `newest` is the newest version of each message that was judged.
        """
        is_of_old = self._ops <= {EXCHANGE, FORWARD} and all(
            version < newest.get(message, version) for message, version in self._asked
        )
        return gravity(finding, self.rank, self.is_doubted, self.ends_by_a_peer, is_of_old)

    @property
    def ends_by_a_peer(self) -> bool:
        """True if what a peer sends ends the target or stalls it."""
        return bool(self._endings.ends) and not self._on_driver and self._ops != {"encode"}

    @property
    def of_several_rules(self) -> Observed | None:
        """Return the cause that its cases show of a broker, None if a rule's words describe it."""
        return of_several_rules(self._messages, self.rules, {version for _, version in self._asked})

    @property
    def is_null_written(self) -> bool:
        """True if each of its cases is null written where the field is not nullable."""
        return self._nulls

    @property
    def shown(self) -> list[Verdict]:
        """Return the verdicts that a finding may show: the smallest, and that of each rule."""
        return [self.smallest, *(verdict for _, verdict in self._of_rule.values())]

    @property
    def ends(self) -> bool:
        """True if its smallest case ends the target or stalls it."""
        return self.smallest.verdict in ENDED

    def finding(
        self,
        diagnosis: str,
        again: Callable[[str], str],
        lead: str = "",
        unproven: Collection[str] = (),
    ) -> Finding:
        """Return the finding on this cause, led by this rule.

        `again` returns the command line that repeats a case. `unproven` are rules of its cases of
        which these do not show a breach, if any other rule is left.
        """
        messages = sorted(self._messages)
        where = f"{len(messages)} messages" if len(messages) > _MOST_NAMED else _and(messages)
        every = sorted(self.rules, key=lambda rule: (rule != lead, -self.rules[rule], rule))
        rules = [rule for rule in every if rule not in unproven] or every
        # The words are those of the leading rule, and so has to be the case that is shown.
        _, smallest = self._of_rule.get(rules[0], (None, self.smallest))
        verdict = smallest.verdict
        how = "" if verdict == "fail" else f"{verdict}: "
        where += f", where {self.where}" if self.where not in ("", f"it is a {where}") else ""
        said = self._said.text if self._said else ""
        if self._said is None or self._said.is_cut:
            said = with_example(said, shorten(_what(smallest), _LONGEST, placeholder=" …"))
        ends = self._endings.ends
        # A broker may break one rule in several ways: the words are on the case that is shown.
        seen = Endings.of([smallest]).seen if smallest.op == EXCHANGE else self._endings.seen
        kind = next((kind for kind, rank in RANKS.items() if rank == self._rank), "")
        shown = (
            self.observed
            or self._general(rules[0])
            or field_unread(smallest)
            or Observed("", "", *self.words)
        )
        if lead and lead != NONE_FITS and lead not in self.rules:
            rules.insert(0, lead)
        is_vague = lead in (NONE_FITS, FIELDS) or not is_about(lead, bytes_that_differ(smallest))
        is_vague = is_vague and not shown.says  # its example has to show what the rule is about
        led = 0 if diagnosis else NOT_LED if is_vague else self.rules[rules[0]]
        doubt = ONE_ALONE if self.is_doubted else ""
        return Finding(
            cause=f"{_listed(sorted(self._ops))} of {where}: {how}{said}{doubt}",
            rules=rules,
            case=smallest.case,
            count=self.count,
            reproduce=again(smallest.case),
            diagnosis=diagnosis,
            harm=shown.harm
            or (harm_of(rules[0], seen) if shown.says or not led or 3 * led >= self.count else ""),
            kind=ends if kind == "ended" else kind,
            ends=ends,
            led=led,
            what=shown.says,
            remedy=shown.remedy or remedy_of(rules[0], seen),
            unproven=[rule for rule in every if rule not in rules],
        )

    def _general(self, lead: str) -> Observed | None:
        """Return the cause that cases of several rules have, where none of them describes all.

        What a malformed frame did to a proxy says more than the one rule that it broke.
        """
        if harm := sort_of_harm(self.smallest):
            return harm_seen(self.smallest.rule, harm)
        if len(self.rules) < 2:
            return None
        if self.is_unheard:
            return unheard(lead)
        if self._rushes:
            return rush(len(self.rules))
        return null_written() if self._nulls else None

    def _say(self, said: Said) -> None:
        self._said = self._said.beside(said) if self._said else said

    def _show(self, verdict: Verdict, size: tuple[int, int, str]) -> None:
        if self._size is None or size < self._size:
            self.smallest, self._size = verdict, size

    def _keep_of_rule(self, rule: str, found: tuple[tuple[int, int, str], Verdict]) -> None:
        self._of_rule[rule] = min(found, self._of_rule.get(rule, found), key=lambda each: each[0])

    def _keep(self, verdicts: Iterable[Verdict]) -> None:
        """Keep the smallest case, and the first few others by the hash of the case."""
        found = {each.case: each for each in (*self.examples, *verdicts)}
        others = sorted(found, key=lambda case: (case != self.smallest.case, crc32(case.encode())))
        self.examples = [found[case] for case in others[:_EXAMPLES]]


def _together(causes: Sequence[Cause]) -> Cause:
    whole = Cause()
    for cause in causes:
        whole.add(cause)
    return whole


def _is_made_for(verdict: Verdict) -> bool:
    """True if a message was altered for this rule, and not only decides it."""
    parts = verdict.case.split("/")
    return len(parts) > 2 and parts[2] == verdict.rule.partition(".")[2]


def _what(verdict: Verdict) -> str:
    text = ": ".join(filter(None, (verdict.detail, verdict.first_difference)))
    return " ".join(text.split())


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} operations" if len(names) > _MOST_NAMED else _and(names)


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _size(verdict: Verdict) -> tuple[int, int, str]:
    """Return a sort key that puts the best example first.

    The best is a wrong byte that was written, or a visit where nothing else is wrong; then a plain
    message, then input that is to be refused; of each, a short one.
    """
    asked = verdict.input
    length = len(asked if isinstance(asked, str) else msgspec.json.encode(asked))
    is_shown = any(row.differs and row.actual is not None for row in verdict.annotated)
    is_plain = verdict.op == VISIT and verdict.case.partition("/")[2].startswith(_PLAIN)
    is_cut = isinstance(verdict.expected, str) and verdict.expected.startswith("refused")
    return 0 if is_shown or is_plain else 2 if is_cut else 1, length, verdict.case
