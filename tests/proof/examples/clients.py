"""The examples of rules of clients, made from scenarios and mutants.

The reference client and each mutant of a rule meet its scenarios in this process. The first request
in which they differ is the example, after the answer that they were given; of all examples, the
shortest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import cast

from conformance.clients.mutants import ClientMutant, client_mutants
from conformance.clients.program import VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.control_cases import control_of
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.score import meet, verdicts_of
from conformance.dialogue import Received, Send
from conformance.reference.client import Client, Course, Open, Step
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.rules.examples import ExampleRow
from conformance.rules.examples.exchanges import CLIENTS, Exchange, Side
from conformance.wire.annotated import Row
from tests.proof.examples.making import Maker, best, exchange_of, once
from tests.proof.examples.sides import (
    ROWS,
    Asked,
    asked,
    beside,
    counting,
    cut,
    cut_short,
    first_unlike,
    request,
    response,
    rows_of,
    wrong_row,
)

NONCE = "one-nonce-for-each-example"
_NUMBERED = "client-requests.correlation-ids-differ"
_FIRST_ASKED = ("ApiVersions", "Metadata")
"""The APIs that are asked before all others, and again on each connection."""

_MUCH_MIB = 256
_DOES = {
    "ok": "the client says that all is well",
    "error": "the client ends with an error",
    "crashed": "the client crashes",
    "hung": "the client does not come to an end",
}
_HEARS = {"closed": "the connection is closed", "reset": "the connection is closed"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A frame or end that a client received, and the request it answers; `rest` is no frame."""

    received: Received
    to: Asked | None
    rest: bytes = b""


@dataclass(frozen=True, slots=True)
class Done:
    """A frame that a client sent, or, without a frame, a connection that it opened.

    `heard` is the number of answers that it had by then.
    """

    heard: int
    frame: bytes = b""

    @property
    def key(self) -> tuple[bytes, bytes]:
        """The bytes without the correlation id."""
        return self.frame[:4], self.frame[8:]

    @property
    def api(self) -> str:
        """The API of the request."""
        names = asked(self.frame)
        return names[0] if names else ""


@dataclass(frozen=True, slots=True)
class Record:
    """A client's requests, its answers, and its end."""

    done: list[Done] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    ended: list[VisitEnded] = field(default_factory=list)
    unread: list[Answer] = field(default_factory=list)

    def keep(self, step: Step) -> None:
        """Keep a step if it sends or opens."""
        if isinstance(step, Send):
            frames, rest = cut(step.data)
            self.done.extend(Done(len(self.answers), each) for each in (*frames, rest) if each)
        elif isinstance(step, Open):
            self.done.append(Done(len(self.answers)))

    def hear(self, received: Received, unread: bytes) -> None:
        """Keep an answer with the request that it answers."""
        sent = [each.frame for each in self.done if each.frame]
        same = [each for each in sent if each[4:8] == received.frame[:4]]
        to = next(map(asked, (same or sent)[-1:]), None)
        self.answers.append(Answer(received, to, unread if received.kind == "flood" else b""))


def again(example: Exchange) -> Exchange | None:
    """Make the example of the same mutant in the same scenario again, and return it."""
    (scenario,) = _of_cases({example.case})
    return best(_shown_in(client_mutants()[example.mutant], scenario))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A mutant that differs from the reference; a frame is None if none is sent."""

    mutant: type[ClientMutant]
    scenario: type[Scenario]
    given: Answer | None
    right: Done | None
    wrong: Done | None
    endings: tuple[VisitEnded, VisitEnded]

    @property
    def worth(self) -> tuple[int, int, str, str]:
        """A sort key, the best first: two frames of one API, then a crash, then other frames."""
        frames = [each.frame if each else b"" for each in (self.right, self.wrong)]
        given = self.given.received.frame if self.given else b""
        size = sum(map(len, frames)) + len(given)
        return self._rank(), size, self.scenario.case(), self.mutant.__name__

    def _rank(self) -> int:
        right, wrong = self.right, self.wrong
        if self.endings[1].outcome == "crashed":
            return 1
        if right is None or wrong is None:
            return 3 if right or wrong else 5
        if not right.api or not wrong.api:
            return 4
        if right.api == wrong.api:
            return 0
        return 4 if wrong.api in _FIRST_ASKED else 2

    @property
    def is_shown(self) -> bool:
        """True if any bytes show the difference."""
        sent = any(each is not None and each.frame for each in (self.right, self.wrong))
        heard = self.given and (self.given.received.kind == "reply" or self.given.rest)
        return sent or bool(heard)

    def example(self) -> Exchange:
        """Return it in the form in which it is stored."""
        given = [_given(self.given)] if self.given else []
        sides = self._side(0), self._side(1)
        return exchange_of(self.mutant, self.scenario.case(), given, sides, self._rows(*sides))

    def _side(self, side: int) -> Side:
        """Return the request or the end of one of the two."""
        done, other = ((self.right, self.wrong), (self.wrong, self.right))[side]
        ended = _outcome(self.endings[side], self.endings[1 - side])
        if done is None and other is not None and other.api:
            return Side(says=f"no such request; in the end, {ended}")
        if done is None:
            return Side(says=ended)
        if not done.frame:
            return Side(says=f"the client opens a new connection; in the end, {ended}")
        return request(done.frame)

    def _rows(self, right: Side, wrong: Side) -> list[ExampleRow]:
        if self.right and self.wrong and self.right.frame and self.wrong.frame:
            frames = rows_of(right, self.right.frame), rows_of(wrong, self.wrong.frame)
            is_same = (right.message, right.version) == (wrong.message, wrong.version)
            about = catalogue()[self.mutant.breaks].shown_by
            return beside(*frames, about) if is_same else _heads(frames)
        return self._played()

    def _played(self) -> list[ExampleRow]:
        """Return rows around the answer's first field that the control scenario's answer lacks."""
        if self.given is None or self.given.received.kind != "reply":
            return []
        rows = _rows_of(self.given)
        if (at := wrong_row(rows)) is not None:
            return ROWS.alone(rows, at)
        usual = _record(Client, control_of(self.scenario, self.mutant.breaks)).answers
        like = [each for each in usual if each.to == self.given.to]
        about = catalogue()[self.mutant.breaks].shown_by
        return ROWS.alone(rows, first_unlike(rows, _rows_of(like[0]), about) if like else None)


def _heads(frames: tuple[Sequence[Row], Sequence[Row]]) -> list[ExampleRow]:
    """Return the API and the version of two requests that have different forms."""
    return beside(frames[0][:2], frames[1][:2])


def _rows_of(answer: Answer) -> Sequence[Row]:
    frame = answer.received.frame
    return rows_of(response(frame, answer.to), frame)


def _given(answer: Answer) -> Side:
    if answer.rest:
        return cut_short(answer.rest)
    if answer.received.kind != "reply":
        return Side(says=_HEARS.get(answer.received.kind, "no answer"))
    return response(answer.received.frame, answer.to)


def _outcome(ended: VisitEnded, other: VisitEnded) -> str:
    """Return the end of a client in words, with the things in which it differs from another."""
    if abs(ended.peak_mib - other.peak_mib) > _MUCH_MIB:
        return f"{_DOES[ended.outcome]}, and took {ended.peak_mib:.0f} MiB for it"
    if ended.outcome == other.outcome == "ok" and ended.text != other.text:
        return f"{_DOES['ok']}, and tells {ended.text!r}"
    return _DOES[ended.outcome]


def _shown(mutant: type[ClientMutant]) -> Iterator[_Shown]:
    """Yield the differences that show a mutant's defect, scenario by scenario."""
    for scenario in _failed(mutant):
        yield from _shown_in(mutant, scenario)


def _shown_in(mutant: type[ClientMutant], scenario: type[Scenario]) -> Iterator[_Shown]:
    """Yield the differences that show it in one scenario."""
    right, wrong = _record(Client, scenario), _record(mutant, scenario)
    endings = (right.ended[0], wrong.ended[0])
    api = scenario.answered_api()
    for given, one, other in _differences(mutant.breaks, right, wrong, api):
        shown = _Shown(mutant, scenario, given, one, other, endings)
        if shown.is_shown:
            yield shown


_NOTHING = Done(0)
Difference = tuple[Answer | None, Done | None, Done | None]


def _differences(rule: str, right: Record, wrong: Record, api: str) -> Iterator[Difference]:
    """Yield the differences of two clients: a crash alone, else the first, also by API."""
    end, other_end = right.ended[0], wrong.ended[0]
    if other_end.outcome == "crashed" != end.outcome:
        played = _before(wrong, Done(len(wrong.answers)), api)
        shown = (*wrong.unread, *filter(None, [played]), *wrong.answers[-1:])
        yield next(iter(shown), None), None, None
        return
    first = _first(rule, right, wrong)
    if first is None and _outcome(end, other_end) != _outcome(other_end, end):
        yield right.answers[-1] if right.answers else None, None, None
    apis = {first[0].api if first and first[0] else "": None, api: None}
    if api == "ApiVersions" and not rule.startswith("client-fallback."):
        del apis[api]
    of_apis = (_first(rule, right, wrong, each) for each in apis if each)
    for one, other in filter(None, (first, *of_apis)):
        yield _before(right if one else wrong, one or other or _NOTHING, api), one, other


def _first(
    rule: str, right: Record, wrong: Record, api: str = ""
) -> tuple[Done | None, Done | None] | None:
    """Return the first difference of two clients, in one API if it is named."""
    ours, theirs = (
        [each for each in record.done if api in ("", each.api)] for record in (right, wrong)
    )
    for one, other in zip_longest(ours, theirs):
        if one is None or other is None or _key(one, rule) != _key(other, rule):
            return one, other
    return None


def _key(done: Done, rule: str) -> object:
    """Return the key that two equal requests have in common."""
    return done.frame if rule == _NUMBERED else done.key


def _before(record: Record, done: Done, api: str) -> Answer | None:
    """Return the last answer that was played before a request, None if it is still to come."""
    heard = record.answers[: done.heard]
    played = [each for each in heard if each.to and each.to[0] == api]
    bad = [each for each in heard[-1:] if each.received.kind != "reply"]
    return next(iter((*bad, *reversed(played))), None)


def _failed(mutant: type[ClientMutant]) -> list[type[Scenario]]:
    """Return the scenarios in which a mutant breaks its rule."""
    verdicts = verdicts_of(mutant, [mutant.breaks])
    cases = {
        each.case
        for each in verdicts
        if each.rule == mutant.breaks and each.verdict in (*BROKEN, "note")
    }
    return _of_cases(cases)


def _of_cases(cases: Set[str]) -> list[type[Scenario]]:
    """Return scenarios and control cases by their names."""
    scenarios()  # imports all modules of scenarios
    return [each for each in Scenario.known if each.case() in cases]


@once
def _record(client: type[Client], scenario: type[Scenario]) -> Record:
    """Return what a client does in a scenario, which it meets once."""
    record, made = Record(), client()
    made.nonce = NONCE
    run = made.run

    def recorded(action: str) -> Course:
        course = run(action)
        received: Received | None = None
        while True:
            try:
                step = course.send(received)
            except StopIteration:
                return
            record.keep(step)
            received = yield step
            if received is not None:
                record.hear(received, bytes(made.unread))

    vars(made)["run"] = recorded
    record.ended.append(meet(made, cast("type[Scenario]", _Played(scenario))).ended)
    if made.unread:
        record.unread.append(Answer(Received("flood"), None, bytes(made.unread)))
    return record


class _Played:
    """A scenario whose ids are the same each time."""

    def __init__(self, scenario: type[Scenario]) -> None:
        self.scenario = scenario
        self.action = scenario.action
        self.topic = scenario.topic
        self.login = scenario.login

    def played(self) -> list[Scenario]:
        """Return its brokers."""
        company = self.scenario.played()
        for each in company:
            counting(each)
        return company


CLIENTS_MADE = Maker("client", CLIENTS, client_mutants, _shown)
