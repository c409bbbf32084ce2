"""A verdict shows one frame, with the request that it came to; versions are judged apart."""

from __future__ import annotations

import pytest

from conformance.brokers.dialogues.talk import ANY_SERVED, SERVED
from conformance.brokers.exchange import Exchange
from conformance.brokers.judge import verdict_on_exchange
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import verdicts_of
from conformance.dialogue import Broken, Received
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import stored_versions
from conformance.results.lines import Verdict
from conformance.results.text import failure_text
from conformance.rules import catalogue

BODY_VERSION = "response-header.body-has-request-version"
NONE = "metadata.empty-asks-for-none"
THIRD = 3


class _Third(Session):
    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        written = THIRD if name == "Metadata" and version < THIRD else version
        return super().write(name, written, correlation_id, body)


class OldMetadataInThird(Broker):
    """Answers Metadata below version 3 in that version, and lists all topics unless asked."""

    sessions = _Third

    def metadata(self, request: Request) -> Value:
        asked = request.value["topics"]
        if asked == []:
            request.value["topics"] = None
        return super().metadata(request)


def verdicts(*rules: str) -> list[Verdict]:
    broker = OldMetadataInThird({**stored_versions(), 3: (0, 4)})
    return verdicts_of(stocked(broker), *rules)


def test_a_version_whose_plain_request_fails_is_charged_with_that_alone() -> None:
    found = verdicts("request-header.v1-fields", SERVED, ANY_SERVED)
    failed = {(v.rule, v.version) for v in found if v.verdict == "fail"}
    assert failed == {(SERVED, version) for version in range(THIRD)}
    [*first] = (v for v in found if v.case.startswith("MetadataRequest-v0/client-ids"))
    assert [(v.verdict, v.rule) for v in first] == [("not-proven", "request-header.v1-fields")]
    assert first[0].detail.startswith(f"{SERVED} is broken first")


def test_a_version_that_is_served_is_judged_where_others_are_not() -> None:
    found = verdicts(NONE, BODY_VERSION)
    failed = {(v.rule, v.version) for v in found if v.verdict == "fail"}
    assert failed == {(BODY_VERSION, 1), (BODY_VERSION, 2), (NONE, 3), (NONE, 4)}


def test_versions_are_mixed_of_those_that_are_answered_alone() -> None:
    found = [v for v in verdicts(BODY_VERSION) if "/versions-mixed" in v.case]
    assert [v.verdict for v in found] == ["pass"]


def test_what_came_is_said_of_the_frame_that_is_shown() -> None:
    mutant = broker_mutants()["NegativeSizeSkipped"]
    found = verdicts_of(stocked(mutant()), mutant.breaks)
    answered = [v for v in found if v.verdict == "fail" and v.actual]
    assert answered
    assert {v.outcome for v in answered} == {"reply"}
    assert not any("no answer came" in failure_text(v) for v in answered)


@pytest.mark.parametrize("later", [b"", b"another"])
def test_the_answer_shown_is_the_frame_that_broke_the_rule(later: bytes) -> None:
    asked = next(v for v in verdicts(SERVED) if v.verdict == "fail")
    sent = bytearray(b"firstsecond")
    found = Exchange(sent, b"second", later, last=Received("silent"))
    found.heard[b"a frame"] = b"first"
    found.broken = Broken("why", "due", b"a frame")
    case = _Case(asked.case, asked.message, asked.version)
    verdict = verdict_on_exchange(case, catalogue()[SERVED], "kafka", found, [], "")
    assert verdict.step == [b"first".hex(), verdict.actual]
    assert verdict.outcome == "reply"


class _Case:
    def __init__(self, id: str, message: str, version: int) -> None:
        self.id, self.message, self.version = id, message, version
