"""Many verdicts, few causes: what went wrong, told once each with its smallest case.

Of a cause whose wrong bytes were written in some cases, the smallest of these is told: it shows the
byte itself, where a refusal of something shorter does not.

A codec that trips over one thing fails hundreds of cases under dozens of rules, on every message
that has the thing. The verdicts of one case are taken together first. Cases are then alike

    diagnosed   where one diagnosis explains both of them;
    in words    where the target refused or crashed with the same words, whatever it was asked;
                numbers, names and bytes in those words may vary;
    taken       where it took what the same rules have refused;
    panicked    where it panicked in place of refusing what the same rules have refused;
    exchanged   where a broker broke one rule, or left one API unserved or without its results;
    visited     where a client broke one rule in one API, or in the same words of its driver;
    forwarded   where a proxy broke one rule in one API, or in the same words;
    in kind     where it read or wrote something else at fields of one type, in one way, under the
                same rules, or at one field of one message, whatever the rules.

What is alike in one of these ways is one cause, and so is what is alike to a third that both are
alike to. A refusal without words says nothing, so it is told apart by its rules. Where a rule fails
in nearly all of its cases, what fails under it is one cause as well (`reporting.leads`).

Findings that hurt most come first: what the texts demand, what ends the target, what should harden
it, what Apache Kafka does; of each of these what keeps clients from connecting, since nothing else
is met before that, and last what no request of a client shows, but what its driver said; then by
the harm of the rule that each is led by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from textwrap import shorten
from zlib import crc32

import msgspec

from conformance.reporting.harms import ENDED, Endings, harm_of, panicked
from conformance.reporting.leads import FIELDS, NONE_FITS, Leads, is_about
from conformance.reporting.observed import Observed
from conformance.reporting.said import Said, alike_words, with_example
from conformance.reporting.visited import is_rush, malformed, rests_on_driver, rush, words_of_end
from conformance.results.command_lines import case_line
from conformance.results.lines import (
    BEHIND,
    ENDED_BY_ONE,
    EXCHANGE,
    FORWARD,
    NOT_LED,
    ONE_ALONE,
    VISIT,
    Finding,
    Verdict,
)
from conformance.rules import CLASSES, HARMS, HarmLevel, catalogue

_HOW_IT_ENDED = re.compile(
    r": (?:nothing came|the connection was (?:closed|torn down)|more was announced[^()]*)"
    r"(?: \(.*\))?$"
)
"""How a forwarded frame did not come, which tells no cause from another."""
_INDEX = re.compile(r"\[\d+\]")
_IN_HEADERS = {"requestApiKey", "requestApiVersion", "correlationId", "clientId"}
_PART = re.compile(r"(_tags)?\(\w+\)$")
_OF_NULL = re.compile(r": expected (?:None|null), got |, got (?:None|null)$")
_SHAPES = (": missing", " elements, got ", "has no such field", "got the end", "got null")
IN_EACH_API = frozenset({"api-versions.advertised-is-served", "results.one-for-each"})
"""Rules of brokers with a cause of their own in each API."""
_MOST_NAMED = 3
"""So many operations and messages are named, and more of them counted."""
_LONGEST = 160
_PLAIN = "serves-"
"""How the cases of clients begin that are about nothing but what is asked for."""
_EXAMPLES = 3
"""So many cases of a sort are kept: the smallest, and some from all over."""
_RANKS = {"must": 0, "ended": 1, "harden": 2, "kafka": 3}

Key = tuple[str, ...]
Sort = tuple[Key, tuple[Key, ...]]
"""The rules that a case broke, and what it has in common with others of one cause."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What a diagnosis says of each sort of failure, and of each diagnosis the rule that it breaks.

    `judged` has how many cases of each rule were judged. `where` says what the messages of a sort
    have in common, and `near` is a name for sorts that have one cause, though nobody can say what
    it looks like. `in_kind` names the one type of those sorts that differ in values of it alone.
    `observed` are causes that the answers themselves show.
    """

    texts: Mapping[Sort, str] = field(default_factory=dict)
    breaks: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[Sort, str] = field(default_factory=dict)
    where: Mapping[Sort, str] = field(default_factory=dict)
    in_kind: Mapping[Sort, str] = field(default_factory=dict)
    observed: Mapping[Sort, Observed] = field(default_factory=dict)

    def name_of(self, sort: Sort) -> str:
        """What a sort without a diagnosis has in common with others, "" for nothing."""
        found = (kind.get(sort) for kind in (self.where, self.in_kind, self.near))
        return next(filter(None, found), "")

    def whole(self, sorts: Iterable[Sort]) -> Mapping[Sort, str]:
        """What explains each of these, or one like it that broke more rules, "" for nothing."""
        near: dict[tuple[Key, ...], list[tuple[frozenset[str], str]]] = {}
        for (rules, keys), text in self.texts.items():
            near.setdefault(keys, []).append((frozenset(rules), text))
        return {
            (rules, keys): self.texts.get((rules, keys))
            or next((text for more, text in near.get(keys, ()) if more.issuperset(rules)), "")
            for rules, keys in sorts
        }


_NOTHING = Explained()


class Causes:
    """Gathers broken verdicts into findings. Keeps a case of each sort, not all of them."""

    def __init__(self) -> None:
        self._sorts: dict[tuple[Key, tuple[Key, ...]], Cause] = {}  # by rules and keys
        self._case: list[Verdict] = []

    def take(self, verdict: Verdict) -> None:
        """Count one broken verdict. Those of one case come one after another."""
        first = self._case[0] if self._case else None
        if first and (first.op == EXCHANGE or _whose(verdict) != _whose(first)):
            self._close_case()
        self._case.append(verdict)

    def findings(
        self,
        again: Sequence[str] = (),
        explained: Explained = _NOTHING,
    ) -> list[Finding]:
        """The findings so far, those that hurt most first.

        To be reproduced by the command line of these words. `explained` says what each sort looks
        like.
        """
        return [finding for finding, _ in self.with_sorts(again, explained)]

    def with_sorts(
        self, again: Sequence[str] = (), explained: Explained = _NOTHING
    ) -> list[tuple[Finding, frozenset[Sort]]]:
        """The findings, each with the sorts of cases that it tells of."""
        leads = Leads(explained.judged)
        found = [
            (
                cause.rank,
                cause.rests_on_driver,
                cause.finding(what, partial(case_line, again), lead),
                frozenset(cause.sorts),
            )
            for what, lead, cause in self._causes(explained, leads)
        ]
        found.sort(key=lambda each: (*each[:2], *_urgency(each[2]), -each[2].count, each[2].case))
        return [(finding, sorts) for *_, finding, sorts in found]

    def sorts(self) -> Mapping[Sort, Cause]:
        """The cases so far, sort by sort."""
        self._close_case()
        return self._sorts

    def examples(self) -> dict[str, Verdict]:
        """A verdict of the smallest case of each sort, by the case's id.

        There are more sorts than findings, so that the case of every finding is among them.
        """
        self._close_case()
        return {cause.smallest.case: cause.smallest for cause in self._sorts.values()}

    def _close_case(self) -> None:
        if self._case:
            sort = sort_of(self._case)
            cause = self._sorts.setdefault(sort, Cause())
            cause.sorts.add(sort)
            cause.take(self._case)
            self._case = []

    def _causes(self, explained: Explained, leads: Leads) -> Iterator[tuple[str, str, Cause]]:
        """Each diagnosis, its rule and its cause; then each cause that has none, with ""."""
        diagnosed: dict[str, list[Cause]] = {}
        others: list[tuple[tuple[Key, ...], Cause]] = []
        texts, wheres = explained.whole(self.sorts()), {*explained.where.values()}
        in_kinds = {*explained.in_kind.values()}
        unnamed = {*explained.near.values(), *wheres, *in_kinds}
        seen: dict[Observed, list[Cause]] = {}
        for sort, cause in self.sorts().items():
            if shown := explained.observed.get(sort):
                seen.setdefault(shown, []).append(cause)
            elif what := texts[sort] or explained.name_of(sort):
                diagnosed.setdefault(what, []).append(cause)
            else:
                others.append((sort[1], cause))
        for shown, causes in seen.items():
            whole = _together(causes)
            whole.observed = shown
            yield "", shown.lead, whole
        for what, causes in diagnosed.items():
            whole = _together(causes)
            whole.where = what if what in wheres else ""
            own = explained.breaks.get(what, "")
            whole.in_values = what in in_kinds
            lead = own or leads.about(whole, _gravest(whole.rules))
            yield "" if what in unnamed else what, lead, whole
        for cause in leads.joined([_together(causes) for causes in linked(others)]):
            yield "", leads.about(cause, _gravest(cause.rules)), cause


class Cause:
    """The cases of one cause, as far as a finding tells of them."""

    smallest: Verdict
    where = ""
    """What its messages have in common, as a clause."""
    in_values = False
    """Whether nothing differs but values of one type, or bytes after the end."""
    observed: Observed | None = None
    """What its answers themselves show."""

    def __init__(self) -> None:
        self.sorts: set[Sort] = set()
        self.rules: Counter[str] = Counter()
        self.bytes_differ: Counter[str] = Counter()
        self.altered: Counter[str] = Counter()
        self.count = 0
        self.examples: list[Verdict] = []
        self._size: tuple[bool, int, str] | None = None
        self._rank = len(_RANKS)
        self._endings = Endings()
        self._messages: set[str] = set()
        self._ops: set[str] = set()
        self._said: Said | None = None
        self._on_driver = True
        """Whether nothing but what a client's driver said shows it."""
        self._rushes = True
        """Whether each of its cases is a client that asks again without waiting."""
        self._of_rule: dict[str, tuple[tuple[bool, int, str], Verdict]] = {}
        """The smallest visit that breaks each rule."""

    def take(self, case: list[Verdict]) -> None:
        """Count one case by its verdicts."""
        first = case[0]
        self.count += 1
        self.rules.update(verdict.rule for verdict in case)
        self.bytes_differ.update(bytes_that_differ(first))
        self.altered.update(each.rule for each in case if _is_made_for(each))
        self._messages.add(first.message)
        self._ops.add(first.op)
        self._show(first, _size(first))
        self._keep([first])
        self._rank = min(self._rank, *map(_rank, case))
        self._endings.take(case)
        self._say(Said(_what(first), _alike(first)))
        self._on_driver &= all(map(rests_on_driver, case))
        self._rushes &= is_rush(first)
        if first.op == VISIT:
            for each in case:
                self._keep_of_rule(each.rule, (_size(each), each))

    def add(self, other: Cause) -> None:
        """Count what another has counted."""
        self.sorts |= other.sorts
        self.count += other.count
        self.rules.update(other.rules)
        self.bytes_differ.update(other.bytes_differ)
        self.altered.update(other.altered)
        self._messages |= other._messages
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
        for rule, found in other._of_rule.items():
            self._keep_of_rule(rule, found)

    @property
    def rank(self) -> int:
        """Where it stands among others, by the classes of its rules and what it ends."""
        return self._rank

    @property
    def rests_on_driver(self) -> bool:
        """True if no request of a client shows it, but what its driver said."""
        return self._on_driver

    @property
    def ends(self) -> bool:
        """Whether its cases end the target or stall it."""
        return self.smallest.verdict in ENDED

    def finding(self, diagnosis: str, again: Callable[[str], str], lead: str = "") -> Finding:
        """The finding that tells of this cause, led by this rule; `again` asks a case once more."""
        messages = sorted(self._messages)
        where = f"{len(messages)} messages" if len(messages) > _MOST_NAMED else _and(messages)
        rules = sorted(self.rules, key=lambda rule: (rule != lead, -self.rules[rule], rule))
        # The words are those of the leading rule, and so has to be the case that is shown.
        _, smallest = self._of_rule.get(rules[0], (None, self.smallest))
        verdict = smallest.verdict
        how = "" if verdict == "fail" else f"{verdict}: "
        where += f", where {self.where}" if self.where else ""
        said = self._said.text if self._said else ""
        if self._said is None or self._said.is_cut:
            said = with_example(said, shorten(_what(smallest), _LONGEST, placeholder=" …"))
        ends, seen = self._endings.ends, self._endings.seen
        kind = next((kind for kind, rank in _RANKS.items() if rank == self._rank), "")
        is_general = self._rushes and len(rules) > 1
        shown = self.observed or (rush(len(rules)) if is_general else Observed("", ""))
        if lead and lead != NONE_FITS and lead not in self.rules:
            rules.insert(0, lead)
        is_vague = lead in (NONE_FITS, FIELDS) or not is_about(lead, bytes_that_differ(smallest))
        is_vague = is_vague and not shown.says  # its example has to show what the rule is about
        led = 0 if diagnosis else NOT_LED if is_vague else self.rules[rules[0]]
        doubt = ONE_ALONE if self._on_driver and self.count == 1 else ""
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
            remedy=shown.remedy,
        )

    def _say(self, said: Said) -> None:
        self._said = self._said.beside(said) if self._said else said

    def _show(self, verdict: Verdict, size: tuple[bool, int, str]) -> None:
        if self._size is None or size < self._size:
            self.smallest, self._size = verdict, size

    def _keep_of_rule(self, rule: str, found: tuple[tuple[bool, int, str], Verdict]) -> None:
        self._of_rule[rule] = min(found, self._of_rule.get(rule, found), key=lambda each: each[0])

    def _keep(self, verdicts: Iterable[Verdict]) -> None:
        """Keep the smallest and those that come first by the hash of their case."""
        found = {each.case: each for each in (*self.examples, *verdicts)}
        others = sorted(found, key=lambda case: (case != self.smallest.case, crc32(case.encode())))
        self.examples = [found[case] for case in others[:_EXAMPLES]]


def _together(causes: Sequence[Cause]) -> Cause:
    whole = Cause()
    for cause in causes:
        whole.add(cause)
    return whole


def linked(sorts: Sequence[tuple[tuple[Key, ...], Cause]]) -> list[list[Cause]]:
    """The causes in groups: those that have a key in common are in one."""
    above: dict[Key, Key] = {}

    def top(key: Key) -> Key:
        while (higher := above.setdefault(key, key)) != key:
            key = higher
        return key

    for (first, *others), _ in sorts:
        for key in others:
            above[top(key)] = top(first)
    groups: dict[Key, list[Cause]] = {}
    for keys, cause in sorts:
        groups.setdefault(top(keys[0]), []).append(cause)
    return list(groups.values())


def sort_of(case: Sequence[Verdict]) -> Sort:
    """Return the rules that a case broke, and what it has in common with others of one cause."""
    rules = tuple(sorted(verdict.rule for verdict in case))
    return rules, _keys(case[0], rules)


def _keys(first: Verdict, rules: Key) -> tuple[Key, ...]:
    """What cases have in common that have one cause: any one of these."""
    if first.detail.startswith(ENDED_BY_ONE):
        return ((first.op, first.detail),)
    if first.op == EXCHANGE:  # its control cases have told the rule from all others
        where = (first.message,) if IN_EACH_API.intersection(rules) else ()
        return tuple((first.op, rule, *where) for rule in rules)
    if first.op == FORWARD:
        api = first.message.removesuffix("Request").removesuffix("Response")
        shared = (_alike(first), ""), ("", api)
        return tuple((first.op, rule, *key) for rule in rules for key in shared)
    if end := words_of_end(first):  # one rule broken in one API is one cause, however that ended
        both = (alike_words(end, first.message), ""), ("", first.message)
        return tuple((first.op, rule, *key) for rule in rules for key in both)
    if panicked(first):
        return (("panicked", *rules),)
    if first.verdict in ENDED or first.outcome != "value":
        words = _alike(first)
        return ((first.verdict, words, *(rules if words.endswith(":") else ())),)
    if isinstance(first.expected, str) and first.expected.startswith("refused:"):
        return (("taken", *rules),)
    path, kind = _difference(first)
    sort = (first.op, _alike(first), kind)
    return ("rules", *sort, *rules), ("field", *sort, first.message, path)


def _difference(verdict: Verdict) -> Key:
    """The path of the first field that differs, and of what kind the difference is."""
    row = next((row for row in verdict.annotated if row.differs), None)
    said = verdict.first_difference or ""
    path = row.path if row else said.partition(":")[0]
    shape = next((shape for shape in _SHAPES if shape in said), "")
    return _INDEX.sub("[…]", path), f"{row.type if row else ''} {shape}"


def bytes_that_differ(verdict: Verdict) -> list[str]:
    """The kind of the first bytes that an answer differs in: a type, a length, a part of tags."""
    said = verdict.first_difference or ""
    if said.endswith(_SHAPES[0]):
        return ["missing"]
    if _SHAPES[2] in said:
        return ["surplus"]
    row = next((row for row in verdict.annotated if row.differs and row.type), None)
    if row is None and any(row.differs and row.path == BEHIND for row in verdict.annotated):
        return ["end"]
    if row is None:
        return ["null"] if _OF_NULL.search(verdict.first_difference or "") else []
    if row.path.startswith("header.") or _PART.sub("", row.path) in _IN_HEADERS:
        return ["header"]
    part = _PART.search(row.path)
    if part is None:
        return [row.type]
    return [f"{row.type}(length)" if part[0] == "(length)" else part[0]]


def _whose(verdict: Verdict) -> Key:
    """What verdicts have in common that are told as one case; of a visit what is wrong as well,
    since a request that can't be read is another cause than what comes of the rest."""
    what = verdict.detail if verdict.op == VISIT else ""
    return verdict.case, verdict.op, what


def _is_made_for(verdict: Verdict) -> bool:
    """True if a message was altered for this rule, and not only decides it."""
    parts = verdict.case.split("/")
    return len(parts) > 2 and parts[2] == verdict.rule.partition(".")[2]


def _alike(verdict: Verdict) -> str:
    """What cases of one cause have in common of what is said of them.

    Of a client's visit that is said by the request's name alone.
    """
    if found := malformed(verdict):
        return f"{found[0]} {alike_words(found[1], '')}"  # that request, whatever was played
    detail = _HOW_IT_ENDED.sub("", verdict.detail) if verdict.op == FORWARD else verdict.detail
    words = alike_words(detail, verdict.message)
    name = verdict.message.removesuffix("Request")
    return words.replace(f"{name} ", "… ") if verdict.op == VISIT and name else words


def _rank(verdict: Verdict) -> int:
    if verdict.verdict in ENDED and verdict.class_ != "must":
        return _RANKS["ended"]
    return _RANKS.get(verdict.class_, len(_RANKS))


def _gravest(rules: Mapping[str, int]) -> Mapping[str, int]:
    """Those of the first class that any is of: what texts demand tells more than Kafka's habits."""
    known = catalogue()
    order = {rule: CLASSES.index(known[rule].class_) if rule in known else 0 for rule in rules}
    first = min(order.values(), default=0)
    return {rule: count for rule, count in rules.items() if order[rule] == first}


def _urgency(finding: Finding) -> tuple[bool, bool, int]:
    """What sorts a finding: those that keep clients from connecting first, then by their harm.

    Those come last of which no more is known than a place: what is to be mended has to be right.
    """
    leading, is_vague = catalogue().get(finding.rules[0]), finding.led == NOT_LED
    is_late = leading is None or leading.stage != "connecting"
    return is_late or is_vague, is_vague, _harm(finding)


def _harm(finding: Finding) -> int:
    """How much the worst breach of a finding hurts, of its gravest class; the worst first.

    Of a rule that is gone it is taken to end a connection, as most wrong bytes do. A crash ends the
    process at least.
    """
    known = [catalogue().get(rule) for rule in _gravest(dict.fromkeys(finding.rules, 0))]
    levels: set[HarmLevel] = {rule.harm_level if rule else "connection-lost" for rule in known}
    if finding.ends == "crash":
        levels.add("process-lost")
    return min(map(HARMS.index, levels))


def _what(verdict: Verdict) -> str:
    text = ": ".join(filter(None, (verdict.detail, verdict.first_difference)))
    return " ".join(text.split())


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} operations" if len(names) > _MOST_NAMED else _and(names)


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _size(verdict: Verdict) -> tuple[bool, int, str]:
    """What sorts the best example to the front: a wrong byte that was written, or a visit where
    nothing else is wrong; then a short one."""
    asked = verdict.input
    length = len(asked if isinstance(asked, str) else msgspec.json.encode(asked))
    is_shown = any(row.differs and row.actual is not None for row in verdict.annotated)
    is_plain = verdict.op == VISIT and verdict.case.partition("/")[2].startswith(_PLAIN)
    return not (is_shown or is_plain), length, verdict.case
