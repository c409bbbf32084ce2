"""A broker that a dialogue ends: named with what ended it, started again, and the run goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.brokers.connection.endpoint import Unreachable
from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.mutants import stocked
from conformance.brokers.score import SessionEndpoint, SessionLine
from conformance.dialogue import Who
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session
from conformance.results.lines import ONCE, Verdict
from conformance.rules import catalogue
from conformance.schema.releases import definitions

PIECES = ("framing.split-anywhere", "framing.correlation-id-echoed")
RULES = ("framing.negative-size-closes", "framing.zero-size-closes")


class DiesOfNegativeSizes(Session):
    """Takes the whole broker with it where a size is negative."""

    def is_frame_size(self, size: int) -> bool:
        if size < 0:
            assert isinstance(self.broker, Mortal)
            self.broker.running = False
        return super().is_frame_size(size)


class Mortal(Broker):
    """`cuts` connections are taken while it ends, and cut off."""

    sessions = DiesOfNegativeSizes
    running = True
    cuts = 0


class Host(SessionEndpoint):
    """Where it runs, and the hand that started it."""

    def __init__(self, broker: Mortal, cuts: int = 0) -> None:
        super().__init__(broker)
        self.broker = broker
        self.cuts = self.left = cuts
        self.starts = 0

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        line = super().connect(who, node)
        if not self.broker.running:
            if not self.left:
                raise Unreachable("127.0.0.1:9: Connection refused")
            self.left -= 1
            line.finish()
        return line

    def alive(self) -> bool:
        return self.broker.running

    def restart(self) -> None:
        self.broker.running, self.left = True, self.cuts
        self.starts += 1

    def stop(self, node: int) -> None:
        raise NotImplementedError

    def start(self, node: int) -> None:
        raise NotImplementedError


def verdicts(host: Host, *, restarts: bool) -> Iterator[Verdict]:
    rules = {name: catalogue()[name] for name in RULES}
    asked = asked_of(Facts(host.broker.versions), rules)
    return converse(asked, host, rules, "spec", host if restarts else None)


@pytest.mark.parametrize("cuts", [0, 2])
def test_one_that_died_is_started_again_and_the_run_goes_on(cuts: int) -> None:
    """Also where it takes connections for a moment more."""
    host = Host(stocked_mortal(), cuts)
    found = list(verdicts(host, restarts=True))
    crashed = {each.rule for each in found if each.verdict == "crash"}
    assert crashed == {"framing.negative-size-closes"}
    assert host.starts == sum(each.verdict == "crash" for each in found)
    assert {each.verdict for each in found if each.rule not in crashed} == {"pass"}
    assert "Connection refused" in found[0].detail


class DiesOfSingleBytes(DiesOfNegativeSizes):
    """Takes the whole broker with it at the first frame that comes in single bytes."""

    def answers(self, data: bytes) -> Iterator[bytes]:
        assert isinstance(self.broker, Mortal)
        if len(data) == 1:
            self.broker.running, self.closed = False, True
        return super().answers(data)


class Fragile(Mortal):
    """Ends at a frame in single bytes."""

    sessions = DiesOfSingleBytes


def test_one_that_dies_of_what_any_client_may_send_is_named_with_that_alone() -> None:
    """The next dialogue is held with a broker that lives."""
    broker = Fragile()
    stocked(broker)
    host = Host(broker)
    asked = asked_of(Facts(broker.versions), {name: catalogue()[name] for name in PIECES})
    rules = {name: catalogue()[name] for name in PIECES}
    found = {each.case: each.verdict for each in converse(asked, host, rules, "spec", host)}
    assert found["ApiVersionsRequest/one-byte-at-a-time"] == "crash"
    assert found["ApiVersionsRequest/correlation-ids-of-any-sign"] == "pass"
    assert host.starts


class StallsOnce(SessionEndpoint):
    """Is silent on some connections that come next, as a machine that has no time."""

    def __init__(self, broker: Broker, quiet: int) -> None:
        super().__init__(broker)
        self.quiet = quiet

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        line = super().connect(who, node)
        if self.quiet:
            self.quiet -= 1
            line.send = lambda *_, **__: None  # type: ignore[method-assign]
        return line


def verdict_of_stalled(quiet: int) -> Verdict:
    """The verdict of a dialogue whose first connections are silent."""
    rule = "framing.correlation-id-echoed"
    [item, *_] = asked_of(Facts(Broker().versions), {rule: catalogue()[rule]})
    endpoint = StallsOnce(stocked_mortal(), quiet)
    [found] = converse([item], endpoint, {rule: catalogue()[rule]}, "spec")
    return found


def test_what_fails_once_and_passes_alone_is_a_note_that_says_so() -> None:
    found = verdict_of_stalled(1)
    assert found.verdict == "note"
    assert found.detail.startswith(f"{ONCE}no answer to ApiVersions v0: nothing came")


def test_what_fails_again_alone_is_a_failure() -> None:
    assert verdict_of_stalled(100).verdict == "fail"


class ForgetsOnce(SessionEndpoint):
    """Leaves the connection open after the first frame of a negative size, and then closes."""

    def __init__(self, broker: Broker, times: int) -> None:
        super().__init__(broker)
        self.times = times

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        line = super().connect(who, node)
        send = line.send

        def forgetful(data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
            if data[0] & 0x80 and self.times:
                self.times -= 1
                return
            send(data, pieces, gap_s)

        line.send = forgetful  # type: ignore[method-assign]
        return line


@pytest.mark.parametrize(("times", "verdict"), [(0, "pass"), (1, "note"), (2, "fail")])
def test_what_no_client_would_send_is_asked_again_as_well(times: int, verdict: str) -> None:
    rule = "framing.negative-size-closes"
    [item, *_] = asked_of(Facts(Broker().versions), {rule: catalogue()[rule]})
    endpoint = ForgetsOnce(stocked_mortal(), times)
    [found] = converse([item], endpoint, {rule: catalogue()[rule]}, "spec")
    assert found.verdict == verdict


def test_one_that_nobody_can_start_again_ends_the_run_behind_its_crash() -> None:
    host = Host(stocked_mortal())
    found = verdicts(host, restarts=False)
    assert next(found).verdict == "crash"
    with pytest.raises(Unreachable):
        next(found)


def stocked_mortal() -> Mortal:
    broker = Mortal()
    stocked(broker)
    return broker


class DiesOfCounts(DiesOfNegativeSizes):
    """Takes the whole broker with it at a DeleteTopics that announces 2^31 topics."""

    def respond(self, frame: bytes) -> bytes | None:
        counts = (b"\x7f\xff\xff\xff", b"\x80\x80\x80\x80\x08")
        assert isinstance(self.broker, Mortal)
        if frame[:2] == b"\0\x14" and any(each in frame for each in counts):
            self.broker.running, self.closed = False, True
            return None
        return super().respond(frame)


class Allocates(Mortal):
    """Ends at a count beyond its memory."""

    sessions = DiesOfCounts


class EndsSlowly(Host):
    """A broker that serves `served` connections more while it ends."""

    def __init__(self, broker: Mortal, served: int) -> None:
        super().__init__(broker)
        self.served = self.more = served

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        if not self.broker.running and self.more:
            self.more -= 1
            return SessionLine(self.broker, who)
        return super().connect(who, node)

    def restart(self) -> None:
        super().restart()
        self.more = self.served


@pytest.mark.parametrize("served", [0, 4])
def test_the_request_that_ends_a_broker_is_named_also_where_it_ends_slowly(served: int) -> None:
    broker = Allocates()
    stocked(broker)
    host = EndsSlowly(broker, served)
    rule = "primitives.length-beyond-input-refused"
    rules = {rule: catalogue()[rule]}
    asked = [
        each
        for each in asked_of(Facts(broker.versions), rules)
        if each.id.endswith("/counts-of-two-billion")
    ]
    found = list(converse(asked, host, rules, "spec", host))
    crashed = {each.case for each in found if each.verdict == "crash"}
    assert crashed == {"DeleteTopicsRequest/counts-of-two-billion"}
    assert host.starts


def test_every_array_of_every_request_is_asked_with_a_count_beyond_all_memory() -> None:
    rule = "primitives.length-beyond-input-refused"
    every = dict.fromkeys(definitions().requests, (0, 2**15 - 1))
    asked = asked_of(Facts(every), {rule: catalogue()[rule]})
    apis = {each.message for each in asked if each.id.endswith("/counts-of-two-billion")}
    lacking = {"ApiVersionsRequest", "FindCoordinatorRequest", "FetchRequest", "ProduceRequest"}
    assert apis & lacking == lacking - {"ApiVersionsRequest"}
