"""The gate of brokers, whose cases are dialogues, and the settings of a run on one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from conformance.brokers.connection.endpoint import Address, Endpoint
from conformance.brokers.connection.security import Security
from conformance.brokers.converse import UNHARMED, converse
from conformance.brokers.dialogues import UNWRITABLE, DialogueCase, asked_of, ends, not_asked
from conformance.brokers.dialogues.cleaning import (
    Denied,
    Refused,
    all_topics,
    brokers,
    permission,
    removal,
)
from conformance.brokers.dialogues.controls import Controls
from conformance.brokers.dialogues.talk import FIRST_REQUEST, SERVED, Facts, Talk
from conformance.brokers.exchange import exchange
from conformance.brokers.exploring.cases import EXPLORING, as_case
from conformance.brokers.exploring.cases import RULE as EXPLORED
from conformance.brokers.exploring.storing import database, stored
from conformance.brokers.guessing import find_versions
from conformance.brokers.losing import RETURNS, Awaited, Losing, judged_to_the_end
from conformance.brokers.silence import Silence
from conformance.brokers.started.starting import control_of
from conformance.brokers.undefined import undefined
from conformance.errors import UNREACHABLE
from conformance.gate.gate import Gate
from conformance.gate.settings import ALONE, Settings
from conformance.results.lines import Verdict
from conformance.results.text import counted
from conformance.rules import Rule
from conformance.targets.errors import TargetError
from conformance.testee_protocol import Hello, Target

AT_ONCE = 4
"""The number of dialogues held at the same time, if they do not disturb each other."""
OF_GREETING = (
    "ApiVersionsRequest/first-request",
    "ApiVersionsRequest-v0/oldest-list",
    "ApiVersionsRequest/correlation-ids-of-any-sign",
)
"""The cases that judge the answer to the first request.

If that answer is wrong, they are asked whatever messages and versions were selected, since all
other cases depend on it.
"""


class NotPermitted(TargetError):
    """A run that is allowed to write lacks the permission."""

    exit_code = UNREACHABLE


class BrokerSettings(Settings, frozen=True, kw_only=True):
    """The broker at `endpoint`, and the files of client properties to log in to it with.

    `config` is for the principal of the run, `other_config` for another one; "" for none. With
    `explore_s`, conversations are held for so many seconds, drawn by `seed`.
    """

    endpoint: str
    config: str = ""
    other_config: str = ""
    writes: bool = False
    quick: bool = False
    exclude: tuple[str, ...] = ()
    explore_s: float = 0.0
    seed: int = 0

    def gate(self, target: Target | None = None, name: str = ALONE) -> BrokerGate:
        """Return the gate of one process, which connects to the broker unless it is given."""
        return BrokerGate(self, target, name)

    def open(self) -> Target:
        """Connect to the broker. Raises TargetError."""
        files = self.config, self.other_config
        logins = [Security.read(Path(file)) if file else None for file in files]
        endpoint = Endpoint(Address.parse(self.endpoint), self.timeout_s, *logins)
        if endpoint.greeting.wrong:
            find_versions(endpoint, self.messages, self.versions)
        return endpoint


class BrokerGate(Gate[BrokerSettings]):
    """A judge of one broker for the items of one process."""

    _topics_before: frozenset[str] | None = None
    """The topics of the broker as a run began that is to create none."""

    def groups(self, _hello: Hello, /) -> list[tuple[str, str]]:
        """(message, rule group) for every item of a run against a broker, by message."""
        return self._items

    @cached_property
    def _items(self) -> list[tuple[str, str]]:
        found = {(asked.message, asked.rule.partition(".")[0]) for asked in self._dialogue_cases}
        if self._explores:
            found.add((EXPLORING, EXPLORED.partition(".")[0]))
        return sorted(found)

    @property
    def _explores(self) -> bool:
        """True if this run holds conversations that it makes up."""
        is_wanted = EXPLORED in self._broker_rules and not self._is_excluded(EXPLORED)
        facts = self._facts
        may_write = facts.writes and not facts.unwritable
        return self.settings.explore_s > 0 and may_write and is_wanted

    def _item_of(self, message: str, rule: str) -> str:
        """Return the item that reports a rule, which may be broken in a dialogue of another rule.

        A step or a control case has no item of its own where only other rules were chosen: any item
        of its message reports it, so that no failure is left out.
        """
        own = self._group(rule)
        if (message, own) in self._items:
            return own
        groups = (group for of, group in self._items if of == message)
        return next((each for each in groups if self._is_judged(message, each)), own)

    def why_nothing(self, name: str) -> tuple[str, str]:
        """Return why nothing can be asked, such as an option that the selected rules need."""
        for why, rules in not_asked(self._facts, self._broker_rules).items():
            what, _, option = why.partition(": ")
            said = f"nothing can be asked of {name}: {rules[0]} {what}"
            if why == UNWRITABLE:
                return said, f"the broker makes none: {self._facts.unwritable}"
            return said, f"see {option}"
        return super().why_nothing(name)

    def needs(self) -> dict[str, str]:
        """Return the missing option of each rule that this run can't ask without it."""
        barred = dict.fromkeys(self._controls.barred, "--config")
        return barred | {
            rule: why.partition(": ")[2]
            for why, rules in not_asked(self._facts, self._broker_rules).items()
            for rule in rules
        }

    def close(self) -> None:
        """Remove everything that the run made, note what was not asked, and close the gate."""
        if self._target is not None and "_facts" in vars(self):
            for why, rules in not_asked(self._facts, self._broker_rules).items():
                listed = "; ".join(map(self._in_words, rules))
                self._endpoint.notes.append(f"not run, {why}: {listed}")
            if note := undefined(self._facts):
                self._endpoint.notes.append(note)
            if self._facts.writes:
                self._remove()
            self._tell_of_topics()
        super().close()

    def _in_words(self, rule: str) -> str:
        """Return a rule's id and the first clause of its statement."""
        return f"{rule} ({self.rules[rule].statement.partition('; ')[0].rstrip('.')})"

    def _remove(self) -> None:
        left: list[str] = []
        try:
            found = exchange(removal(Talk(self._facts), left), self._endpoint)
            left += [found.broken.detail] if found.broken else []
        except TargetError as error:
            left.append(error.message)
        if left:
            named = f"what begins with {self._facts.prefix} may be left behind"
            self._endpoint.notes.append(f"{named}: {'; '.join(left)}")

    def _tell_of_topics(self) -> None:
        """Note the topics that came while this run was to create none."""
        if self._topics_before is None:
            return
        notes, prefix = self._endpoint.notes, self._facts.prefix
        came = self._topics(self._facts) - self._topics_before
        made = sum(name.startswith(prefix) for name in came)
        if made:
            notes.append(
                f"{counted(made, 'topic')} came to be of requests that were to create none, and "
                f"stay; their names begin with {prefix}"
            )
        if len(came) > made:
            notes.append(
                f"{counted(len(came) - made, 'topic')} of other names came during this run, which "
                "was to create none, and stay, unless another client made them: such as "
                f"{min(came, key=lambda name: (name.startswith(prefix), name))}"
            )

    def _topics(self, facts: Facts) -> frozenset[str]:
        """Return the names of all topics, none if the broker does not list them."""
        names: list[str] = []
        with suppress(TargetError):
            exchange(all_topics(Talk(facts), names), self._endpoint)
        return frozenset(names)

    @cached_property
    def _broker_rules(self) -> dict[str, Rule]:
        rules = self.selection.rules.items()
        return {name: rule for name, rule in rules if "broker" in rule.applies}

    @cached_property
    def _facts(self) -> Facts:
        endpoint, control = self._endpoint, control_of(self.settings.endpoint)
        facts = Facts(
            endpoint.advertised,
            endpoint.prefix,
            writes=self.settings.writes,
            other=endpoint.other_principal,
            authenticates=endpoint.authenticates,
            explores=self.settings.explore_s > 0,
            served=endpoint.served or FIRST_REQUEST,
            mute=endpoint.served is None,
            mechanism=endpoint.mechanism,
            session_lifetime_ms=endpoint.session_lifetime_ms,
            time_ms=int(time.time() * 1000),
        )
        if facts.writes and facts.has("CreateTopics") and facts.has("DeleteTopics"):
            facts = self._permitted(facts)
        if not facts.has("Metadata"):
            return facts
        if (not facts.writes or facts.unwritable) and facts.range_of("Metadata")[1] > 0:
            self._topics_before = self._topics(facts)
        nodes: dict[int, tuple[str, int]] = {}
        exchange(brokers(Talk(facts), nodes), endpoint)
        endpoint.nodes = {node: Address(*where) for node, where in nodes.items()}
        return replace(facts, nodes=tuple(nodes), stops=control is not None)

    def _permitted(self, facts: Facts) -> Facts:
        """Return the facts with the versions in which topics can be created and deleted.

        A broker that fails to do so is judged by what needs no topic. Raises NotPermitted where the
        caller lacks the right to.
        """
        usable: dict[str, int] = {}
        tried = exchange(permission(Talk(facts), usable), self._endpoint)
        notes = self._endpoint.notes
        if isinstance(tried.broken, Denied):
            raise NotPermitted(
                f"nothing can be written: {tried.broken.detail}",
                "leave out --allow-writes, or log in as a user that may create topics",
            )
        if tried.broken:
            why = tried.broken.detail
            notes.append(f"no topic was prepared: {why}")
            is_due = not usable and not isinstance(tried.broken, Refused)
            return replace(facts, unwritable=why, asks_creation=is_due)
        for api, version in usable.items():
            if version < facts.range_of(api)[1]:
                notes.append(f"{api} v{version} is used to prepare: it fails in the newer versions")
        return replace(facts, usable=usable)

    @cached_property
    def _controls(self) -> Controls:
        return Controls(self._facts, {(each.rule, each.id) for each in self._dialogue_cases})

    @cached_property
    def _dialogue_cases(self) -> list[DialogueCase]:
        wanted = filter(self._is_wanted, asked_of(self._facts, self._broker_rules))
        kept = filter(None, map(stored, sorted(self.selection.cases or ())))
        explored = [as_case(self._facts, each) for each in kept if self._facts.writes]
        return [*(ends(wanted) if self.settings.quick else wanted), *explored]

    def _is_wanted(self, asked: DialogueCase) -> bool:
        chosen = self.selection
        of_greeting = bool(self._endpoint.greeting.wrong) and asked.id in OF_GREETING
        return (
            (chosen.messages is None or asked.message in chosen.messages or of_greeting)
            and (chosen.versions is None or asked.version in chosen.versions or of_greeting)
            and (chosen.cases is None or asked.id in chosen.cases)
            and not self._is_excluded(asked.rule)
            and not self._is_excluded(asked.id)
        )

    def _is_excluded(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.settings.exclude)

    @property
    def _endpoint(self) -> Endpoint:
        assert isinstance(self.target, Endpoint)
        return self.target

    @cached_property
    def _silence(self) -> Silence:
        return Silence()

    @cached_property
    def _losing(self) -> Losing:
        return Losing()

    def _run(self, message: str) -> Iterator[Verdict]:
        if message == EXPLORING:
            yield from self._explored()
            return
        yield from self._judged(message)

    def _explored(self) -> Iterator[Verdict]:
        """Yield the verdicts on conversations that this run makes up."""
        from conformance.brokers.exploring.machine import Exploration  # Hypothesis is slow to load
        from conformance.brokers.exploring.verdicts import verdicts_of_exploring

        settings, control = self.settings, control_of(self.settings.endpoint)
        exploration = Exploration(self._endpoint, self._facts, database=database())
        yield from verdicts_of_exploring(
            exploration,
            (settings.explore_s, settings.seed),
            self._endpoint,
            self.rules[EXPLORED],
            settings.profile,
            control,
        )
        self._endpoint.notes.extend(exploration.notes)

    def _judged(self, message: str) -> Iterator[Verdict]:
        asked = [each for each in self._dialogue_cases if each.message == message]
        asked.sort(key=_basic_first)
        endpoint, controls, losing = self._endpoint, self._controls, self._losing
        control = control_of(self.settings.endpoint)
        awaited = control or Awaited(endpoint, RETURNS * endpoint.timeout_s)
        profile = self.settings.profile
        rules = {name: rule for name, rule in self.rules.items() if not self._is_excluded(name)}

        def hold(items: Iterable[DialogueCase]) -> Iterator[Verdict]:
            return converse(
                items, endpoint, rules, profile, control, controls, AT_ONCE, losing, self._silence
            )

        return judged_to_the_end(asked, hold, rules, profile, awaited, losing)


def _basic_first(item: DialogueCase) -> tuple[bool, bool, bool]:
    """Order the first request in front of all others, and plain requests in front of the rest.

    All others rest on them: where nothing answers these, the others need not be asked. What a
    malformed request does to other connections comes last: a rule of its own judges the request,
    and names it if it ends the broker.
    """
    return item.id not in OF_GREETING, item.rule != SERVED, item.rule == UNHARMED
