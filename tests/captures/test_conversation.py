"""What is said on a connection, whatever the capture made of it, and what is told of the rest."""

import random
import struct
from dataclasses import replace

import pytest

from conformance.captures.errors import Limits
from conformance.captures.packets.network import PacketEnd, Share, number_of
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
from tests.captures.writing import RST, Line, pcap, snapped, written

TOPIC = {"topics": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAA", "name": "a"}]}
HANDSHAKE = {"mechanism": "GSSAPI"}


def talk(number: int, line: Line | None = None) -> Line:
    """A connection with so many requests, answered one by one."""
    line = line or Line()
    for each in range(1, number + 1):
        line.asks(sized(hello(each))).answers(sized(greeting(each)))
    return line


def counted(tables):
    return tables.requests, tables.responses


def test_pipelined_requests_are_paired_with_their_answers(tmp_path):
    line = Line().opens().asks(*(sized(hello(n, n % 4)) for n in range(100)))
    line.answers(*(sized(greeting(n, n % 4)) for n in range(100))).closes()
    tables, verdicts = audited_line(tmp_path, line)
    assert counted(tables) == (100, 100)
    assert not broken(verdicts)
    assert {version for _, _, version in tables.used} == {0, 1, 2, 3}


@pytest.mark.parametrize("mss", [1, 3, 7, 1448])
def test_frames_are_the_same_wherever_segments_end(tmp_path, mss):
    tables, verdicts = audited_line(tmp_path, talk(5, Line(mss=mss).opens()).closes())
    assert counted(tables) == (5, 5)
    assert not broken(verdicts)
    assert not tables.passed


@pytest.mark.parametrize("begins", [(2**32 - 1, 2**32 - 20), (2**31 - 3, 2**32 - 100)])
def test_sequence_numbers_wrap(tmp_path, begins):
    line = talk(9, Line(begins=begins, mss=10).opens()).closes()
    tables, _ = audited_line(tmp_path, line)
    assert counted(tables) == (9, 9)


@pytest.mark.parametrize("seed", range(6))
def test_packets_out_of_order_and_repeated_change_nothing(tmp_path, seed):
    line = talk(30, Line(mss=20).opens()).closes()
    chance = random.Random(seed)
    packets = line.packets[:3] + sorted(
        line.packets[3:], key=lambda each: line.packets.index(each) + chance.uniform(0, 6)
    )
    packets += chance.sample(packets[3:], 20)
    packets = packets[:-20] + [each for each in packets[-20:] if not each.flags & 1]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert counted(tables) == (30, 30)
    assert not broken(verdicts)


def test_a_lost_segment_costs_the_frames_that_were_in_it(tmp_path):
    line = talk(20, Line().opens()).closes()
    lost = [each for each in line.packets if each.payload]
    lost = [lost[10]]  # a request
    packets = [each for each in line.packets if each not in lost]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert tables.requests == 19
    assert tables.responses >= 18
    assert not broken(verdicts)
    assert tables.passed["lost bytes between frames"] == 1


def test_a_hole_within_a_large_frame_costs_that_frame_alone(tmp_path):
    large = request("Metadata", 12, {"topics": TOPIC["topics"] * 1000}, 1)
    line = Line().opens().asks(sized(large), sized(hello(2)))
    line.answers(sized(response("Metadata", 12, {}, 1)), sized(greeting(2))).closes()
    packets = [each for n, each in enumerate(line.packets) if n != 5]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert counted(tables) == (1, 2)
    assert tables.passed == {"frames with bytes that were not captured": 1}
    assert "Metadata v12" in str(tables.examples)
    assert not broken(verdicts)


def test_packets_that_were_kept_in_part_cost_their_frames_alone(tmp_path):
    large = request("Metadata", 12, {"topics": TOPIC["topics"] * 30}, 1)
    line = Line().opens()
    for _ in range(3):
        line.asks(sized(large)).answers(sized(response("Metadata", 12, {}, 1)))
    packets = [snapped(each, 200) for each in line.closes().packets]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert counted(tables) == (0, 3)
    assert not broken(verdicts)


@pytest.mark.parametrize("first", range(3, 12))
def test_a_capture_that_begins_within_a_connection_finds_its_frames(tmp_path, first):
    line = talk(20, Line().opens()).closes()
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(line.packets[first:])))
    assert tables.requests >= 15
    assert tables.responses >= 15
    assert not broken(verdicts)


def test_a_capture_that_begins_within_a_frame_finds_the_next(tmp_path):
    large = request("Metadata", 12, {"topics": TOPIC["topics"] * 300}, 1)
    line = Line().opens().asks(sized(large) + sized(hello(2)) + sized(hello(3)))
    line.answers(sized(response("Metadata", 12, {}, 1)) + sized(greeting(2)) + sized(greeting(3)))
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(line.packets[5:])))
    assert counted(tables) == (2, 2)
    assert not broken(verdicts)


def test_ends_that_meet_again_have_another_connection(tmp_path):
    first = talk(2, Line().opens()).closes()
    again = talk(3, Line(begins=(777, 888)).opens()).resets()
    once_more = talk(1, Line(begins=(5, 6)).opens())
    packets = first.packets + again.packets + once_more.packets
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert (tables.connections, *counted(tables)) == (3, 6, 6)
    assert not broken(verdicts)
    names = {each.verdict.case.split("/")[1].partition("~")[2] for each in verdicts}
    assert names == {"", "2", "3"}


def test_a_connection_that_was_never_closed_gives_way_to_the_next(tmp_path):
    packets = talk(2, Line().opens()).packets + talk(2, Line(begins=(77, 88)).opens()).packets
    tables, _ = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert (tables.connections, *counted(tables)) == (2, 4, 4)


def test_an_answer_to_a_request_that_was_not_captured_is_no_violation(tmp_path):
    last = talk(3, Line().opens()).closes()
    requests = [each for each in last.packets if each.payload and each.source[1] == 50000]
    packets = [each for each in last.packets if each is not requests[-1]]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert counted(tables) == (2, 2)
    assert not broken(verdicts)
    pipelined = Line().opens().asks(sized(hello(0))).asks(*(sized(hello(n)) for n in range(1, 40)))
    pipelined.answers(*(sized(greeting(n)) for n in range(40))).closes()
    packets = [each for n, each in enumerate(pipelined.packets) if n != 4]
    _, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert verdicts
    assert not broken(verdicts)


def test_requests_without_their_answers_have_no_violation(tmp_path):
    line = talk(20, Line().opens()).closes()
    packets = [each for each in line.packets if each.source[1] == 50000]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)), profile="kafka")
    assert counted(tables) == (20, 0)
    assert verdicts
    assert not broken(verdicts)


def test_answers_without_their_requests_are_passed_over(tmp_path):
    line = talk(20, Line().opens()).closes()
    packets = [each for each in line.packets if each.source[1] == 9092]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)), profile="kafka")
    assert tables.passed["answers without their requests"] == 20
    assert verdicts == []


def test_an_answer_captured_before_its_request_is_paired(tmp_path):
    line = talk(3, Line().opens()).closes()
    packets = list(line.packets)
    packets[3], packets[4] = packets[4], packets[3]
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(packets)))
    assert counted(tables) == (3, 3)
    assert not broken(verdicts)


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS"),
        (b"GET / HTTP/1.1\r\nHost: b\r\n\r\n", "HTTP"),
        (b"SSH-2.0-OpenSSH_9.9\r\n", "SSH"),
        (b"\x00\x00\x00\x08\x7f\xff\x7f\xff\x00\x00\x00\x01", "not Kafka's"),
    ],
)
def test_other_protocols_are_told_once_and_passed_over(tmp_path, first, name):
    line = Line().opens().asks(first).answers(b"\x16\x03\x03 whatever").asks(b"more").closes()
    good = talk(2, Line(client=("10.0.0.6", 1)).opens()).closes()
    path = written(tmp_path / "c.pcap", pcap(line.packets + good.packets))
    tables, verdicts = audited(path)
    assert tables.passed == {"other protocols": 1}
    assert tables.examples["other protocols"].endswith(name)
    assert counted(tables) == (2, 2)
    assert not broken(verdicts)


def test_tokens_without_headers_are_passed_over_until_requests_come(tmp_path):
    agreed = response("SaslHandshake", 0, {"mechanisms": ["GSSAPI"]}, 2)
    line = talk(1, Line().opens()).asks(sized(request("SaslHandshake", 0, HANDSHAKE, 2)))
    line.answers(sized(agreed))
    for size in (700, 300):
        line.asks(sized(b"\x60" * size)).answers(sized(b"\x61" * 50))
    line.asks(sized(hello(3))).answers(sized(greeting(3))).closes()
    tables, verdicts = audited_line(tmp_path, line)
    assert counted(tables) == (3, 3)
    assert tables.passed == {"SASL tokens": 4}
    assert not broken(verdicts)


def test_a_frame_larger_than_is_kept_is_passed_over(tmp_path):
    large = request("Metadata", 12, {"topics": TOPIC["topics"] * 1000}, 1)
    line = Line().opens().asks(sized(large), sized(hello(2)))
    line.answers(sized(response("Metadata", 12, {}, 1)), sized(greeting(2))).closes()
    tables, verdicts = audited_line(tmp_path, line, limits=Limits(frame_bytes=10_000))
    assert counted(tables) == (1, 2)
    assert tables.passed == {"frames larger than are kept": 1}
    assert not broken(verdicts)


def test_frames_for_which_there_is_no_room_are_passed_over(tmp_path):
    large = request("Metadata", 12, {"topics": TOPIC["topics"] * 1000}, 1)
    line = Line().opens().asks(sized(large), sized(hello(2))).answers(sized(greeting(2))).closes()
    tables, _ = audited_line(tmp_path, line, limits=Limits(all_bytes=5000))
    assert tables.requests == 1
    assert tables.passed["frames for which there was no room"] == 1


def test_requests_of_no_definition_are_told(tmp_path):
    unknown = struct.pack(">hhih", 9999, 0, 2, -1)
    newer = struct.pack(">hhih", 18, 99, 3, -1)
    line = Line().opens().asks(sized(hello(1)), sized(unknown), sized(newer))
    tables, verdicts = audited_line(tmp_path, line.answers(sized(greeting(1))).closes())
    assert tables.passed["requests of no stored definition"] == 2
    assert not broken(verdicts)


@pytest.mark.parametrize(("key", "version"), [(18, 99), (3, -1), (0, 14)])
def test_a_version_above_those_that_we_know_is_not_judged_and_what_follows_is(
    tmp_path, key, version
):
    newer = struct.pack(">hhih5s", key, version, 1, 5, b"newer") + b"\0whatever"
    answered = b"\0\0\0\x01" + b"\0\x23" + b"\0\0\0\0"
    line = Line().opens().asks(sized(newer)).answers(sized(answered))
    line.asks(sized(hello(2))).answers(sized(greeting(2))).closes()
    tables, verdicts = audited_line(tmp_path, line)
    assert counted(tables) == (2, 2)
    assert tables.passed == {"requests of no stored definition": 2}
    assert not broken(verdicts)


def test_a_size_that_is_none_is_told_and_the_next_frame_is_found(tmp_path):
    line = talk(2, Line().opens()).asks(b"\xff\xff\xff\xff").asks(sized(hello(7)))
    tables, verdicts = audited_line(tmp_path, line.answers(sized(greeting(7))).closes())
    assert counted(tables) == (3, 3)
    assert tables.passed["bytes where a frame's size belongs"] == 1
    assert not broken(verdicts)


def test_noise_never_ends_in_an_error(tmp_path):
    chance = random.Random(7)
    line = talk(20, Line(mss=30).opens()).closes()
    judged = 0
    for number in range(60):
        packets = [
            replace(each, payload=bytes(b ^ (chance.random() < 0.02) for b in each.payload))
            for each in line.packets
            if chance.random() > 0.05
        ]
        packets = [replace(each, flags=each.flags & ~RST) for each in packets]
        _, verdicts = audited(written(tmp_path / f"{number}.pcap", pcap(packets)), ports=None)
        judged += bool(verdicts)
    assert judged


def test_brokers_on_any_port_are_found_by_what_is_said(tmp_path):
    there = talk(3, Line(client=("10.0.0.5", 50000), broker=("10.0.0.1", 19092)))
    back = talk(3, Line(client=("10.0.0.7", 1000), broker=("10.0.0.1", 29092)))
    path = written(tmp_path / "c.pcap", pcap(there.packets + back.packets))
    tables, verdicts = audited(path, ports=None)
    assert counted(tables) == (6, 6)
    assert not broken(verdicts)
    tables, _ = audited(path)
    assert counted(tables) == (0, 0)
    assert tables.passed == {"packets of other ports": 12}


def test_too_many_connections_end_those_that_were_quiet_for_longest(tmp_path):
    lines = [talk(1, Line(client=("10.0.0.5", 1000 + n)).opens()) for n in range(10)]
    packets = [each for line in lines for each in line.packets]
    path = written(tmp_path / "c.pcap", pcap(packets))
    tables, _ = audited(path, limits=Limits(connections=4))
    assert counted(tables) == (10, 10)
    assert sum(tables.passed.values()) == 6


def test_the_part_of_a_connection_is_the_same_everywhere():
    key = PacketEnd(b"\x0a\0\0\1", 9092), PacketEnd(b"\x0a\0\0\5", 50000)
    assert [number_of(key) % parts for parts in (1, 2, 7, 100)] == [0, 1, 0, 21]
    assert [part for part in range(7) if Share(part, 7).has(number_of(key))] == [0]
