"""Requests that wait for an answer: in their order, by ids that may be shared."""

from conformance.captures.streams.request_head import RequestHead
from conformance.captures.streams.waiting import Waiting


def asked(number: int, version: int = 0) -> RequestHead:
    return RequestHead(18, version, number, "ApiVersionsRequest")


def waiting(*requests: RequestHead, most: int = 100) -> Waiting:
    found = Waiting(most)
    for each in requests:
        found.add(each)
    return found


def versions(found: Waiting, *numbers: int) -> list[int | None]:
    """The versions of the requests that answers of these ids belong to."""
    answers = [found.answer(number) for number in numbers]
    return [each.request.version if each else None for each in answers]


def test_requests_of_one_id_are_answered_in_their_order() -> None:
    found = waiting(asked(7, 0), asked(8, 1), asked(7, 2), asked(7, 3))
    assert [each.version for each in found.of(7)] == [0, 2, 3]
    assert versions(found, 7, 8, 7, 7, 7) == [0, 1, 2, 3, None]


def test_an_answer_behind_that_to_a_later_request_is_late() -> None:
    found = waiting(asked(1), asked(2), asked(3))
    late = [answer.late for number in (2, 1, 3) if (answer := found.answer(number))]
    assert late == [False, True, False]


def test_a_silent_request_does_not_wait() -> None:
    found = Waiting()
    found.add(asked(1, 5), silent=True)
    found.add(asked(1, 6))
    assert versions(found, 1, 1) == [6, None]
    assert found.was_silent(1)
    assert not found.was_silent(2)


def test_ids_that_count_up_are_told_from_those_that_are_used_again() -> None:
    assert waiting(asked(1), asked(2), asked(9)).counts_up
    assert waiting(asked(2**31 - 1), asked(-(2**31))).counts_up
    assert not waiting(asked(1), asked(1)).counts_up
    assert not waiting(asked(1), asked(2), asked(1)).counts_up


def test_more_than_are_kept_are_dropped_the_oldest_first() -> None:
    found = waiting(asked(1), asked(1, 1), asked(2, 2), asked(1, 3), most=3)
    assert found.dropped
    assert list(found) == [1, 2]
    assert versions(found, 1, 1, 2) == [1, 3, 2]
