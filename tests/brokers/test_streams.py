"""What ends a broker is told once, by the bytes that did it, and not by who stood beside it."""

from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of
from conformance.brokers.dialogues.controls import Controls
from conformance.brokers.dialogues.frames.connections import STREAMS
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.mutants import stocked
from conformance.brokers.score import SessionEndpoint, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from tests.brokers.test_dying import DiesOfNegativeSizes, Host, Mortal

UNHARMED, HUGE = "framing.others-unharmed", "framing.huge-size-closes"
BESIDE = "ApiVersionsRequest/an-old-connection-beside-"


class DiesOfHugeSizes(DiesOfNegativeSizes):
    """Takes the whole broker with it where a size is as large as it can be."""

    def is_frame_size(self, size: int) -> bool:
        if size == 2**31 - 1:
            assert isinstance(self.broker, Mortal)
            self.broker.running, self.closed = False, True
        return Session.is_frame_size(self, size)


class Allocating(Mortal):
    """Takes as much memory as a frame announces."""

    sessions = DiesOfHugeSizes


def held(host: SessionEndpoint, broker: Broker) -> list[Verdict]:
    rules = {name: catalogue()[name] for name in (UNHARMED, HUGE)}
    facts = Facts(broker.versions)
    control = host if isinstance(host, Host) else None
    asked = asked_of(facts, rules)
    return list(converse(asked, host, rules, "spec", control, Controls(facts)))


def test_one_allocation_is_one_finding():
    broker = Allocating()
    stocked(broker)
    found = held(Host(broker), broker)
    assert {each.rule for each in found if each.verdict == "crash"} == {HUGE}
    [unproven] = (each for each in found if each.rule == UNHARMED and each.verdict != "pass")
    assert unproven.case == f"{BESIDE}a-size-of-two-gigabytes"
    assert unproven.detail.startswith(f"{HUGE} is broken first")


class ListensToHttp(Broker):
    """Answers nobody any more once somebody asked for a page."""

    spoken_to = False

    class Sessions(Session):
        """A connection that knows the first word of HTTP."""

        def answers(self, data):
            assert isinstance(self.broker, ListensToHttp)
            self.broker.spoken_to |= data.startswith(b"GET")
            return super().answers(b"" if self.broker.spoken_to else data)

    sessions = Sessions


def test_the_stream_that_did_harm_is_named_with_its_bytes():
    [stream] = (each for each in STREAMS if "http" in each.what)
    verdicts = verdicts_of(stocked(ListensToHttp()), UNHARMED)
    failed = next(
        each for each in verdicts if each.case.startswith(BESIDE) and each.verdict == "fail"
    )
    assert failed.case == f"{BESIDE}a-request-of-http"
    assert failed.detail.startswith(f"beside a request of http, {stream.sent.hex()}: no answer")
    assert stream.sent.hex() in failed.input


def test_each_stream_is_a_dialogue_of_its_own():
    verdicts = verdicts_of(stocked(Broker()), UNHARMED)
    names = {each.case.removeprefix(BESIDE) for each in verdicts if each.case.startswith(BESIDE)}
    assert names == {each.what.replace(" ", "-") for each in STREAMS}
    assert {each.verdict for each in verdicts} == {"pass"}
    known = {each.judged_by for each in STREAMS if each.judged_by}
    assert known <= set(catalogue())
