"""A broker that the suite can't start again: it is waited for, its end is charged, and a run ends
with what is left unjudged.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.brokers import losing
from conformance.brokers.dialogues import DialogueCase, asked_of
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.exchange import Exchange
from conformance.brokers.losing import Losing, TimedExchange
from conformance.brokers.mutants import stocked
from conformance.dialogue import Broken, Received
from conformance.reference.broker.broker import Broker
from conformance.results.files import read_lines
from conformance.results.lines import NOT_ASKED, Finding, Summary, Verdict
from conformance.rules import catalogue
from tests.brokers.test_dying import Fragile, Mortal, stocked_mortal
from tests.cli.conftest import Ended, run

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


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing starts these again."""
    monkeypatch.setattr(losing, "RETURN_S", 0.3)


def judged(server: Serving, *options: str) -> Ended:
    host, port = server.server_address[:2]
    return run("broker", f"{host!s}:{port}", "--timeout", "2", *options)


def test_the_case_that_ends_a_broker_is_a_crash_with_its_bytes(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    with Serving(stocked_mortal()) as server:
        ended = judged(server, *RULES, "--results", str(results))
    lines = list(read_lines(results))
    verdicts = [each for each in lines if isinstance(each, Verdict)]
    crashes = [each for each in verdicts if each.verdict == "crash"]
    assert ended.code == 1, ended.out
    assert [each.case for each in crashes] == ["ApiVersionsRequest/size-below-zero"]
    assert crashes[0].input.startswith("ffffffff")
    left = [each for each in verdicts if each.detail.startswith(NOT_ASKED)]
    assert len(left) == len(verdicts) - 1
    assert isinstance(lines[-1], Summary)
    assert [each.ends for each in lines if isinstance(each, Finding)] == ["crash"]


def test_the_end_of_a_run_says_what_is_left_and_since_when() -> None:
    with Serving(stocked_mortal()) as server:
        said = " ".join(judged(server, *RULES).out.split())
    assert "can end its process" in said
    assert (
        "3 of 4 cases were not asked: the broker refuses connections since "
        "ApiVersionsRequest/size-below-zero; start it again, or leave that out: --exclude "
        "ApiVersionsRequest/size-below-zero"
    ) in said
    assert "1 of 2 rules decided" in said


def test_what_any_client_may_send_is_charged_as_well(tmp_path: Path) -> None:
    """The connection is cut off, and so is every other behind it."""
    results = tmp_path / "results.ndjson"
    broker = Fragile()
    stocked(broker)
    with Serving(broker) as server:
        ended = judged(server, "--rule", "framing.split-anywhere", "--results", str(results))
    assert ended.code == 1, ended.out
    verdicts = [each for each in read_lines(results) if isinstance(each, Verdict)]
    assert [each.case for each in verdicts if each.verdict == "crash"] == [
        "ApiVersionsRequest/cut-once-at-every-byte"
    ]


def test_findings_of_such_a_run_are_not_said_to_be_cut_short() -> None:
    with Serving(stocked_mortal()) as server:
        judged(server, *RULES)
    assert run("findings", "last").code == 0


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
