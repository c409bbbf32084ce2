"""The gate of codecs, and the settings of a run on one.

A process knows only its own crashes, and so asks more cases than a process that judges alone would.
So each records the crashes of each message, and in the end the messages of which one process would
have asked less are judged again: the results are equal for any number of processes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

import msgspec

from conformance.codecs.cases.case import Family
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.rules_of_edits import derived_rules
from conformance.codecs.cases.values.int64 import int64_as_text
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.crash_limit import MOST_CRASHES, CrashLimit
from conformance.codecs.quick.choosing import (
    Chosen,
    more_families,
    quick_families,
    selected,
    whole_run,
)
from conformance.codecs.resolve import open_target
from conformance.codecs.run import ANSWERS, run
from conformance.codecs.testee.testee import Testee
from conformance.data import vector_messages
from conformance.gate.gate import PART, Gate
from conformance.gate.settings import ALONE, Settings, message_of
from conformance.results.files import read_verdicts
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import Rule
from conformance.testee_protocol import OPS, Hello, Target, Value

QUICK = "quick"
"""The one item of a message in a quick run, in place of its rule groups."""
CRASHES = ".crashes"
"""The ending of a file with the crashes of a message, in the folder of parts."""
MOST_ASKED_MORE = 8
"""The most failed messages of a quick run that are asked more cases, spread over the list."""
MOST_AHEAD = 64
"""The most families that wait to be asked."""


class Crashes(msgspec.Struct, frozen=True):
    """The number of crashes of each rule that a process saw before a message and in it.

    `asked` are the rules of each case that was asked, `groups` the items that were wanted of it.
    """

    before: dict[str, int]
    seen: dict[str, int]
    asked: set[tuple[str, ...]]
    groups: set[str]


class CodecSettings(Settings, frozen=True, kw_only=True):
    """A codec by the name `spec` or by the `command` that starts it, and whether a run is quick."""

    spec: str | None = None
    command: tuple[str, ...] = ()
    quick: bool = False

    def gate(self, target: Target | None = None, name: str = ALONE) -> CodecGate:
        """Return the gate of one process, which starts the codec unless one is given."""
        return CodecGate(self, target, name)

    def open(self) -> Target:
        """Start the codec. Raises TargetError."""

        def prepare_value(message: str, version: int, value: Value) -> Value:
            return int64_as_text(target.hello, message, version, value)

        target = open_target(
            self.spec,
            self.command or None,
            timeout_s=self.timeout_s,
            memory_mib=self.memory_mib,
            prepare_value=prepare_value,
        )
        return target


def near_case(case: str) -> str:
    """Return a hint at similar ids for the id of a codec's case, "" if the id may exist.

    The change to a vector is known only by its target, so that part of the id is not checked.
    """
    vector, _, rest = case.partition("/")
    known = {each.id for each in read_vectors(message_of(case))}
    if vector not in known:
        near = get_close_matches(vector, known, n=2)
        named = " or ".join("/".join(filter(None, (each, rest))) for each in near)
        return f"did you mean {named}?" if near else ""
    op = rest.partition("/")[0]
    if op in OPS:
        return ""
    near = get_close_matches(op, OPS, n=1) or ["decode"]
    return f"an operation follows the message: {vector}/{near[0]}"


class Ahead(Iterator[Family]):
    """The families of a message in their order, made while the target works."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = iter(families)
        self._made: deque[Family] = deque()

    def __next__(self) -> Family:
        return self._made.popleft() if self._made else next(self._families)

    def make_one(self) -> bool:
        """Make one more family; return False if there is none left, or enough are waiting."""
        family = next(self._families, None) if len(self._made) < MOST_AHEAD else None
        if family is not None:
            self._made.append(family)
        return family is not None


class CodecGate(Gate[CodecSettings]):
    """A judge of one codec for the items of one process."""

    def __init__(self, settings: CodecSettings, target: Target | None = None, name: str = ALONE):
        super().__init__(settings, target, name)
        self._crash_limit = CrashLimit()
        self.asks_more = settings.quick and not settings.cases

    def groups(self, hello: Hello, /) -> list[tuple[str, str]]:
        """Return (message, rule group) for every item of a run on a target, by message.

        A quick run has too few cases for an item for each group.
        """
        if self.settings.quick:
            return [(message, QUICK) for message in self._quick_run if any(self._quick(message))]
        found: list[tuple[str, str]] = []
        for message in vector_messages():
            if message in hello.messages and self._wanted(message):
                vectors = [v for v in read_vectors(message) if self._selects(v)]
                rules = self._rules_of(vectors) if vectors else []
                found += [(message, group) for group in sorted({r.group for r in rules})]
        return found

    def why_nothing(self, name: str) -> tuple[str, str]:
        """Return why there is no item of the target of this name, and what to do."""
        what, remedy = super().why_nothing(name)
        return what, self._near_what_is_declared() or remedy

    def needs(self) -> dict[str, str]:
        """Return the missing option of each rule that this run can't ask without it."""
        return dict.fromkeys(self.selection.rules, "a whole run") if self.settings.quick else {}

    def _near_what_is_declared(self) -> str:
        """Return a hint for a case, message or version that selects nothing, "" for none."""
        for case in self.settings.cases:
            if hint := near_case(case):
                return hint
        declared = self.target.hello.messages
        lacking = sorted((self.selection.messages or frozenset()) - declared.keys())
        if lacking:
            near = get_close_matches(lacking[0], declared, n=1)
            likely = f"; did you mean {near[0]}?" if near else ""
            return f"its hello has no {lacking[0]}{likely}"
        named = [name for name in self.settings.messages if name in declared]
        if named and self.settings.versions:
            ranges = declared[named[0]].versions
            said = ", ".join(f"{low} to {high}" for low, high in ranges)
            return f"it declares {named[0]} in versions {said}"
        return ""

    def settle(self) -> None:
        """Judge again the messages of which one process would have asked less. Raises TargetLost.

        The other messages' crashes are counted in the order of a process that judges alone.
        """
        files = sorted(Path(self.settings.parts).glob(f"*{CRASHES}"))
        self._first = files[0].stem if files else ""
        for file in files:
            told = msgspec.json.decode(file.read_bytes(), type=Crashes)
            if self._asks_less(told):
                self._wanted_groups = {(file.stem, group) for group in told.groups}
                self._judge(file.stem)
            else:
                for rule, times in told.seen.items():
                    self._crash_limit.add(("", rule), times)

    def ask_more(self) -> None:
        """Ask more cases of messages that failed in a quick run. Raises TargetLost.

        More cases distinguish causes that look alike in few cases.
        """
        files = [
            file for file in sorted(Path(self.settings.parts).glob(f"*{PART}")) if _failed(file)
        ]
        step = max(1, -(-len(files) // MOST_ASKED_MORE))
        failing = [file.stem for file in files[::step]]
        self._quick_run = {} if not failing else more_families(self.target.hello, failing)
        for message in self._quick_run:
            self._judge(message)

    def _asks_less(self, told: Crashes) -> bool:
        before = _by_rule(self._crash_limit)
        return any(self._crash_limit.skips("", rules) for rules in told.asked) or any(
            before[rule] != told.before.get(rule, 0) and before[rule] + times >= MOST_CRASHES
            for rule, times in told.seen.items()
        )

    def _own_notes(self) -> list[str]:
        """Return the notes on the run itself."""
        if not self.settings.quick:
            return []
        whole = _rounded(whole_run(self.target.hello))
        return [f"a quick run: the whole one, without --quick, has about {whole:,} cases"]

    def _wanted(self, message: str) -> bool:
        return self.selection.messages is None or message in self.selection.messages

    def _selects(self, vector: Vector) -> bool:
        cases = self.selection.cases
        return self.selection.wants(vector) and (
            cases is None or any(case.startswith(f"{vector.id}/") for case in cases)
        )

    def _rules_of(self, vectors: Sequence[Vector]) -> list[Rule]:
        covered = {rule for vector in vectors for rule in vector.covers}
        covered |= derived_rules(vectors[0].message)
        return [rule for rule in self.selection.rules.values() if rule.id in covered]

    def _group(self, rule: str) -> str:
        return QUICK if self.settings.quick else super()._group(rule)

    @cached_property
    def _quick_run(self) -> Chosen:
        return quick_families(self.target.hello)

    def _quick(self, message: str) -> Iterator[Family]:
        """Yield the selected families of a quick run."""
        if self._wanted(message):
            found = (selected(each, self.selection) for each in self._quick_run.get(message, ()))
            yield from filter(None, found)

    def _families(self, message: str) -> Iterator[Family]:
        if self.settings.quick:
            return self._quick(message)
        return families(read_vectors(message), self.target.hello, self.selection)

    def _ask_first(self) -> None:
        """Have the target answer the first request that one process alone would ask.

        So a target that the messages of one worker end is not mistaken for one that never answers.
        """
        message, self._first = self._first, ""
        cases = (case for family in self._families(message) for case in family.cases)
        for request in (case.request for case in cases if case.is_asked):
            if any(each.outcome in ANSWERS for each in self.target.ask([request])):
                return

    def _run(self, message: str) -> Iterator[Verdict]:
        if self._first and self._name != ALONE:
            self._ask_first()
        before, asked = _by_rule(self._crash_limit), set[tuple[str, ...]]()

        def limit(family: Family) -> Family:
            limited = self._crash_limit.limit(family)
            if self._is_worker:
                asked.update(case.rules for case in limited.cases if case.is_asked)
            return limited

        ahead = Ahead(self._families(message))
        if isinstance(self.target, Testee):
            self.target.meanwhile = ahead.make_one
        for verdict in run(map(limit, ahead), self.target, self.rules, self.settings.profile):
            self._crash_limit.count(verdict)
            yield verdict
        if self._is_worker:
            groups = {group for of, group in self._wanted_groups or () if of == message}
            told = Crashes(before, _by_rule(self._crash_limit) - before, asked, groups)
            Path(self.settings.parts, message + CRASHES).write_bytes(msgspec.json.encode(told))


def _failed(part: Path) -> bool:
    """True if a message's part of the results has a failure."""
    return any(verdict.verdict in BROKEN for verdict in read_verdicts([part]))


def _by_rule(crash_limit: CrashLimit) -> Counter[str]:
    return Counter({rule: times for (_, rule), times in crash_limit.seen.items()})


def _rounded(number: int) -> int:
    """Return a number rounded to three digits."""
    return int(float(f"{number:.3g}"))
