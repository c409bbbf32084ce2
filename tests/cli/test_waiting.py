"""What a run waits for is displayed, in a log by lines that are far apart."""

from __future__ import annotations

import io

from conformance.waiting import EVERY_S, LogLines, going_on, say_by, waiting


def test_a_wait_that_goes_on_says_how_far_it_is() -> None:
    said: list[str] = []
    say_by(said.append)
    try:
        going_on("nothing waits")
        with waiting("comparing"):
            going_on("7 questions")
    finally:
        say_by(lambda _: None)
    assert said == ["comparing", "comparing: 7 questions", ""]


def test_a_log_has_a_line_for_a_long_wait_alone() -> None:
    now, stream = [0.0], io.StringIO()
    say = LogLines(stream, lambda: now[0])
    for seconds, what in [
        (0, "comparing"),
        (EVERY_S - 1, "comparing: 1 question"),
        (EVERY_S, "comparing: 2 questions"),
        (EVERY_S + 1, "comparing: 3 questions"),
        (2 * EVERY_S, "comparing: 4 questions"),
        (2 * EVERY_S, ""),
        (9 * EVERY_S, "building"),
    ]:
        now[0] = seconds
        say(what)
    assert stream.getvalue().splitlines() == ["comparing: 2 questions", "comparing: 4 questions"]
