"""What is published of results: verdicts, and nothing that ends whoever runs the target."""

import gzip

import msgspec
import pytest

from conformance.reporting.console import Tally
from conformance.results.files import read_lines
from conformance.results.lines import EXCHANGE, FORWARD, Finding, Verdict
from conformance.results.publish import KEPT, WITHHELD, folded, publish, published


def verdict(name, case):
    return Verdict(
        rule="compact.array-count",
        class_="must",
        case=case,
        message="MetadataRequest",
        version=9,
        op="decode",
        outcome="value",
        verdict=name,
        input="00ff",
        actual="00",
        detail="words of the target",
    )


def finding(case):
    return Finding(cause="words", rules=["r"], case=case, count=1, reproduce=f"--case {case}")


def test_a_failure_stays_as_it_is():
    lines = [verdict("fail", "a"), finding("a")]
    assert list(published(lines)) == lines


def test_what_ends_a_target_is_told_without_its_input():
    for name in ("crash", "hang"):
        lines = [verdict(name, "evil"), finding("evil")]
        told = msgspec.json.encode(list(published(lines))).decode()
        for secret in ("evil", "00ff", "words"):
            assert secret not in told
        assert WITHHELD in told
        assert f'"verdict":"{name}"' in told


@pytest.mark.parametrize("op", [EXCHANGE, FORWARD])
def test_what_a_server_falls_silent_over_is_told_without_its_input(op):
    """It may have taken time or memory away."""
    quiet = msgspec.structs.replace(
        verdict("fail", "evil"), class_="harden", op=op, outcome="silent"
    )
    told = msgspec.json.encode(list(published([quiet, finding("evil")]))).decode()
    assert "evil" not in told
    assert "00ff" not in told
    answered = msgspec.structs.replace(quiet, outcome="reply")
    assert list(published([answered])) == [answered]


def test_a_file_is_published_compressed_and_alike_each_time(tmp_path):
    source = tmp_path / "results.ndjson"
    source.write_bytes(msgspec.json.encode(verdict("hang", "evil")) + b"\n")
    made = [tmp_path / name for name in ("one.gz", "two.gz")]
    for target in made:
        publish(source, target)
    assert made[0].read_bytes() == made[1].read_bytes()
    (tmp_path / "again").write_bytes(gzip.decompress(made[0].read_bytes()))
    [line] = read_lines(tmp_path / "again")
    assert isinstance(line, Verdict)
    assert line.case == WITHHELD


def test_what_went_well_is_told_as_numbers_and_every_failure_whole():
    lines = [
        verdict("pass", "a"),
        verdict("fail", "b"),
        verdict("pass", "c"),
        verdict("unsupported", "d"),
        *(verdict("note", f"n{number}") for number in range(KEPT + 2)),
        finding("b"),
    ]
    told = list(folded(lines))
    assert [line for line in told if line in lines] == [lines[1], *lines[4 : 4 + KEPT], lines[-1]]
    others = [line for line in told if isinstance(line, Verdict) and line not in lines]
    assert {(line.verdict, line.times) for line in others} == {
        ("pass", 2),
        ("unsupported", 1),
        ("note", 2),
    }
    assert {(line.case, line.rule, line.input) for line in others} == {
        ("", "compact.array-count", None)
    }
    assert told[-1] == lines[-1]


def test_a_file_tells_as_many_verdicts_published_as_not():
    tallies = [Tally("target"), Tally("target")]
    lines = [verdict("pass", "a"), verdict("pass", "b"), verdict("fail", "c")]
    for tally, said in zip(tallies, (lines, folded(lines)), strict=True):
        for line in said:
            assert isinstance(line, Verdict)
            tally.take(line)
    assert tallies[0].verdicts == tallies[1].verdicts
    assert tallies[0].rules == tallies[1].rules
