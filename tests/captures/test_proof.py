"""No protocol is taken for Kafka's: where no port is named, a request that can be read shows it."""

import pytest

from tests.captures.speaking import audited, greeting, hello, request, response, sized
from tests.captures.writing import Line, pcap, written

OTHERS = "connections without a request that could be read to its end"
ELSEWHERE = ("10.0.0.1", 19092)


def audited_anywhere(tmp_path, line):
    return audited(written(tmp_path / "c.pcap", pcap(line.closes().packets)), ports=None)


def broken_frames(verdicts):
    """The numbers of the frames that break a rule."""
    broken = (row.verdict for row in verdicts if row.verdict.verdict != "pass")
    return {verdict.case.rpartition("/")[2] for verdict in broken}


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (bytes.fromhex("0000000a000100010000000a7fff"), b""),
        (b"", b"\0\0\0\0"),
        (b"\0\0\0\x08\0\x03\0\x01\0\0\0\x01", b"\0\0\0\x04\0\0\0\x02"),
        (sized(hello() + b"\0") * 40, sized(greeting()) * 40),
    ],
)
def test_a_connection_without_a_readable_request_is_passed_over(tmp_path, asked, answered):
    line = Line(broker=ELSEWHERE).opens()
    line = line.asks(asked) if asked else line
    line = line.answers(answered) if answered else line
    tables, verdicts = audited_anywhere(tmp_path, line)
    assert verdicts == []
    assert tables.passed.total() == 1


def test_what_came_before_the_first_readable_request_is_judged_after_it(tmp_path):
    line = Line(broker=ELSEWHERE).opens().asks(sized(hello(1) + b"\0")).answers(sized(greeting(1)))
    line.asks(sized(hello(2))).answers(sized(greeting(2)))
    tables, verdicts = audited_anywhere(tmp_path, line)
    assert (tables.requests, tables.responses) == (2, 2)
    assert broken_frames(verdicts) == {"1"}


def test_an_answer_to_a_request_that_can_not_be_read_is_not_judged(tmp_path):
    cut = request("Metadata", 1, {"topics": []}, 1)[:-2]
    wrong = response("Metadata", 1, {}, 1) + b"\0"
    line = Line().opens().asks(sized(cut)).answers(sized(wrong))
    line.asks(sized(hello(2))).answers(sized(greeting(2)))
    tables, verdicts = audited(written(tmp_path / "c.pcap", pcap(line.closes().packets)))
    assert broken_frames(verdicts) == {"1"}
    assert tables.passed == {"answers to requests that are malformed": 1}
