"""Many verdicts, few causes: what went wrong, told once each with its smallest case.

A codec that trips over one thing fails hundreds of cases under dozens of rules, on every message
that has the thing. The verdicts of one case are taken together first. Cases are then alike

    diagnosed   where one diagnosis explains a rule that both of them broke;
    in words    where the target refused or crashed with the same words, whatever it was asked;
                numbers, names and bytes in those words may vary;
    taken       where it took what the same rules have refused;
    exchanged   where a broker broke one rule, or left one API unserved;
    in kind     where it read or wrote something else at fields of one type, in one way, under the
                same rules, or at one field of one message, whatever the rules.

What is alike in one of these ways is one cause, and so is what is alike to a third that both are
alike to. A refusal without words says nothing, so it is told apart by its rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from conformance.results.again import case_line
from conformance.results.lines import Finding, Verdict

_VARYING = re.compile(r"0x[0-9a-fA-F]+|(?<!\w)-?\d+|\d+|'[^' ]*'|\"[^\" ]*\"")
_REFUSED = re.compile(r"refused(?: while it \w+)?: ")
_INDEX = re.compile(r"\[\d+\]")
_SHAPES = (": missing", " elements, got ", "has no such field", "got the end", "got null")
EXCHANGE = "exchange"
SERVED = "api-versions.advertised-is-served"
"""A rule of brokers with a cause of its own in each API."""
_ENDED = frozenset({"crash", "hang"})
_MOST_OPS = 3
_NONE: Mapping[str, str] = {}

Key = tuple[str, ...]


class Causes:
    """Gathers broken verdicts into findings. Keeps a case of each sort, not all of them."""

    def __init__(self) -> None:
        self._sorts: dict[tuple[Key, tuple[Key, ...]], Cause] = {}  # by rules and keys
        self._case: list[Verdict] = []

    def take(self, verdict: Verdict) -> None:
        """Count one broken verdict. Those of one case come one after another."""
        first = self._case[0] if self._case else None
        if first and (first.op == EXCHANGE or (verdict.case, verdict.op) != (first.case, first.op)):
            self._close_case()
        self._case.append(verdict)

    def findings(
        self,
        again: Sequence[str] = (),
        diagnoses: Mapping[str, str] = _NONE,
    ) -> list[Finding]:
        """The findings so far, those with most cases first.

        To be reproduced by the command line of these words. `diagnoses` says what explains a rule's
        failures, the most telling first.
        """
        found = [
            cause.finding(what, lambda case: case_line(again, case))
            for what, cause in self._causes(diagnoses)
        ]
        return sorted(found, key=lambda finding: (-finding.count, finding.case))

    def examples(self) -> dict[str, Verdict]:
        """A verdict of the smallest case of each sort, by the case's id.

        There are more sorts than findings, so that the case of every finding is among them.
        """
        self._close_case()
        return {cause.smallest.case: cause.smallest for cause in self._sorts.values()}

    def _close_case(self) -> None:
        if self._case:
            rules = tuple(sorted(verdict.rule for verdict in self._case))
            sort = rules, _keys(self._case[0], rules)
            self._sorts.setdefault(sort, Cause()).take(self._case)
            self._case = []

    def _causes(self, diagnoses: Mapping[str, str]) -> Iterator[tuple[str, Cause]]:
        """Each diagnosis with its cause, then each cause that has none with ""."""
        self._close_case()
        diagnosed: dict[str, list[Cause]] = {text: [] for text in diagnoses.values()}
        others: list[tuple[tuple[Key, ...], Cause]] = []
        for (rules, keys), cause in self._sorts.items():
            what = next((text for rule, text in diagnoses.items() if rule in rules), "")
            if what:
                diagnosed[what].append(cause)
            else:
                others.append((keys, cause))
        yield from ((what, _together(causes)) for what, causes in diagnosed.items() if causes)
        yield from (("", _together(causes)) for causes in linked(others))


class Cause:
    """The cases of one cause, as far as a finding tells of them."""

    smallest: Verdict

    def __init__(self) -> None:
        self._rules: Counter[str] = Counter()
        self._size: tuple[int, str] | None = None
        self._count = 0
        self._messages: set[str] = set()
        self._ops: set[str] = set()
        self._said: _Said | None = None

    def take(self, case: list[Verdict]) -> None:
        """Count one case by its verdicts."""
        first = case[0]
        self._count += 1
        self._rules.update(verdict.rule for verdict in case)
        self._messages.add(first.message)
        self._ops.add(first.op)
        self._show(first, _size(first))
        said = _Said(_what(first), _alike(first))
        self._said = self._said.beside(said) if self._said else said

    def add(self, other: Cause) -> None:
        """Count what another has counted."""
        self._count += other._count
        self._rules.update(other._rules)
        self._messages |= other._messages
        self._ops |= other._ops
        if other._size is not None:
            self._show(other.smallest, other._size)
        if other._said is not None:
            self._said = self._said.beside(other._said) if self._said else other._said

    def finding(self, diagnosis: str, again: Callable[[str], str]) -> Finding:
        """The finding that tells of this cause; `again` is the command for a case."""
        [name, *more] = self._messages
        where = f"{len(more) + 1} messages" if more else name
        verdict = self.smallest.verdict
        how = "" if verdict == "fail" else f"{verdict}: "
        said = (self._said and self._said.text) or f"{_what(self.smallest)}, and more"
        return Finding(
            cause=f"{_listed(sorted(self._ops))} of {where}: {how}{said}",
            rules=[rule for rule, _ in sorted(self._rules.items(), key=_most)],
            case=self.smallest.case,
            count=self._count,
            reproduce=again(self.smallest.case),
            diagnosis=diagnosis,
        )

    def _show(self, verdict: Verdict, size: tuple[int, str]) -> None:
        if self._size is None or size < self._size:
            self.smallest, self._size = verdict, size


class _Said:
    """What is said of several cases: the whole text of one, else the words that all share."""

    def __init__(self, text: str, alike: str) -> None:
        self._whole: str | None = text
        self._before = self._behind = alike.split()

    def beside(self, other: _Said) -> _Said:
        """What both say."""
        both = _Said("", "")
        both._whole = self._whole if self._whole == other._whole else None
        both._before = _shared(self._before, other._before)
        both._behind = _shared(self._behind[::-1], other._behind[::-1])[::-1]
        return both

    @property
    def text(self) -> str:
        """The words, with `…` where they vary."""
        if self._whole is not None:
            return self._whole
        if self._before == self._behind:
            return " ".join(self._before)
        words = [*self._before, "…", *self._behind]
        return " ".join(
            word for at, word in enumerate(words) if word != "…" or words[at - 1] != "…"
        )


def _shared(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The words that both begin with."""
    found = []
    for word, same in zip(one, other, strict=False):
        if word != same:
            break
        found.append(word)
    return found


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


def _keys(first: Verdict, rules: Key) -> tuple[Key, ...]:
    """What cases have in common that have one cause: any one of these."""
    if first.op == EXCHANGE:  # its control cases have told the rule from all others
        where = (first.message,) if SERVED in rules else ()
        return tuple((first.op, rule, *where) for rule in rules)
    if first.verdict in _ENDED or first.outcome != "value":
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


def _alike(verdict: Verdict) -> str:
    """What cases of one cause have in common of what is said of them."""
    return alike_words(verdict.detail, verdict.message)


def alike_words(detail: str, message: str) -> str:
    """The words of a detail that stay the same from case to case, and from message to message."""
    text = _REFUSED.sub("refused: ", detail, count=1)
    return " ".join(_VARYING.sub("…", text.replace(message, "…")).split())


def _most(counted: tuple[str, int]) -> tuple[int, str]:
    name, count = counted
    return -count, name


def _what(verdict: Verdict) -> str:
    text = ": ".join(filter(None, (verdict.detail, verdict.first_difference)))
    return " ".join(text.split())


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    if len(names) > _MOST_OPS:
        return f"{len(names)} operations"
    return f"{', '.join(first)} and {last}" if first else last


def _size(verdict: Verdict) -> tuple[int, str]:
    asked = verdict.input
    return len(asked if isinstance(asked, str) else msgspec.json.encode(asked)), verdict.case
