"""What failed first is asked once more, and so is a sample of what passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

import pytest

from conformance.codecs.cases.case import Case, Family
from conformance.codecs.run import run
from conformance.results.lines import Verdict
from conformance.testee_protocol import Hello, Outcome, Request
from tests.codecs.judge.making import VALUE, case, changed, reads, rejected, rule, value

RIGHT = value(VALUE, remaining=0)
WRONG = value(changed(count=8), remaining=0)
RULES = {"group.rule": rule(), "group.other": rule("group.other")}
Answer = Callable[[str, int], Outcome]


class Asked:
    """A target that answers by the name of a case and how often it was asked about it."""

    hello = Hello(name="asked", version="1", ops=frozenset({"decode"}), messages={})

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.notes: list[str] = []
        self.asked: list[str] = []

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        for request in requests:
            name = request.message
            self.asked.append(name)
            yield self.answer(name, self.asked.count(name))

    def close(self) -> None:
        pass


def family(name: str, *rules: str) -> Family:
    made = case(reads(), rules=rules or ("group.rule",), name=name)
    request = Request(op="decode", message=name, bytes=b"\1\2")
    return Family(name, (Case(made.id, request, made.expects, made.rules),))


def sampled(wanted: bool) -> str:
    """A name that the engine takes as a sample, or one that it does not."""
    names = (f"V{number}" for number in range(10_000))
    return next(name for name in names if (crc32(name.encode()) % 128 == 0) is wanted)


def plain(count: int) -> list[str]:
    names = (f"P{number}" for number in range(10_000))
    found = [name for name in names if crc32(name.encode()) % 128]
    return found[:count]


def verdicts(target: Asked, families: list[Family]) -> dict[str, Verdict]:
    return {each.case.partition("/")[0]: each for each in run(families, target, RULES)}


def test_the_first_failure_of_each_rule_is_asked_again_when_all_else_is_done() -> None:
    a, b, c, d = plain(4)
    target = Asked(lambda _name, _times: WRONG)
    found = verdicts(target, [family(a), family(b), family(c, "group.other"), family(d)])
    assert target.asked == [a, b, c, d, a, c]
    assert {each.verdict for each in found.values()} == {"fail"}
    assert not any("flaky" in each.detail for each in found.values())


def test_a_failure_that_does_not_come_back_is_flaky() -> None:
    [name] = plain(1)
    target = Asked(lambda _name, times: rejected() if times == 1 else RIGHT)
    [verdict] = verdicts(target, [family(name)]).values()
    assert verdict.verdict == "fail"
    assert verdict.detail.startswith("flaky: answered rejected ShortRead, then '{")


def test_a_sample_of_what_passed_is_asked_again() -> None:
    yes, no = sampled(True), sampled(False)
    target = Asked(lambda _name, times: RIGHT if times == 1 else WRONG)
    found = verdicts(target, [family(yes), family(no)])
    assert target.asked == [yes, no, yes]
    assert found[yes].detail.startswith("flaky: ")
    assert found[no].verdict == "pass"


@pytest.mark.parametrize("kind", ["crashed", "hung", "error"])
def test_what_was_no_answer_is_not_asked_again(kind: str) -> None:
    [name] = plain(1)
    target = Asked(lambda _name, _times: Outcome(outcome=kind, text="gone"))  # type: ignore[arg-type]
    verdicts(target, [family(name)])
    assert target.asked == [name]


def test_another_text_or_cost_is_not_flaky() -> None:
    [name] = plain(1)
    target = Asked(
        lambda _name, times: Outcome(
            outcome="rejected", error="E", text=f"at {times}", allocated=times
        )
    )
    [verdict] = verdicts(target, [family(name)]).values()
    assert "flaky" not in verdict.detail
