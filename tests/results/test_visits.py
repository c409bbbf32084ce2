"""A visit is told by the exchange that broke the rule, and what came again and again once."""

from __future__ import annotations

import pytest

from conformance.results.visits import MARK, MOST, around, visit_lines


def asked(at: float, api: str, *, connection: int = 0, correlation: int = 1, body: str = "") -> str:
    frame = f"{40:08x}{3:04x}{9:04x}{correlation:08x}{body or '00' * 20}"
    return f"{at:.3f} s, connection {connection} > {api} v9 {frame}"


def answered(at: float, api: str, *, connection: int = 0) -> str:
    return f"{at:.3f} s, connection {connection} < answer to {api} v9, 80 bytes"


DIFFERENT = [asked(n, f"Api{n}") for n in range(30)]


def with_mark(visit: list[str], broke: int) -> list[str]:
    return [*visit[: broke + 1], MARK, *visit[broke + 1 :]]


def test_the_exchange_that_broke_the_rule_is_shown_with_its_neighbours() -> None:
    lines = visit_lines(with_mark(DIFFERENT, 14))
    assert len(lines) == MOST + 2
    assert lines[0] == "… 6 lines before"
    assert lines[-1] == "… 12 lines after"
    [marked] = [line for line in lines if line.startswith("> ")]
    assert "Api14 " in marked
    assert "Api13 " in lines[lines.index(marked) - 1]
    assert "Api15 " in lines[lines.index(marked) + 1]


@pytest.mark.parametrize("broke", [0, 1, 28, 29])
def test_it_is_shown_wherever_it_stands(broke: int) -> None:
    lines = visit_lines(with_mark(DIFFERENT, broke))
    assert any(line.startswith("> ") and f"Api{broke} " in line for line in lines)
    assert len(lines) <= MOST + 2


def test_without_a_mark_the_last_are_shown() -> None:
    lines = visit_lines(DIFFERENT)
    assert lines[0] == f"… {30 - MOST} lines before"
    assert "Api29 " in lines[-1]


def test_the_same_line_twelve_times_is_one_line_with_a_count() -> None:
    again = [asked(n, "Metadata", connection=n, correlation=n) for n in range(12)]
    [first, more] = visit_lines(again)
    assert first.startswith("0.000 s, connection 0 > Metadata v9 ")
    assert more == "… the same 11 times more, until 11.000 s"


def test_a_round_of_lines_that_comes_again_is_told_once() -> None:
    visit = [asked(0, "ApiVersions"), answered(0, "ApiVersions")]
    for n in range(1, 9):
        visit += [asked(n, "Metadata", correlation=n), answered(n, "Metadata")]
    lines = visit_lines(visit)
    assert len(lines) == 5
    assert lines[-1] == "… the same 2 lines 7 times more, until 8.000 s"


def test_requests_that_say_something_else_are_not_the_same() -> None:
    visit = [asked(n, "Fetch", body=f"{n:040x}") for n in range(5)]
    assert len(visit_lines(visit)) == 5


def test_what_broke_the_rule_is_never_folded_away() -> None:
    again = [asked(n, "Metadata", correlation=n) for n in range(12)]
    lines = visit_lines(with_mark(again, 5))
    assert [line.startswith("> ") for line in lines] == [False, False, True, False, False]
    assert lines[1] == "… the same 4 times more, until 4.000 s"


def test_lines_that_are_left_out_are_counted_as_they_came() -> None:
    again = [asked(n, "Metadata") for n in range(12)]
    lines = visit_lines([*again, *DIFFERENT])
    assert lines[0] == f"… {12 + 30 - MOST} lines before"


def test_the_window_holds_the_place_and_no_more_than_there_is() -> None:
    for length in range(1, 40):
        for broke in (None, *range(length)):
            window = around(length, broke, MOST)
            assert len(window) == min(length, MOST)
            assert broke is None or broke in window
            assert 0 <= window.start <= window.stop <= length
