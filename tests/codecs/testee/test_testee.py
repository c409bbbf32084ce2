"""Whatever a testee does costs it an outcome, and never the run."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.codecs.testee.answers import request_line
from conformance.codecs.testee.testee import Testee
from conformance.targets.errors import (
    BadHello,
    CommandNotFound,
    TargetLost,
    TargetNotStarted,
)
from conformance.targets.process import STDERR_TAIL_BYTES
from conformance.testee_protocol import Outcome, Request
from tests.codecs.testee.conftest import BAD, good, marked_processes, wrong_command

Start = Callable[..., Testee]


def kinds(outcomes: list[Outcome]) -> list[str]:
    return [outcome.outcome for outcome in outcomes]


def test_answers_come_in_the_order_of_the_requests(wrong: Start) -> None:
    requests = [good(bytes([number])) for number in range(100)]
    outcomes = list(wrong("dies_on_bad", "abort").ask(requests))
    assert [outcome.bytes for outcome in outcomes] == [request.bytes for request in requests]


def test_what_is_done_while_it_waits_changes_no_answer(wrong: Start) -> None:
    testee, work = wrong("dies_on_bad", "abort"), list(range(20))
    testee.meanwhile = lambda: bool(work) and bool(work.pop() + 1)
    assert kinds(list(testee.ask([good(), BAD, good()]))) == ["value", "crashed", "value"]
    assert not work


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("not-json", "not JSON"),
        ("not-utf-8", "not JSON"),
        ("too-deep", "[[["),
        ("empty-line", "not JSON"),
        ("not-an-object", "Expected `object`, got `array`"),
        ("no-id", "no `id`"),
        ("wrong-id", "in the order of the requests"),
        ("id-as-text", "Expected `int`, got `str` - at `$.id`"),
        ("nothing", "needs `bytes`, `rejected`, `crashed` or `unsupported`"),
        ("both", "one of rejected, bytes, not all of them"),
        ("odd-hex", "not hex"),
        ("upper-case-hex", "not lower-case hex"),
        ("value-for-bytes", "needs `bytes`"),
        ("adapter-error", "encode returned str, not bytes"),
    ],
)
def test_what_is_no_answer_is_an_error_of_the_oldest_request_alone(
    wrong: Start, how: str, text: str
) -> None:
    outcomes = list(wrong("rubbish", how).ask([good(), BAD, good(), good()]))
    assert kinds(outcomes) == ["value", "error", "value", "value"]
    assert text in outcomes[1].text


def test_answers_out_of_order_are_an_error(wrong: Start) -> None:
    outcomes = list(itertools.islice(wrong("out_of_order").ask([good(), good()]), 1))
    assert kinds(outcomes) == ["error"]
    assert "id 3 where 2 is due" in outcomes[0].text or "id 2 where 1 is due" in outcomes[0].text


def test_five_violations_in_a_row_lose_the_target(wrong: Start) -> None:
    outcomes = wrong("rubbish", "not-json").ask([good(), *[BAD] * 9])
    assert kinds(list(itertools.islice(outcomes, 5))) == ["value", *["error"] * 4]
    with pytest.raises(TargetLost, match="5 answers in a row") as raised:
        next(outcomes)
    assert raised.value.exit_code == 3


def test_violations_that_are_not_in_a_row_lose_nothing(wrong: Start) -> None:
    outcomes = list(wrong("rubbish", "not-json").ask([BAD, good()] * 8))
    assert kinds(outcomes) == ["error", "value"] * 8


def test_a_process_that_dies_by_itself_costs_no_request(wrong: Start) -> None:
    requests = [good(bytes([number])) for number in range(7)]
    outcomes = list(wrong("dies_on_third").ask(requests))
    assert [outcome.bytes for outcome in outcomes] == [request.bytes for request in requests]


@pytest.mark.parametrize(
    ("how", "text", "error"),
    [
        ("abort", "killed by SIGABRT; its stderr ends with:\nassertion failed", "SIGABRT"),
        ("segfault", "killed by SIGSEGV", "SIGSEGV"),
        ("exit", "exited with status 4", "exit-4"),
    ],
)
def test_a_request_that_kills_twice_is_crashed(
    wrong: Start, how: str, text: str, error: str
) -> None:
    outcomes = list(wrong("dies_on_bad", how).ask([good(), BAD, good(), BAD, good()]))
    assert kinds(outcomes) == ["value", "crashed", "value", "crashed", "value"]
    assert outcomes[1].text.startswith(text)
    assert outcomes[1].error == error


def test_a_closed_stdout_is_a_crash_even_of_a_process_that_stays(
    wrong: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.targets.process._LAST_WORDS_S", 0.1)
    outcomes = list(wrong("dies_on_bad", "close").ask([BAD, good()]))
    assert kinds(outcomes) == ["crashed", "value"]
    assert outcomes[0].text == "closed its stdout and did not end"


def test_a_hunt_goes_on_through_one_crash_after_another(wrong: Start) -> None:
    outcomes = list(wrong("dies_on_bad", "exit").ask([good(), *[BAD] * 12, good()]))
    assert kinds(outcomes) == ["value", *["crashed"] * 12, "value"]


def test_a_target_that_never_answered_is_lost_after_five_deaths(wrong: Start) -> None:
    testee = wrong("dies_on_bad", "exit")
    with pytest.raises(TargetLost, match=r"5 requests in a row .* none was ever answered"):
        list(testee.ask([BAD] * 12))


def test_a_target_that_can_nothing_any_more_is_lost(wrong: Start, tmp_path: Path) -> None:
    testee = wrong("dies_for_good", tmp_path / "broken", "at-requests")
    with pytest.raises(TargetLost, match="once answered has no answer any more"):
        list(testee.ask([good(), BAD, *[good()] * 12]))


def test_a_target_that_does_not_start_again_is_lost(wrong: Start, tmp_path: Path) -> None:
    testee = wrong("dies_for_good", tmp_path / "broken", "at-hello")
    with pytest.raises(TargetLost, match=r"can not be started again.*status 9"):
        list(testee.ask([good(), BAD, good()]))


def test_a_request_without_an_answer_is_hung(wrong: Start) -> None:
    outcomes = list(wrong("hangs", timeout_s=0.4).ask([good(), BAD, good()]))
    assert kinds(outcomes) == ["value", "hung", "value"]
    assert outcomes[1].text == "no answer within 1.2 s, asked alone"


def test_the_time_that_a_caller_takes_does_not_count(wrong: Start) -> None:
    outcomes = []
    for outcome in wrong("dies_on_bad", "exit", timeout_s=0.3).ask([good()] * 3):
        outcomes.append(outcome)
        time.sleep(0.4)
    assert kinds(outcomes) == ["value"] * 3


@pytest.mark.parametrize("name", ["huge_line", "floods"])
def test_a_line_without_end_is_an_error(wrong: Start, name: str) -> None:
    outcomes = list(wrong(name).ask([good(), BAD, good()]))
    assert kinds(outcomes) == ["value", "error", "value"]
    assert outcomes[1].text == "more than 16777216 bytes without a newline"


def test_stderr_is_drained_and_its_end_kept(wrong: Start) -> None:
    testee = wrong("floods_stderr")
    assert kinds(list(testee.ask([good()] * 3))) == ["value"] * 3
    process, _ = testee.start()
    process.send(request_line(good(), 1))
    process.receive(5)
    tail = process.stderr_tail(lines=10**6)
    process.kill()
    assert tail.endswith("line 49999")
    assert len(tail) <= STDERR_TAIL_BYTES


def test_both_sides_may_write_much_at_once(wrong: Start) -> None:
    requests = [good(bytes(500_000)) for _ in range(30)]
    outcomes = list(wrong("dies_on_bad", "exit").ask(requests))
    assert [outcome.bytes for outcome in outcomes] == [request.bytes for request in requests]


def test_memory_beyond_the_limit_is_a_crash(wrong: Start) -> None:
    outcomes = list(wrong("eats_memory", memory_mib=128).ask([good(), BAD, good()]))
    assert kinds(outcomes) == ["value", "crashed", "value"]
    assert "MemoryError" in outcomes[1].text


def test_memory_within_the_limit_is_not(wrong: Start) -> None:
    assert kinds(list(wrong("eats_memory", memory_mib=1024).ask([BAD]))) == ["value"]
    assert kinds(list(wrong("eats_memory", memory_mib=None).ask([BAD]))) == ["value"]


def test_a_death_is_seen_although_a_child_holds_the_pipes(wrong: Start) -> None:
    before = time.monotonic()
    outcomes = list(wrong("leaves_a_child", timeout_s=20).ask([good(), BAD, good()]))
    assert kinds(outcomes) == ["value", "crashed", "value"]
    assert time.monotonic() - before < 10


def test_one_that_ignores_every_request_to_end_is_killed(wrong: Start) -> None:
    testee = wrong("stays")
    assert kinds(list(testee.ask([good()]))) == ["value"]
    testee.close()  # the fixture sees that it is gone


def test_requests_are_taken_only_as_the_window_allows(wrong: Start) -> None:
    taken = 0

    def endless() -> Iterator[Request]:
        nonlocal taken
        while True:
            taken += 1
            yield good()

    answered = 0
    for answered, _ in enumerate(itertools.islice(wrong("stays").ask(endless()), 20), 1):
        assert taken <= answered + 7  # a window of 8 with this one answered
    assert answered == 20


def test_values_are_prepared_for_a_target_that_wants_strings(wrong: Start) -> None:
    def prepare(message: str, version: int, value: dict[str, int]) -> dict[str, str]:
        return {f"{message} {version} {key}": str(number) for key, number in value.items()}

    testee = wrong("wants_strings", prepare_value=prepare)
    request = Request(op="encode", message="GoodRequest", version=2, value={"offset": 2**60})
    [outcome] = testee.ask([request])
    assert outcome.text == '{"GoodRequest 2 offset": "1152921504606846976"}'


def test_an_abandoned_call_does_not_disturb_the_next(wrong: Start) -> None:
    testee = wrong("dies_on_bad", "exit")
    assert next(testee.ask(good(b"a") for _ in range(8))).bytes == b"a"
    assert [outcome.bytes for outcome in testee.ask([good(b"b"), good(b"c")])] == [b"b", b"c"]


def test_only_one_call_at_a_time(wrong: Start) -> None:
    testee = wrong("dies_on_bad", "exit")
    first = testee.ask([good()] * 3)
    next(first)
    with pytest.raises(RuntimeError):
        next(testee.ask([good()]))


def test_a_defect_of_the_caller_is_passed_on(wrong: Start) -> None:
    def broken() -> Iterator[Request]:
        yield good()
        raise ZeroDivisionError

    testee = wrong("dies_on_bad", "exit")
    with pytest.raises(ZeroDivisionError):
        list(testee.ask(broken()))
    assert kinds(list(testee.ask([good()]))) == ["value"]


def test_no_hello_because_it_ended(wrong: Start) -> None:
    with pytest.raises(TargetNotStarted, match="exited with status 7") as raised:
        wrong("dies_at_once")
    assert "cannot open shared object file" in str(raised.value)
    assert raised.value.exit_code == 3


def test_no_hello_in_time(wrong: Start) -> None:
    with pytest.raises(TargetNotStarted, match=r"did not answer hello within 0\.3 s"):
        wrong("silent", startup_timeout_s=0.3)


@pytest.mark.parametrize("hello", ["Listening on stdin", "[]", "{}"])
def test_a_bad_hello_leaves_no_process(wrong: Start, hello: str) -> None:
    with pytest.raises(BadHello):
        wrong("bad_hello", hello)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["no-such-program-here"], "no program no-such-program-here on the PATH"),
        (["./no-such-program"], "there is no program ./no-such-program"),
        ([__file__], "may not be executed"),
        ([], "is empty"),
    ],
)
def test_a_missing_program_is_told_from_one_that_fails(command: list[str], text: str) -> None:
    with pytest.raises(CommandNotFound, match=text) as raised:
        Testee(command)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("end", ["pass", "raise KeyboardInterrupt", "signal.pause()"])
def test_nothing_outlives_the_interpreter(mark: str, nothing_stays: None, end: str) -> None:
    """At its normal end, after an exception, and after Ctrl-C while it waits."""
    program = (
        "import signal\n"
        "from conformance.codecs.testee.testee import Testee\n"
        f"testee = Testee({wrong_command('stays')!r})\n"
        "print('ready', flush=True)\n"
        f"{end}\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as suite:
        assert suite.stdout is not None
        assert suite.stdout.readline() == b"ready\n"
        if end == "signal.pause()":
            assert len(marked_processes(mark)) == 2
            os.kill(suite.pid, signal.SIGINT)
