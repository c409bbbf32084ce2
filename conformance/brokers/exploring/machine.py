"""Hypothesis' state machine: each step is a request, drawn from the table of what can be asked.

Time only bounds how many conversations are held: they come in runs of a few, each with its own
seed, and no verdict depends on a clock.
"""

from __future__ import annotations

import contextlib
import io
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exchange import Exchange, Peer, Table, exchange
from conformance.brokers.exploring.cases import held
from conformance.brokers.exploring.conversation import Asked, Conversation
from conformance.brokers.exploring.drawing import ANY, choices_of, openings, requests
from conformance.brokers.exploring.identities import Identities
from conformance.brokers.exploring.learning import learned, warmed_up
from conformance.brokers.exploring.model import Model, model_of
from conformance.brokers.exploring.side_by_side import Differs, SideBySide
from conformance.brokers.exploring.tidying import tidied
from conformance.dialogue import Broken, Dialogue
from conformance.reference.codec import ReferenceCodec
from conformance.targets.errors import TargetError

STEPS = 30
"""The most requests of a conversation."""
IN_A_RUN = 20
"""The conversations of one run of Hypothesis."""
MOST_SHRINKS = 200
"""The conversations that are held to shorten one."""
SHORT_TIMES = 3
"""The number of times that what may pass is asked for again while a conversation is shortened.

What is left is held again with more patience.
"""


class Enough(BaseException):
    """A conversation is short enough. No error, so that Hypothesis lets it pass."""


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation whose last answer differs, as short as it could be made."""

    conversation: Conversation
    broken: Broken
    kind: str


@dataclass
class Explored:
    """The result of exploring a broker."""

    conversations: int = 0
    requests: int = 0
    found: list[Found] = field(default_factory=list)
    flaky: int = 0


@dataclass
class Exploration:
    """An exploration of one broker; `known` are kinds of differences that end a conversation.

    Where it `shortens`, Hypothesis makes a conversation that differs as short as it can.
    """

    endpoint: Peer
    facts: Facts
    learned: dict[str, Any] = field(default_factory=dict)
    database: Path | None = None
    steps: int = STEPS
    shortens: bool = True

    def __post_init__(self) -> None:
        self.explored = Explored()
        self.notes: list[str] = []
        self.known: set[str] = set()
        self.last: Found | None = None
        self.shrinks = 0
        self.choices = choices_of(self.new_model())

    def new_model(self) -> Model:
        """Return the model of a conversation that begins."""
        return model_of(self.facts, self.learned)

    def learn(self) -> None:
        """Have the model be like the target's cluster, where that says what it is like.

        The coordinators are asked for as well, since a cluster first makes their topics then.
        """
        exchange(learned(Talk(self.facts), self.learned), self.endpoint)
        exchange(warmed_up(Talk(self.facts)), self.endpoint)

    def for_seconds(self, seconds: float, number: int) -> Iterator[Found]:
        """Yield what is found until the time is up; `number` is the first run's seed."""
        end = time.monotonic() + seconds
        numbers = random.Random(number)
        while time.monotonic() < end:
            yield from self.run(numbers.getrandbits(32), IN_A_RUN)

    def run(self, number: int, conversations: int) -> Iterator[Found]:
        """Hold conversations by one seed, and yield the first difference that is not known."""
        self.forget()
        machine = machine_of(self)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                run_state_machine_as_test(
                    seed(number)(machine), settings=self._settings(conversations)
                )
        except (Differs, Flaky, Enough) as raised:
            if isinstance(raised, Flaky) or self.last is None:
                self.explored.flaky += 1
                return
            self.known.add(self.last.kind)
            found = self.shortened(self.last) if self.shortens else self.last
            self.explored.found.append(found)
            yield found

    def forget(self) -> None:
        """Forget what was found last."""
        self.last, self.shrinks = None, 0

    def shortened(self, found: Found) -> Found:
        """Return a conversation without the requests that can be left out of it."""
        for size in (8, 4, 2, 1):
            for at in reversed(range(0, len(found.conversation) - 1, size)):
                kept = found.conversation
                shorter = (*kept[:at], *kept[min(at + size, len(kept) - 1) :])
                dialogue = held(self.facts, shorter, SHORT_TIMES)
                broken = exchange(dialogue, self.endpoint).broken
                if broken is not None and kind_of(broken) == found.kind:
                    found = Found(shorter, broken, found.kind)
        return found

    def _settings(self, conversations: int) -> settings:
        kept: ExampleDatabase | None = (
            DirectoryBasedExampleDatabase(self.database) if self.database else None
        )
        wanted = {
            Phase.reuse: kept is not None,
            Phase.generate: True,
            Phase.shrink: self.shortens,
        }
        phases = [phase for phase, is_wanted in wanted.items() if is_wanted]
        return settings(
            max_examples=conversations,
            stateful_step_count=self.steps,
            database=kept,
            phases=phases,
            deadline=None,
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )


def kind_of(error: Exception) -> str:
    """Return what stays the same of a difference while a conversation is shortened."""
    return str(getattr(error, "kind", "")) or type(error).__name__


class Machine(RuleBasedStateMachine):
    """One conversation: it begins with a few requests, and goes on with those that are drawn."""

    exploration: Exploration

    def __init__(self) -> None:
        super().__init__()
        exploring = self.exploration
        exploring.explored.conversations += 1
        is_shrinking = exploring.last is not None
        exploring.shrinks += is_shrinking
        if exploring.shrinks > MOST_SHRINKS:
            raise Enough
        self.is_over = False
        self.conversation: list[Asked] = []
        self.talk = Talk(exploring.facts)
        self.model = exploring.new_model()
        times = SHORT_TIMES if is_shrinking else 0
        self.side_by_side = SideBySide(self.talk, self.model, times)
        self.choices, self.theme = exploring.choices, ANY
        self.place = Table(exploring.endpoint, None, Exchange())
        self.place.__enter__()

    @property
    def identities(self) -> Identities:
        """The ids that answers gave."""
        return self.side_by_side.identities

    @property
    def codec(self) -> ReferenceCodec:
        """The codec of requests."""
        return self.talk.codec

    @initialize(opening=openings())
    def begin(self, opening: tuple[str, list[Asked]]) -> None:
        """Take the first requests."""
        self.theme, asked = opening
        for each in asked:
            self.ask(each)

    @rule(asked=requests())
    def ask(self, asked: Asked) -> None:
        """Take one request, unless a known difference has ended the conversation."""
        if not self.is_over:
            self.take(asked)

    def take(self, asked: Asked) -> None:
        """Ask both; the first difference ends the conversation. Raises Differs unless known."""
        exploring = self.exploration
        exploring.explored.requests += 1
        self.conversation.append(asked)
        try:
            take(self.side_by_side.ask(asked), self.place)
        except (Broken, TargetError) as error:
            self.is_over = True
            broken = error if isinstance(error, Broken) else Broken(error.message)
            kind = kind_of(error)
            if kind in exploring.known:
                return
            exploring.last = Found(tuple(self.conversation), broken, kind)
            raise (error if isinstance(error, Differs) else Differs(broken.detail)) from None

    def teardown(self) -> None:
        """Remove what the conversation made."""
        with contextlib.suppress(Broken, TargetError):
            take(tidied(self.talk, self.side_by_side.identities, self.model), self.place)
        self.place.__exit__(None, None, None)


def take(dialogue: Dialogue, table: Table) -> None:
    """Take every step of a dialogue. Raises Broken and TargetError."""
    received = None
    with contextlib.suppress(StopIteration):
        while True:
            try:
                step = dialogue.send(received)
            except (LookupError, ValueError, TypeError, AttributeError) as error:
                raise Broken(f"something is missing in the answer: {error!r}") from error
            received = table.take(step)


def machine_of(exploration: Exploration) -> type[Machine]:
    """Return the state machine of an exploration."""
    return type("Conversations", (Machine,), {"exploration": exploration})
