"""Which request an answer belongs to, where ids are shared, used again, missing or nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.captures.speaking import (
    audited,
    audited_line,
    broken,
    greeting,
    hello,
    request,
    response,
    sized,
)
from tests.captures.writing import Line, Tcp, pcap, written

SHARED = "client-requests.correlation-ids-differ"
"""Broken by whoever shares an id, and of Kafka's own clients alone: a note."""
ECHOED = "framing.correlation-id-echoed"
NODES = {"brokers": [{"nodeId": 1, "host": "b", "port": 9092, "rack": None}], "controllerId": 1}
UNSURE = "answers of which the request is not sure"


def metadata(number: int, version: int = 12) -> bytes:
    return request("Metadata", version, {"topics": None}, number)


def nodes(number: int, version: int = 12) -> bytes:
    return response("Metadata", version, NODES, number)


def produce(number: int, acks: int) -> bytes:
    return request("Produce", 9, {"acks": acks, "timeoutMs": 1000}, number)


def audited_packets(folder: Path, packets: list[Tcp]):
    return audited(written(folder / "c.pcap", pcap(packets)))


def asked_and_answered(pairs: list[tuple[bytes, bytes]]) -> Line:
    """A connection on which all is asked before anything is answered."""
    line = Line().opens()
    for asked, _ in pairs:
        line.asks(sized(asked))
    for _, answered in pairs:
        line.answers(sized(answered))
    return line


def test_requests_may_share_a_correlation_id(tmp_path):
    pairs = [(hello(7), greeting(7)), (metadata(7), nodes(7)), (hello(7, 0), greeting(7, 0))]
    tables, verdicts = audited_line(tmp_path, asked_and_answered(pairs).closes())
    assert (tables.requests, tables.responses) == (3, 3)
    assert broken(verdicts) == {SHARED}
    assert not tables.violations
    assert not tables.passed


def test_an_answer_too_many_to_a_shared_id_is_one_to_nothing(tmp_path):
    line = asked_and_answered([(hello(7), greeting(7)), (metadata(7), nodes(7))])
    tables, verdicts = audited_line(tmp_path, line.answers(sized(nodes(7))).closes())
    assert tables.responses == 2
    assert broken(verdicts) == {ECHOED, SHARED}


def test_answers_to_a_shared_id_in_the_wrong_order_are_found(tmp_path):
    line = Line().opens().asks(sized(hello(7)), sized(metadata(7)))
    line.answers(sized(nodes(7)), sized(greeting(7))).closes()
    _, verdicts = audited_line(tmp_path, line)
    assert {each.who for each in verdicts if each.verdict.verdict == "fail"} == {
        "broker 10.0.0.1:9092"
    }


def test_an_id_is_used_again_after_its_answer(tmp_path):
    line = Line().opens()
    for asked, answered in ((hello(7), greeting(7)), (metadata(7), nodes(7))) * 3:
        line.asks(sized(asked)).answers(sized(answered))
    tables, verdicts = audited_line(tmp_path, line.closes(), profile="kafka")
    assert (tables.requests, tables.responses) == (6, 6)
    assert not broken(verdicts)


@pytest.mark.parametrize("number", [7, 8])
def test_produce_with_acks_0_has_no_answer(tmp_path, number):
    line = Line().opens().asks(sized(produce(7, 0)), sized(metadata(number)))
    tables, verdicts = audited_line(tmp_path, line.answers(sized(nodes(number))).closes())
    assert (tables.requests, tables.responses) == (2, 1)
    assert not broken(verdicts)


def test_an_answer_to_produce_with_acks_0_is_found(tmp_path):
    for acks, rules in ((0, {"produce.unanswered-without-acks"}), (1, set())):
        line = Line().opens().asks(sized(produce(7, acks)))
        line.answers(sized(response("Produce", 9, {}, 7))).closes()
        _, verdicts = audited_line(tmp_path, line)
        assert broken(verdicts) == rules


def test_a_malformed_request_that_is_closed_on_is_no_fault_of_the_broker(tmp_path):
    line = Line().opens().asks(sized(hello(7))).answers(sized(greeting(7)))
    line.asks(sized(metadata(7)), sized(metadata(7)[:-2])).answers(sized(nodes(7))).ends_side(1)
    tables, verdicts = audited_line(tmp_path, line.ends_side(0))
    assert (tables.requests, tables.responses) == (3, 2)
    assert {each.who for each in verdicts if each.verdict.verdict == "fail"} == {"black 1.2"}


def test_an_id_that_nobody_asked_is_not_kept_for_the_next_request(tmp_path):
    line = Line().opens().asks(sized(hello(1))).answers(sized(greeting(2)))
    line.asks(sized(metadata(2))).answers(sized(nodes(2))).closes()
    tables, verdicts = audited_line(tmp_path, line)
    assert broken(verdicts) == {ECHOED}
    assert sum(each.verdict.verdict == "fail" for each in verdicts) == 1
    assert tables.responses == 1


def test_an_answer_without_a_correlation_id_is_found(tmp_path):
    line = Line().opens().asks(sized(hello(0))).answers(sized(b"\0\0"), sized(greeting(0)))
    tables, verdicts = audited_line(tmp_path, line.closes())
    assert broken(verdicts) == {ECHOED}
    assert tables.broken[0].example.detail == "2 bytes are no answer: there is no correlation id"


@pytest.mark.parametrize("first", range(3, 9))
def test_a_capture_that_begins_between_requests_of_one_id_accuses_nobody(tmp_path, first):
    pairs = [(hello(7), greeting(7)), (metadata(7), nodes(7)), (metadata(7, 1), nodes(7, 1))] * 2
    line = asked_and_answered(pairs).closes()
    _, verdicts = audited_packets(tmp_path, line.packets[first:])
    assert verdicts
    assert not broken(verdicts) - {SHARED}


def test_answers_captured_before_their_requests_are_paired_in_their_order(tmp_path):
    pairs = [(hello(7), greeting(7)), (metadata(7), nodes(7)), (metadata(7, 1), nodes(7, 1))]
    line = Line().opens().asks(*(sized(asked) for asked, _ in pairs))
    for _, answered in pairs:
        line.answers(sized(answered))
    packets = line.closes().packets
    packets.insert(6, packets.pop(3))
    tables, verdicts = audited_packets(tmp_path, packets)
    assert tables.responses == 3
    assert not broken(verdicts) - {SHARED}


@pytest.mark.parametrize("last", range(4, 15))
def test_a_capture_that_ends_before_the_answers_accuses_nobody(tmp_path, last):
    pairs = [(hello(7), greeting(7)), (metadata(7), nodes(7)), (metadata(7, 1), nodes(7, 1))] * 2
    _, verdicts = audited_packets(tmp_path, asked_and_answered(pairs).packets[:last])
    assert verdicts
    assert not broken(verdicts) - {SHARED}


@pytest.mark.parametrize("lost", range(3, 15))
def test_a_lost_frame_among_those_of_one_id_accuses_nobody(tmp_path, lost):
    pairs = [(hello(7), greeting(7)), (metadata(7), nodes(7)), (metadata(7, 1), nodes(7, 1))] * 2
    packets = asked_and_answered(pairs).closes().packets
    _, verdicts = audited_packets(tmp_path, [p for n, p in enumerate(packets) if n != lost])
    assert verdicts
    assert not broken(verdicts) - {SHARED}


def test_a_lost_frame_does_not_matter_where_ids_count_up(tmp_path):
    pairs = [(hello(n), greeting(n)) for n in range(10)]
    packets = asked_and_answered(pairs).closes().packets
    tables, verdicts = audited_packets(tmp_path, [p for n, p in enumerate(packets) if n != 5])
    assert tables.responses == 9
    assert UNSURE not in tables.passed
    assert not broken(verdicts)


def test_more_requests_than_are_kept_accuse_nobody(tmp_path):
    pairs = [(hello(n, 0), greeting(n, 0)) for n in range(4200)]
    tables, verdicts = audited_line(tmp_path, asked_and_answered(pairs).closes())
    assert tables.responses == 4096
    assert not broken(verdicts)
