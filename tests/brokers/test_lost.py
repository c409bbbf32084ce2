"""A broker that the suite can't start again: it is waited for, its end is charged, and a run ends
with what is left unjudged.
"""

from __future__ import annotations

import socketserver
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.brokers.converse import converse
from conformance.brokers.dialogues import DialogueCase, asked_of
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.exchange import Exchange
from conformance.brokers.losing import Awaited, Losing, TimedExchange, judged_to_the_end
from conformance.brokers.mutants import stocked
from conformance.brokers.score import SessionLine
from conformance.dialogue import Broken, Received, Who
from conformance.reference.broker.broker import Broker
from conformance.reporting.breaches import in_a_clause
from conformance.reporting.findings import Causes
from conformance.results.files import read_lines
from conformance.results.lines import NOT_ASKED, Finding, Summary, Verdict
from conformance.rules import catalogue
from conformance.targets.errors import TargetLost
from tests.brokers.test_dying import Fragile, Host, Mortal, stocked_mortal
from tests.cli.conftest import Ended, run

KILLS = "ApiVersionsRequest/size-below-zero"
RULES = ("--rule", "framing.negative-size-closes", "--rule", "framing.zero-size-closes")


class Serving(socketserver.ThreadingTCPServer):
    """A broker of ours, which listens no more once it has died."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, broker: Mortal, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        self.broker = broker
        super().__init__(address, Session)

    def __enter__(self) -> Serving:
        self.thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Listen no more."""
        self.server_close()
        self.shutdown()


class Session(socketserver.BaseRequestHandler):
    """A connection to it."""

    server: Serving

    def handle(self) -> None:
        session = self.server.broker.session()
        while data := self.request.recv(65536):
            for answer in session.answers(data):
                self.request.sendall(answer)
            if not self.server.broker.running:
                self.server.socket.close()
                threading.Thread(target=self.server.shutdown, daemon=True).start()
                return
            if session.closed:
                return


def judged(server: Serving, *options: str) -> Ended:
    host, port = server.server_address[:2]
    return run("broker", f"{host!s}:{port}", "--timeout", "1", *options)


def test_the_case_that_ends_a_broker_is_a_crash_and_the_run_says_what_is_left(
    tmp_path: Path,
) -> None:
    with Serving(stocked_mortal()) as server:
        ended = judged(server, *RULES)
    said = " ".join(ended.out.split())
    assert ended.code == 1, ended.out
    assert "can end its process" in said
    assert f"case: {KILLS} input: ffffffff" in said
    assert (
        f"3 of 4 cases were not asked: the broker refuses connections since {KILLS}; "
        f"start it again, or leave that out: --exclude {KILLS}"
    ) in said
    assert "1 of 2 rules decided" in said


def test_its_results_are_whole(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    with Serving(stocked_mortal()) as server:
        judged(server, *RULES, "--results", str(results))
    lines = list(read_lines(results))
    verdicts = [each for each in lines if isinstance(each, Verdict)]
    crashes = [each for each in verdicts if each.verdict == "crash"]
    assert [each.case for each in crashes] == [KILLS]
    assert crashes[0].input.startswith("ffffffff")
    left = [each for each in verdicts if each.detail.startswith(NOT_ASKED)]
    assert len(left) == len(verdicts) - 1
    assert isinstance(lines[-1], Summary)
    assert [each.ends for each in lines if isinstance(each, Finding)] == ["crash"]
    assert run("findings", results).code == 0


def test_what_any_client_may_send_is_charged_as_well(tmp_path: Path) -> None:
    """The connection is cut off, and so is every other after it."""
    results = tmp_path / "results.ndjson"
    broker = Fragile()
    stocked(broker)
    with Serving(broker) as server:
        ended = judged(server, "--rule", "framing.split-anywhere", "--results", str(results))
    assert ended.code == 1, ended.out
    verdicts = [each for each in read_lines(results) if isinstance(each, Verdict)]
    crashed = [each.case for each in verdicts if each.verdict == "crash"]
    assert crashed == ["ApiVersionsRequest/cut-once-at-every-byte"]


def test_one_that_a_command_starts_is_started_again(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    command = ("--", sys.executable, "-m", "tests.brokers.mortal", "{listen}")
    ended = run("broker", *RULES, "--results", results, *command, cwd=Path.cwd(), timeout_s=300)
    assert ended.code == 1, ended.out + ended.err
    verdicts = [each for each in read_lines(results) if isinstance(each, Verdict)]
    assert [each.verdict for each in verdicts] == ["crash", "crash", "crash", "pass"]
    assert f"--case {KILLS} -- {sys.executable}" in ended.out


class Supervised(Host):
    """Something starts it again while it is waited for."""

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        if not self.broker.running:
            self.starts += 1
            self.broker.running = self.starts % 8 == 0
        return super().connect(who, node)


def test_one_that_something_else_starts_again_is_judged_on() -> None:
    host = Supervised(stocked_mortal())
    rules = {name: catalogue()[name] for name in RULES[1::2]}
    control = Awaited(host, 60)

    def hold(asked: Iterable[DialogueCase]) -> Iterator[Verdict]:
        return converse(asked, host, rules, "spec", control, losing=losing)

    losing = Losing()
    asked = asked_of(Facts(host.broker.versions), rules)
    found = judged_to_the_end(asked, hold, rules, "spec", control, losing)
    assert [each.verdict for each in found] == ["crash", "crash", "crash", "pass"]
    assert not losing.gone


def test_several_that_were_held_at_the_same_time_are_one_finding() -> None:
    rules = {each.id: each for each in catalogue().values()}
    one, other = (item for item, _ in zip(items(), range(2), strict=False))
    losing = Losing()

    def hold(asked: Iterable[DialogueCase]) -> Iterator[Verdict]:
        losing.late = [held(one, 0, 2, "closed"), held(other, 1, 2, "reset")]
        yield from ()
        raise TargetLost("it did not come back within 30 s")

    control = Awaited(Host(stocked_mortal()), 0)
    found = list(judged_to_the_end([one, other], hold, rules, "spec", control, losing))
    assert [each.verdict for each in found] == ["crash", "crash"]
    causes = Causes()
    for each in found:
        causes.take(each)
    [finding] = causes.findings()
    assert f"ended by one of 2 dialogues at the same time, {one.id}, {other.id}" in finding.cause
    assert in_a_clause(finding) == "can crash on one of 2 cases asked at the same time"


def held(item: DialogueCase, began: float, ended: float, kind: str = "reply") -> TimedExchange:
    broken = None if kind == "reply" else Broken("cut off")
    found = Exchange(bytearray(b"sent"), last=Received(kind), broken=broken)  # type: ignore[arg-type]
    return TimedExchange(item, found, began, ended)


def items() -> Iterator[DialogueCase]:
    return asked_of(Facts(Broker().versions), catalogue())


def test_all_that_were_cut_off_since_the_last_answer_are_suspects() -> None:
    early, served, one, other = (item for item, _ in zip(items(), range(4), strict=False))
    late = [
        held(early, 0, 1, "closed"),
        held(served, 2, 5),
        held(one, 1, 4, "closed"),
        held(other, 3, 4, "reset"),
    ]
    suspects = [each.item for each in Losing(late=late).suspects()]
    assert suspects == [one, other]


def test_where_none_was_cut_off_the_last_that_was_answered_is_the_suspect() -> None:
    one, other = (item for item, _ in zip(items(), range(2), strict=False))
    late = [held(one, 0, 1), held(other, 2, 3)]
    assert [each.item for each in Losing(late=late).suspects()] == [other]
