"""What an application is given of a log, as a driver tells it."""

import pytest

from conformance.clients.program import VisitEnded
from conformance.clients.scenarios.records.delivery import (
    Held,
    end,
    gives,
    gives_if_any,
    gives_times,
    held,
)
from conformance.clients.scenarios.visit import Visit
from conformance.clients.visits import play
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.client import Client
from conformance.rules import catalogue

LOG = [*held(0, 1), Held(2, 5, None, ""), end(3)]
TOLD = "0/1700000000000/k0/v0 1/1700000001000/k1/v1 2/5/null/ 3/1700000000000/end/e"


def visit(*, told=TOLD, outcome="ok"):
    return Visit(ended=VisitEnded(outcome, told))


def test_what_the_log_holds_is_right():
    gives(LOG)(visit())
    gives_times(LOG)(visit())


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (TOLD.replace("1/1700000001000/k1/v1 ", ""), "it gives 2/null/, and the log holds 1/k1/v1"),
        (TOLD.replace("1/17", "0/1700000000000/k0/v0 1/17", 1), "it gives 0/k0/v0 twice"),
        (TOLD.replace("null", ""), "it gives 2//, and the log holds 2/null/"),
        (TOLD.replace("3/", "4/"), "it gives 4/end/e, and the log holds 3/end/e"),
        (f"{TOLD} 4/5/k/v", "it gives 4/k/v, and the log holds nothing more"),
        (TOLD[: TOLD.index(" 3/")], "it gives nothing more, and the log holds 3/end/e"),
    ],
)
def test_what_is_wrong_is_said(told, what):
    with pytest.raises(Broken, match=f"^{what}$"):
        gives(LOG)(visit(told=told))


def test_a_wrong_time_is_no_wrong_record():
    told = TOLD.replace("1700000001000", "none")
    gives(LOG)(visit(told=told))
    with pytest.raises(Broken, match="with the time none, and that is 1700000001000"):
        gives_times(LOG)(visit(told=told))


def test_a_time_that_a_record_has_not_may_be_anything():
    gives_times([Held(0, None, "k", "v")])(visit(told="0/none/k/v"))


@pytest.mark.parametrize("told", ["", "0/?/k0/v0 1/?/k1/v1 2/?/null/ 3/?/end/e"])
def test_times_that_are_not_told_are_not_judged(told):
    with pytest.raises(NotApplicable):
        gives_times(LOG)(visit(told=told))


@pytest.mark.parametrize("told", ["", "well 4 records"])
def test_who_tells_nothing_is_not_judged(told):
    with pytest.raises(NotApplicable):
        gives(LOG)(visit(told=told))


def test_an_error_is_no_record():
    with pytest.raises(Broken, match="the client failed"):
        gives(LOG)(visit(told="Late", outcome="error"))
    gives_if_any(LOG)(visit(told="Late", outcome="error"))
    with pytest.raises(Broken, match="did not come to an end"):
        gives_if_any(LOG)(visit(told="", outcome="hung"))


def test_a_driver_that_tells_nothing_neither_passes_nor_fails():
    from conformance.clients.scenarios import scenarios
    from conformance.clients.score import meet

    class Silent(Client):
        def tell_records(self):
            pass

    rule = "client-records.given-as-held"
    chosen = [each for each in scenarios().values() if rule in each.decides]
    verdicts = play(
        chosen, lambda each: meet(Silent(), each), {rule: catalogue()[rule]}, "kafka", 1
    )
    assert {each.verdict for each in verdicts} == {"unsupported"}
