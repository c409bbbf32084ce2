"""A broker that has to hang up may explain itself: what is judged is whether it hangs up."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from conformance.brokers.mutants import stocked
from conformance.brokers.score import verdicts_of
from conformance.error_codes import INVALID_REQUEST, UNSUPPORTED_VERSION
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session

ERROR = struct.pack(">iih", 6, 0, INVALID_REQUEST)
ENDS = (
    "framing.negative-size-closes",
    "framing.huge-size-closes",
    "framing.zero-size-closes",
    "request-header.unknown-key-closes",
    "request-header.disabled-key-closes",
    "request-header.negative-version-survived",
)
UNANSWERED = (
    "framing.short-body-closes",
    "request-header.short-header-closes",
    "request-header.unsupported-version-closes",
)
MALFORMED = ("compact.length-above-int32", "primitives.short-input-refused")


class Explains(Broker):
    """Answers what it hangs up on with an error, of correlation id 0, and then hangs up."""

    stays = False

    class Sessions(Session):
        """A connection that explains itself."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            was_closed = self.closed
            yield from super().answers(data)
            if self.closed and not was_closed:
                assert isinstance(self.broker, Explains)
                self.closed = not self.broker.stays
                yield ERROR

    sessions = Sessions


class Stays(Explains):
    """Answers so, and reads on."""

    stays = True


def explaining(broker: Explains) -> Explains:
    stocked(broker)
    return broker


@pytest.mark.parametrize("rule", ENDS)
def test_an_answer_before_the_end_of_a_connection_breaks_no_rule_that_it_has_to_end(rule: str):
    found = verdicts_of(explaining(Explains()), rule)
    assert {each.verdict for each in found} == {"pass"}, found


def test_such_an_answer_is_told():
    found = verdicts_of(explaining(Explains()), ENDS[1])
    assert found[0].detail == (
        "a size of 2^31-1 was announced, and a frame of 6 bytes came before the connection was "
        "closed"
    )


@pytest.mark.parametrize("rule", ENDS)
def test_an_answer_after_which_the_connection_stays_breaks_them(rule: str):
    found = verdicts_of(explaining(Stays()), rule)
    assert "pass" not in {each.verdict for each in found}


def test_it_is_then_said_that_the_connection_stays():
    found = verdicts_of(explaining(Stays()), ENDS[1])
    assert found[0].detail.endswith("and the connection stays: a frame of 6 bytes came")


@pytest.mark.parametrize("rule", UNANSWERED)
def test_where_no_answer_may_come_it_is_not_said_that_the_connection_stays(rule: str):
    found = verdicts_of(explaining(Explains()), rule)
    assert "pass" not in {each.verdict for each in found}
    said = "and is answered before the connection is closed: a frame of 6 bytes came"
    assert [each.detail for each in found if not each.detail.endswith(said)] == []


@pytest.mark.parametrize("rule", MALFORMED)
def test_a_malformed_request_may_be_answered_in_no_form_of_its_answer_before_the_end(rule: str):
    found = verdicts_of(explaining(Explains()), rule)
    assert {each.verdict for each in found} == {"pass"}, found


class RefusesVersions(Broker):
    """Answers a version that it lacks with UNSUPPORTED_VERSION, and reads on."""

    tags = b""

    class Sessions(Session):
        """A connection that stays."""

        def answer_unsupported_version(self, api_key: int, version: int, frame: bytes) -> bytes:
            assert isinstance(self.broker, RefusesVersions)
            return frame[4:8] + self.broker.tags + struct.pack(">h", UNSUPPORTED_VERSION)

    sessions = Sessions


@pytest.mark.parametrize("tags", [b"", bytes(1)], ids=["header 0", "header 1"])
def test_a_negative_version_that_is_refused_does_no_harm(tags: bytes):
    broker = RefusesVersions()
    broker.tags = tags
    stocked(broker)
    [found] = verdicts_of(broker, "request-header.negative-version-survived")
    assert found.verdict == "pass", found
