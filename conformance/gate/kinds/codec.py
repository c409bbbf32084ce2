"""The gate that a run's items share: the target, the selection, and the files of verdicts.

One gate lives in each process of a run. It judges message by message, when the first item of a
message asks for its verdicts, and keeps only the verdicts of that message; every verdict goes to
the message's part of the results as it comes, so that an interrupted run loses nothing.

A process knows only its own crashes, and so asks more cases than a process that judges alone would.
So each records the crashes of each message, and in the end the messages of which one process would
have asked less are judged again: the results are equal for any number of processes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from conformance.codecs.cases.case import Family
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.rules_of_edits import derived_rules
from conformance.codecs.cases.values.int64 import int64_as_text
from conformance.codecs.cases.vectors import Vector, read_vectors, vector_messages
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
from conformance.errors import ConformanceError, NothingSelected
from conformance.gate.ahead import Ahead
from conformance.proxies.place import ProxyPlace
from conformance.results.files import LineWriter, read_verdicts
from conformance.results.known import Expectations
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import Rule, catalogue, select
from conformance.rules.selection import Selection
from conformance.testee_protocol import OPS, Hello, Target, Value

if TYPE_CHECKING:
    from conformance.gate.by_cause import ByCause

QUICK = "quick"
"""The one item of a message in a quick run, in place of its rule groups."""
PART = ".ndjson"
LOST = ".lost"
NOTES = ".notes"
CRASHES = ".crashes"
"""The endings of files in the folder of parts.

They are a message's verdicts; why a process gave up; what else it saw; the crashes of a message.
"""

MOST_ASKED_MORE = 8
"""The most failed messages of a quick run that are asked more cases, spread over the list."""
ALONE, SETTLED, MORE = "main", "settled", "more"
"""Names of processes that are no workers.

They are the only process, the one that settles the workers' results, and the one that asks more.
"""


class Crashes(msgspec.Struct, frozen=True):
    """The number of crashes of each rule that a process saw before a message and in it.

    `asked` are the rules of each case that was asked, `groups` the items that were wanted of it.
    """

    before: dict[str, int]
    seen: dict[str, int]
    asked: set[tuple[str, ...]]
    groups: set[str]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run's processes must agree on; it travels to them as JSON.

    The target is a codec by its `spec` or `command`, the `client` that a command starts or that
    comes to the address `listen`, a `proxy`, or the broker at `endpoint`, to which we log in with
    the client properties in the files `config` and `other_config`. `timeout_s` is in seconds,
    `memory_mib` in MiB.
    """

    spec: str | None = None
    command: tuple[str, ...] = ()
    endpoint: str = ""
    client: tuple[str, ...] = ()
    listen: str = ""
    proxy: ProxyPlace | None = None
    config: str = ""
    other_config: str = ""
    writes: bool = False
    quick: bool = False
    exclude: tuple[str, ...] = ()
    profile: str = "spec"
    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    timeout_s: float = 10.0
    memory_mib: int | None = 2048
    parts: str = ""

    def selection(self) -> Selection:
        """Return the selection that these settings name. Raises UnknownName and NothingSelected."""
        chosen = {rule.id: rule for rule in select(self.rules, self.classes)}
        if not chosen:
            raise NothingSelected("no rule is of both that name and that class")
        known = vector_messages()
        for name in self.messages:
            _check_known(name, known, "no vectors of a message")
        for case in self.cases:
            _check_known(_message_of(case), known, f"no case {case!r}: no message")
        names = self.messages or set(map(_message_of, self.cases))
        return Selection(
            rules=chosen,
            messages=frozenset(names) or None,
            versions=frozenset(self.versions) or None,
            cases=frozenset(self.cases) or None,
        )

    @property
    def logins(self) -> tuple[str, str]:
        """Return the client properties of the run's principal and of another, "" for none."""
        return self.config, self.other_config

    def open(self) -> Target:
        """Start the target, or reach it. Raises TargetError."""
        if self.client or self.listen:
            return self._open_client()
        if self.endpoint:
            return self._open_broker()
        if self.proxy:
            from conformance.proxies.endpoint import ProxyEndpoint

            return ProxyEndpoint(self.proxy, self.timeout_s)

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

    def _open_client(self) -> Target:
        from conformance.brokers.connection.address import Address
        from conformance.clients.target import ClientTarget

        if self.listen:
            Address.parse(self.listen)
        return ClientTarget(self.spec or "", self.client, self.timeout_s, self.memory_mib)

    def _open_broker(self) -> Target:
        from conformance.brokers.connection.endpoint import Address, Endpoint
        from conformance.brokers.connection.security import Security
        from conformance.brokers.guessing import find_versions

        logins = [Security.read(Path(file)) if file else None for file in self.logins]
        endpoint = Endpoint(Address.parse(self.endpoint), self.timeout_s, *logins)
        if endpoint.greeting.wrong:
            find_versions(endpoint, self.messages, self.versions)
        return endpoint


class UnknownName(ConformanceError):
    """No message or case has that name."""


def _message_of(case: str) -> str:
    """Return the message in a case's id, which a version may follow."""
    return re.split(r"-v\d|/", case)[0]


def _check_known(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=3)
        listed = "`kafka-conformance vectors list` lists them"
        hint = f"did you mean {' or '.join(near)}?" if near else listed
        raise UnknownName(f"{what} {name!r}", hint)


def near_case(case: str) -> str:
    """Return a hint at similar ids for the id of a codec's case, "" if the id may exist.

    The change to a vector is known only by its target, so that part of the id is not checked.
    """
    vector, _, rest = case.partition("/")
    known = {each.id for each in read_vectors(_message_of(case))}
    if vector not in known:
        near = get_close_matches(vector, known, n=2)
        named = " or ".join("/".join(filter(None, (each, rest))) for each in near)
        return f"did you mean {named}?" if near else ""
    op = rest.partition("/")[0]
    if op in OPS:
        return ""
    near = get_close_matches(op, OPS, n=1) or ["decode"]
    return f"an operation follows the message: {vector}/{near[0]}"


class Gate:
    """A judge of one target for the items of one process."""

    def __init__(self, settings: Settings, target: Target | None = None, name: str = ALONE):
        self.settings = settings
        self.selection = settings.selection()
        self.rules: dict[str, Rule] = catalogue()
        self.known: Expectations | None = None
        self.by_cause: ByCause | None = None
        """All items judged together, where each cause is to be one failure."""
        self._target = target
        self._name = name
        self._wanted_groups: set[tuple[str, str]] | None = None
        self._message = self._first = ""
        self._crash_limit = CrashLimit()
        self._verdicts: dict[str, list[Verdict]] = {}

    @property
    def target(self) -> Target:
        """Return the target, started when it is first needed. Raises TargetError."""
        if self._target is None:
            self._target = self.settings.open()
        return self._target

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
        if type(self) is Gate and (hint := self._near_what_is_declared()):
            return f"nothing is selected that {name} declares", hint
        remedy = "widen the selection, or see what the target says in its hello"
        return f"nothing is selected that {name} declares", remedy

    def needs(self) -> dict[str, str]:
        """Return the missing option of each rule that this run can't ask without it."""
        if not self.settings.quick:
            return {}
        return dict.fromkeys(self.selection.rules, "a whole run")

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

    def limit(self, groups: Iterable[tuple[str, str]]) -> None:
        """Judge only these groups of those that were found."""
        wanted = list(groups)
        self._wanted_groups = set(wanted)
        self._first = wanted[0][0] if wanted else ""

    def verdicts(self, message: str, group: str) -> list[Verdict]:
        """Return the verdicts of one item. Raises TargetLost."""
        if message != self._message:
            self._verdicts = self._judge(message)
            self._message = message
        return self._verdicts.get(group, [])

    def is_news(self, verdict: Verdict) -> bool:
        """True if a verdict that went wrong is not on the list of known failures."""
        return self.known is None or verdict.verdict == "error" or self.known.take(verdict)

    def lose(self, reason: str) -> None:
        """Write a file with the reason why nothing more can be judged, for the end of the run."""
        if self.settings.parts:
            self._beside(LOST).write_text(reason, "utf-8")

    def close(self) -> None:
        """End the target, and close this process's part of the results."""
        if self._target is not None:
            self._target.close()
            notes = [*self._target.notes, *self._own_notes()]
            if self.settings.parts and notes:
                self._beside(NOTES).write_text("\n".join(notes), "utf-8")
            self._target = None

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

    def _beside(self, suffix: str) -> Path:
        return Path(self.settings.parts) / f"{self._name}{suffix}"

    @property
    def _is_worker(self) -> bool:
        return bool(self.settings.parts) and self._name not in (ALONE, SETTLED, MORE)

    def _part(self, message: str) -> AbstractContextManager[LineWriter | None]:
        folder = self.settings.parts
        return LineWriter(Path(folder, message + PART)) if folder else nullcontext()

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
        """Return the item of its message in which a rule is judged."""
        return QUICK if self.settings.quick else rule.partition(".")[0]

    def _item_of(self, _message: str, rule: str) -> str:
        """The item of a message that reports a rule: its group."""
        return self._group(rule)

    def _is_judged(self, message: str, group: str) -> bool:
        return self._wanted_groups is None or (message, group) in self._wanted_groups

    def _judge(self, message: str) -> dict[str, list[Verdict]]:
        found: dict[str, list[Verdict]] = defaultdict(list)
        with self._part(message) as part:
            for verdict in self._run(message):
                group = self._item_of(message, verdict.rule)
                if self._is_judged(message, group):
                    found[group].append(verdict)
                    if part is not None:
                        part.write(verdict)
        return found

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


def to_json(settings: Settings) -> str:
    """Return the settings as one argument of a command line."""
    return msgspec.json.encode(settings).decode()


def from_json(text: str) -> Settings:
    """Return the settings that `to_json` wrote."""
    return msgspec.json.decode(text, type=Settings)
