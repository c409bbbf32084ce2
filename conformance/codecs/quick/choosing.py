"""The cases of a quick run on one target: the fewest that catch every defect it can be caught at.

The possible requests depend on the target's messages, versions and operations, so the choice is
made anew for each target. A case that it can't be asked is replaced by its nearest equivalent: the
same case of another version or operation, or else another case that catches the same defects. When
all defects are covered, each message that has no case yet gets one. Then each version of each
message is read and written, filled: a defect in one version of one message is seen in that version
alone. So is one frame of each request, whose api key is in no body. If a target has few enough
messages, values of all sorts follow.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import chain, zip_longest
from typing import NamedTuple

import msgspec

from conformance.codecs.cases.case import Case, Family
from conformance.codecs.cases.golden import families, only_selected
from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.vectors import Vector, read_vectors, version_of
from conformance.codecs.quick.table import table, writes
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.releases import form_for
from conformance.testee_protocol import Hello, Support

MOST_REQUESTS = 2000
"""The most requests, control cases included, beside one plain message of each version."""
MOST_OF_VERSIONS = 1000
"""So many of those ask for versions and values, or none where not each version could be asked."""
_SHAPES = ("filled", "highest", "lowest", "two", "mixture-1", "defaults")
"""The shapes of messages that show most about a version, to be chosen first."""
_COUNTED = 24
"""The most versions of messages with the same operations whose cases are counted by an estimate.

A target of few versions has all of them counted; the estimate takes a second or two.
"""
_ROUNDS = 5
"""The number of attempts to replace cases that turn out not to apply."""
_CASE = re.compile(r"(?P<message>.+?)-v(?P<version>\d+)(?P<shape>[^/]*)/(?P<op>[^/]+)(?P<edit>.*)")
_INSTEAD: dict[str, tuple[str, ...]] = {
    "decode": ("decode", "roundtrip"),
    "encode": ("encode", "roundtrip"),
    "roundtrip": ("roundtrip", "decode", "encode"),
}
"""The operations that a target may be asked instead of one that it lacks."""


class Candidate(NamedTuple):
    """A case of the target, its message, and as bits the pairs that it catches on its side."""

    case: str
    message: str
    catches: int

    @property
    def vector(self) -> str:
        """The vector that it is a case of."""
        return self.case.partition("/")[0]


Key = tuple[str, int, str]
"""A message, a version of it or -1 for any, and an operation."""
Chosen = dict[str, list[Family]]
"""Families by message. What was not chosen of them has no rule, and is asked as a control alone."""
_LAST: dict[bytes, Chosen] = {}


def more_families(hello: Hello, failing: Collection[str]) -> Chosen:
    """The families of these messages alone, with what tells causes apart that look alike so far.

    Each version is asked, and values of all sorts; none where all of that was asked before.
    """
    return _Choice(hello, failing).families() if _is_more_than_asked(hello) else {}


def quick_families(hello: Hello) -> Chosen:
    """Return the families of a quick run on a target; those of the last target are kept."""
    key = msgspec.json.encode(msgspec.structs.replace(hello, name="", version=""))
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = _Choice(hello).families()
    return _LAST[key]


def selected(family: Family, selection: Selection) -> Family | None:
    """A chosen family as far as it is selected, None where it is not."""
    if selection.versions is not None and version_of(family.vector) not in selection.versions:
        return None
    kept = {
        case.id
        for case in family.cases
        if not selection.rules.keys().isdisjoint(case.rules)
        and (selection.cases is None or case.id in selection.cases)
    }
    if not kept:
        return None
    cases = only_selected(family.cases, kept)
    return replace(family, cases=tuple(_by_rules(case, selection) for case in cases))


def _by_rules(case: Case, selection: Selection) -> Case:
    return replace(case, rules=tuple(rule for rule in case.rules if rule in selection.rules))


def whole_run(hello: Hello) -> int:
    """Estimate the number of cases of a whole run, those that can't be asked included.

    The table has the counts of a codec with all operations. The share of these that a target has
    is that of a few versions of messages with the same operations, whose cases are made.
    """
    known = table().messages
    counts: dict[frozenset[str], dict[tuple[str, int], int]] = defaultdict(dict)
    for name, support in sorted(hello.messages.items()):
        for version, count in known[name].versions.items() if name in known else ():
            if _has(support, version):
                counts[support.ops][name, version] = count
    return round(sum(_estimated(hello, each) for each in counts.values()))


def _estimated(hello: Hello, counts: Mapping[tuple[str, int], int]) -> float:
    """Return the number of cases of these versions of messages; each has its count in the table."""
    few = list(counts)[:: -(-len(counts) // _COUNTED)]
    made = sum(_cases_of(hello, *place) for place in few)
    return sum(counts.values()) * made / max(sum(counts[place] for place in few), 1)


def _cases_of(hello: Hello, message: str, version: int) -> int:
    """Return how many cases a whole run has of one version of a message."""
    selection = Selection(rules=catalogue(), versions=frozenset({version}))
    made = families(read_vectors(message), hello, selection)
    return sum(bool(case.rules) for family in made for case in family.cases)


def declared(hello: Hello) -> Iterator[Candidate]:
    """Yield the table's cases for a target, or those nearest to them."""
    found: dict[str, Candidate] = {}
    for message, measured in table().messages.items():
        support = hello.messages.get(message)
        for case, numbers in measured.cases if support else ():
            if support and (own := _nearest(f"{message}-{case}", support)):
                known = found.get(own, Candidate(own, message, 0))
                found[own] = known._replace(catches=known.catches | _bits(numbers, writes(own)))
    yield from found.values()


def cover(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the fewest candidates that catch what all catch, the most telling first."""
    left = 0
    for each in candidates:
        left |= each.catches
    heap = [(-each.catches.bit_count(), at) for at, each in enumerate(candidates)]
    heapify(heap)
    found: list[Candidate] = []
    while left and heap:
        _, at = heappop(heap)
        gain = (-(candidates[at].catches & left).bit_count(), at)
        if gain[0] and heap and gain > heap[0]:
            heappush(heap, gain)
        elif gain[0]:
            found.append(candidates[at])
            left &= ~candidates[at].catches
    return found


class _Choice:
    """The choice for one target."""

    def __init__(self, hello: Hello, alone: Collection[str] = ()) -> None:
        """`alone` are messages that are asked more than others; what those others got is known."""
        self._hello = hello
        self._alone = alone
        self._made: dict[str, dict[str, Family]] = defaultdict(dict)
        self._wanted: dict[str, set[str]] = defaultdict(set)
        self._left = list(declared(hello))

    def families(self) -> Chosen:
        """Return the chosen families, in the order of the messages."""
        kept: dict[str, set[str]] = defaultdict(set)
        if self._alone:
            self._left = [each for each in self._left if each.message in self._alone]
        for each in self._affordable(chain(self._ordered(), self._of_versions())):
            kept[each.message].add(each.case)
        if not self._alone:
            for each in (*self._possible(self._bodies()), *self._possible(self._frames())):
                kept[each.message].add(each.case)
        return {
            message: [
                Family(family.vector, only_selected(family.cases, cases))
                for family in self._made[message].values()
                if not cases.isdisjoint(case.id for case in family.cases)
            ]
            for message, cases in sorted(kept.items())
        }

    def _ordered(self) -> Iterator[Candidate]:
        """Yield candidates that catch all defects, then one for each message without a case."""
        first = self._covered()
        yield from first
        asked = {each.message for each in first}
        yield from self._one_of_each(asked)

    def _covered(self) -> list[Candidate]:
        """Return candidates that catch all that can be asked; drop those that can't be asked."""
        found: list[Candidate] = []
        for _ in range(_ROUNDS):
            found = cover(self._left)
            lacking = self._lacking(found)
            if not lacking:
                break
            self._left = [each for each in self._left if each not in lacking]
            found = [each for each in found if each not in lacking]
        return found

    def _one_of_each(self, asked: set[str]) -> list[Candidate]:
        """The most telling case of each message that is not asked."""
        found: dict[str, Candidate] = {}
        for each in self._left:
            if each.message not in asked:
                found.setdefault(each.message, each)
        lacking = self._lacking(list(found.values()))
        self._left = [each for each in self._left if each not in lacking]
        return [each for each in found.values() if each not in lacking]

    def _possible(self, left: Mapping[Key, list[Candidate]]) -> list[Candidate]:
        """Return the first candidate of each key that can be asked."""
        found: list[Candidate] = []
        while tried := {key: bodies.pop(0) for key, bodies in left.items() if bodies}:
            lacking = self._lacking(list(tried.values()))
            found += [each for each in tried.values() if each not in lacking]
            left = {key: left[key] for key, each in tried.items() if each in lacking}
        return found

    def _frames(self) -> dict[Key, list[Candidate]]:
        """The whole frames of each request, in each operation: its api key is a constant."""
        found: defaultdict[Key, list[Candidate]] = defaultdict(list)
        for name, support in _supports(self._hello).items():
            ops = sorted({"decode-request", "encode-request"} & support.ops)
            for vector in read_vectors(name) if ops else ():
                if vector.header is not None and _has(support, vector.version):
                    for op in ops:
                        found[name, -1, op].append(Candidate(f"{vector.id}/{op}", name, 0))
        return found

    def _bodies(self) -> dict[Key, list[Candidate]]:
        """The plain messages of each version and operation, the most telling shape first."""
        release = followed_release(self._hello)
        found: defaultdict[Key, list[Candidate]] = defaultdict(list)
        for name, support in _supports(self._hello).items():
            for vector in _by_shape(name, support):
                form = form_for(release, name, vector.version)
                if form is not None and set(form.releases) & set(vector.releases):
                    for op in _plain_ops(support):
                        own = Candidate(f"{vector.id}/{op}", name, 0)
                        found[name, vector.version, op].append(own)
        return found

    def _of_versions(self) -> Iterator[Candidate]:
        """Yield plain messages, of each declared version first, if there is room for those."""
        supports = {
            name: support
            for name, support in _supports(self._hello).items()
            if not self._alone or name in self._alone
        }
        if not self._alone and _is_more_than_asked(self._hello):
            return
        ops = {name: _plain_ops(support) for name, support in supports.items()}
        asked = max(1, sum(map(len, ops.values())))
        rows = [
            [
                [Candidate(f"{vector.id}/{op}", name, 0) for op in ops[name]]
                for vector in _by_shape(name, support)[: MOST_OF_VERSIONS // asked]
            ]
            for name, support in supports.items()
        ]
        for column in zip_longest(*rows, fillvalue=[]):
            found = list(chain.from_iterable(column))
            lacking = self._lacking(found)
            yield from (each for each in found if each not in lacking)

    def _lacking(self, candidates: Sequence[Candidate]) -> set[Candidate]:
        """Return the candidates that are not among the cases of this target, or not asked."""
        wanted: dict[str, set[str]] = defaultdict(set)
        for each in candidates:
            wanted[each.message].add(each.case)
        for message, cases in wanted.items():
            self._make(message, cases)
        return {each for each in candidates if self._case(each) is None}

    def _make(self, message: str, cases: set[str]) -> None:
        """Make the families of these cases, as far as there are none yet."""
        new = {case.partition("/")[0] for case in cases - self._wanted[message]}
        self._wanted[message] |= cases
        if new:
            selection = Selection(rules=catalogue(), cases=frozenset(self._wanted[message]))
            for family in families(read_vectors(message, only=new), self._hello, selection):
                self._made[message][family.vector] = family

    def _case(self, candidate: Candidate) -> Case | None:
        family = self._made[candidate.message].get(candidate.vector)
        cases = family.cases if family else ()
        found = (case for case in cases if case.id == candidate.case)
        return next((case for case in found if case.is_asked and case.rules), None)

    def _affordable(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield the first candidates, as many as there is room for."""
        asked: set[str] = set()
        for each in candidates:
            case = self._case(each)
            if case is None:
                continue
            family = self._made[each.message][each.vector]
            needed = {each.case, *(family.cases[at].id for at in case.control_cases)}
            if len(asked | needed) > MOST_REQUESTS:
                return
            asked |= needed
            yield each


def _nearest(case: str, support: Support) -> str:
    """The case, or the same of another version or operation that is declared; "" for none."""
    parts = _CASE.fullmatch(case)
    assert parts is not None, case
    kind, of, _ = parts["op"].partition("-")
    ops = (parts["op"],) if of else _INSTEAD[kind]
    op = next((op for op in ops if op in support.ops), "")
    version = min(
        (min(max(int(parts["version"]), low), high) for low, high in support.versions),
        key=lambda near: abs(near - int(parts["version"])),
        default=None,
    )
    if not op or version is None:
        return ""
    return f"{parts['message']}-v{version}{parts['shape']}/{op}{parts['edit']}"


def _supports(hello: Hello) -> dict[str, Support]:
    """Return the target's declarations for the messages of the table."""
    return {name: hello.messages[name] for name in table().messages if name in hello.messages}


def _is_more_than_asked(hello: Hello) -> bool:
    """True if a target has so many versions that a quick run can't ask each."""
    versions = sum(
        len(_plain_ops(support)) * sum(high - low + 1 for low, high in support.versions)
        for support in _supports(hello).values()
    )
    return versions > MOST_OF_VERSIONS


def _plain_ops(support: Support) -> list[str]:
    """The operations that show each value: both sides apart, or else a round trip."""
    return [op for op in ("decode", "encode") if op in support.ops] or [
        op for op in ("roundtrip",) if op in support.ops
    ]


def _by_shape(message: str, support: Support) -> list[Vector]:
    """The bodies of the declared versions, in each shape one of each version."""

    def rank(vector: Vector) -> int:
        shape = vector.id.partition("-v")[2].partition("-")[2]
        return _SHAPES.index(shape) if shape in _SHAPES else len(_SHAPES)

    own = [
        vector
        for vector in read_vectors(message)
        if vector.header is None and _has(support, vector.version)
    ]
    return sorted(own, key=rank)


def _has(support: Support, version: int) -> bool:
    return any(low <= version <= high for low, high in support.versions)


def _bits(numbers: Iterable[int], writing: bool) -> int:
    """A bit for each pair and side."""
    found = 0
    for number in numbers:
        found |= 1 << 2 * number + writing
    return found
