"""The score of the scenarios: which defects of a client they catch, each by the rule it breaks.

A mutant meets the played broker in this process, without a socket and with a clock that only waits
move, so that back-off and silence cost nothing.
`python -m conformance.clients.score` prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from conformance.clients.mutants import ClientMutant, client_mutants
from conformance.clients.program import Outcome, VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.scenarios.watching import Watched
from conformance.clients.visits import play
from conformance.codecs.score import Score, show
from conformance.dialogue import Receive, Received, Send
from conformance.reference.client import Client, Failed, Hold, Open, Wait
from conformance.reference.codec import ReferenceCodec
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue

PATIENCE_S = 60.0
"""A visit that is longer, by its own clock, is one that does not end."""

FIRST_PORT = 9092
TAKEN = 1024
"""The number of bytes that a narrow connection takes at once."""
CODEC = ReferenceCodec()
"""The codec of all sides here: loading the generated code anew takes longer than a visit."""


class Clock:
    """A clock on which time passes only while a side waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        """Return the seconds that have passed."""
        return self.seconds


class Line:
    """A connection between a client and a broker in this process, in the pieces that are sent."""

    def __init__(self, client: Client, broker: Watched) -> None:
        self._client = client
        played = broker.played
        self._is_narrow = isinstance(played, Scenario) and played.is_narrow
        self._session = broker.session()
        self._pieces: list[bytes] = []
        client.unread.clear()

    def send(self, data: bytes) -> None:
        """Have the broker read the bytes, and answer."""
        self._session.delay_s = 0.0
        self._client.was_full = False
        for piece in (data[:TAKEN], data[TAKEN:]) if self._is_narrow else (data,):
            if piece and not self._session.closed:
                self._pieces += self._session.answers(piece)
                self._client.was_full |= self._session.rest_s > 0
                self._session.rest_s = 0.0

    def hear(self, patience_s: float) -> Received:
        """Return the next answer, or what comes instead of one within that time."""
        if self._session.delay_s > patience_s:
            return Received("silent")
        while (answer := self._client.next_answer()) is None:
            if not self._pieces:
                return self._client.end_of_line() if self._session.closed else Received("silent")
            self._client.take(self._pieces.pop(0))
        return answer


def meet(client: Client, scenario: type[Scenario]) -> Visit:
    """Return the visit of a client to a scenario."""
    clock, visit = Clock(), Visit()
    client.named = scenario.topic
    client.user, client.password = scenario.login or (client.user, client.password)
    if type(client.codec) is ReferenceCodec:
        client.codec = CODEC
    brokers = {}
    for port, played in enumerate(scenario.played(), FIRST_PORT):
        played.writes = CODEC
        brokers[port] = Watched(played, visit, clock.now)
        brokers[port].codec = CODEC
        brokers[port].port = port
    visit.ended = _ended(client, scenario.action, brokers, clock)
    return visit


def _ended(client: Client, action: str, brokers: dict[int, Watched], clock: Clock) -> VisitEnded:
    line: Line | None = None
    received: Received | None = None
    peak_mib = 0.0
    course = client.run(action)
    outcome: Outcome = "hung"
    text = f"after {PATIENCE_S:g} s"
    try:
        while clock.seconds < PATIENCE_S:
            step = course.send(received)
            received = None
            match step:
                case Open(address):
                    line = Line(client, brokers[address[1] if address else FIRST_PORT])
                case Wait(seconds):
                    clock.seconds += seconds
                case Hold(mib):
                    peak_mib = max(peak_mib, mib)
                case Send(data):
                    assert line is not None
                    line.send(data)
                case Receive(patience_s):
                    assert line is not None
                    received = line.hear(patience_s or 1.0)
                    clock.seconds += (patience_s or 1.0) if received.kind == "silent" else 0.0
    except StopIteration:
        outcome, text = "ok", " ".join(client.told)
    except Failed as failed:
        outcome, text = "error", str(failed)
    except Exception as error:  # an exception that is not caught ends a program
        outcome, text = "crashed", repr(error)
    return VisitEnded(outcome, text, clock.seconds, peak_mib)


def verdicts_of(client: type[Client], rules: Iterable[str] = ()) -> list[Verdict]:
    """The verdicts of some rules on a client, by default of all, by the scenarios for them.

    For what holds whatever is played, one scenario for each action is enough, and `many`, which
    takes longer than all others together, asks nothing that `idempotent` does not.
    """
    wanted = set(rules) or set(rules_with_scenarios())
    selected = {name: rule for name, rule in catalogue().items() if name in wanted}
    every = scenarios().values()
    chosen = {each for each in every if wanted & each.decides.keys()}
    if wanted & ALWAYS.keys():
        chosen |= set({each.action: each for each in every if each.action != "many"}.values())
    return list(
        play(
            sorted(chosen, key=_name),
            lambda each: meet(client(), each),
            selected,
            "kafka",
            at_once=1,
        )
    )


def _name(scenario: type[Scenario]) -> str:
    return scenario.__name__


def rules_with_scenarios() -> list[str]:
    """The rules that scenarios decide, in their order."""
    decided = (rule for each in scenarios().values() for rule in each.decides)
    return list(dict.fromkeys([*ALWAYS, *decided]))


def score() -> list[Score]:
    """Return the score of every mutant on its own rule, in the order of the rules."""
    order = list(catalogue())
    by_rule = sorted(client_mutants().values(), key=lambda mutant: order.index(mutant.breaks))
    return [score_of(mutant) for mutant in by_rule]


def score_of(mutant: type[ClientMutant]) -> Score:
    """Return the score of one mutant on its own rule."""
    verdicts = [each for each in verdicts_of(mutant, [mutant.breaks]) if each.rule == mutant.breaks]
    wrong = [each for each in verdicts if each.verdict in (*BROKEN, "note")]
    return Score(mutant.__name__, mutant.breaks, bool(wrong), len(verdicts), len(wrong))


if __name__ == "__main__":
    sys.exit(show(score()))
