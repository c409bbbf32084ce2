"""A visit is shown around the exchange that broke the rule, however many came before it."""

from __future__ import annotations

import pytest

from conformance.clients.scenarios.visit import PlayedAnswer, Sent, Visit
from conformance.clients.timeline import MOST_SHOWN, timeline
from conformance.dialogue import Broken
from conformance.results.visits import MARK


def visit_of(number: int) -> Visit:
    """So many requests, each of which is answered."""
    sent = [
        Sent(float(at), 0, 1, bytes([0, 3, 0, 1, 0, at // 256, at % 256, 0]), "Metadata", 1, {}, {})
        for at in range(number)
    ]
    answered = [PlayedAnswer(each.at_s + 0.5, 0, 100, each) for each in sent]
    return Visit(sent=sent, answered=answered)


@pytest.mark.parametrize("wrong", [0, 3, 150, 299])
def test_the_request_that_broke_the_rule_is_shown_and_marked(wrong: int) -> None:
    visit = visit_of(300)
    lines = timeline(visit, Broken("it is wrong", "", visit.sent[wrong].frame))
    at = lines.index(MARK)
    assert lines[at - 1].endswith(f"> Metadata v1 {visit.sent[wrong].frame.hex()}")
    assert lines[0].startswith("0.000 s")


@pytest.mark.parametrize("wrong", [0, 3, 150, 299])
def test_every_request_is_shown_or_counted(wrong: int) -> None:
    visit = visit_of(300)
    lines = timeline(visit, Broken("it is wrong", "", visit.sent[wrong].frame))
    counts = [int(each.split()[1]) for each in lines if each.startswith("and ")]
    assert sum(counts) + sum("> Metadata" in each for each in lines) == 300
    assert len(lines) <= MOST_SHOWN + 3


def test_where_no_request_broke_it_the_end_is_shown() -> None:
    lines = timeline(visit_of(300), Broken("the client failed", "ok", "error"))
    assert lines[-1].startswith("299.500 s")
    assert MARK not in lines


def test_a_short_visit_is_shown_whole() -> None:
    visit = visit_of(3)
    lines = timeline(visit, Broken("it is wrong", "", visit.sent[1].frame))
    assert len(lines) == 7
    assert lines[3] == MARK
