"""One run in bounded memory: what is counted, what is kept, what a reader is warned of."""

import gzip

import pytest

from conformance import __version__
from conformance.reporting.site.gathered_run import KEEP_TOLD, CountedForm, gather
from conformance.reporting.site.reading import ResultsFile, found
from conformance.results.files import ResultsError
from tests.reporting.site.lines import (
    A_SUMMARY,
    ASCENDING,
    a_failure,
    a_file,
    a_finding,
    a_run,
    a_verdict,
    write,
)


def gathered(path, **how):
    return gather(ResultsFile(path), **how)


def test_a_pass_is_a_number_of_its_rule_message_and_version(tmp_path):
    passes = [a_verdict(case=f"c{n}") for n in range(3)]
    path = write(tmp_path / "r.ndjson", a_run(), *passes, A_SUMMARY)
    found = gathered(path)
    assert found.counts == {CountedForm(ASCENDING, "MetadataRequest", 12, "pass"): 3}
    assert found.kept(ASCENDING) == []
    assert found.cases == 3


def test_failures_are_kept_up_to_the_limit_and_all_are_counted(tmp_path):
    failures = [a_failure(f"c{n}") for n in range(10)]
    path = write(tmp_path / "r.ndjson", a_run(), *failures, A_SUMMARY)
    found = gathered(path, keep=4)
    assert len(found.kept(ASCENDING)) == 4
    assert found.verdicts["fail"] == 10


def test_what_is_kept_is_spread_over_the_messages(tmp_path):
    many = [a_failure(f"a{n}", message="AlphaRequest") for n in range(10)]
    late = a_failure("late", message="ZuluRequest")
    path = write(tmp_path / "r.ndjson", a_run(), *many, late, A_SUMMARY)
    assert "ZuluRequest" in {each.message for each in gathered(path, keep=2).kept(ASCENDING)}


def test_the_worst_verdict_is_kept_first(tmp_path):
    fails = [a_failure(f"c{n}") for n in range(10)]
    hang = a_failure("last", verdict="hang", message="ZuluRequest")
    path = write(tmp_path / "r.ndjson", a_run(), *fails, hang, A_SUMMARY)
    assert gathered(path, keep=2).kept(ASCENDING)[0].verdict == "hang"


def test_a_few_notes_are_kept_as_examples(tmp_path):
    notes = [a_verdict("note", f"c{n}", detail="accepted") for n in range(9)]
    path = write(tmp_path / "r.ndjson", a_run(), *notes, A_SUMMARY)
    assert len(gathered(path).kept(ASCENDING)) == KEEP_TOLD


def test_what_does_harm_is_withheld(tmp_path):
    crash = a_failure("weapon", verdict="crash", input="c0ffee")
    path = write(tmp_path / "r.ndjson", a_run(), crash, a_finding("weapon"), A_SUMMARY)
    found = gathered(path)
    assert [(each.case, each.input) for each in found.kept(ASCENDING)] == [("withheld", None)]
    assert found.findings[0].reproduce == "withheld"
    assert gathered(path, harmful=True).kept(ASCENDING)[0].input == "c0ffee"


def test_results_without_their_closing_line_are_cut_short(tmp_path):
    path = write(tmp_path / "r.ndjson", a_run(), a_verdict())
    assert any("cut short" in each for each in gathered(path).notices)


def test_half_a_last_line_is_left_out(tmp_path):
    path = write(tmp_path / "r.ndjson", a_run(), a_verdict())
    path.write_bytes(path.read_bytes() + b'{"type":"verd')
    found = gathered(path)
    assert found.verdicts == {"pass": 1}
    assert any("cut short" in each for each in found.notices)


def test_a_compressed_stream_without_its_end_is_read_as_far_as_it_goes(tmp_path):
    lines = [a_verdict(case=f"c{n}", detail=str(n * 7919)) for n in range(5000)]
    path = write(tmp_path / "r.ndjson.gz", a_run(), *lines, A_SUMMARY)
    path.write_bytes(path.read_bytes()[:-2000])
    found = gathered(path)
    assert 0 < found.verdicts["pass"] < 5000
    assert any("cut short" in each for each in found.notices)


def test_another_suite_version_is_told(tmp_path):
    path = a_file(tmp_path, suite_version="0.0.1")
    assert any("0.0.1" in each and __version__ in each for each in gathered(path).notices)


def test_lines_of_a_newer_suite_that_are_not_known_are_left_out(tmp_path):
    path = a_file(tmp_path, suite_version="99.0")
    path.write_bytes(path.read_bytes() + b'{"type":"mood","colour":"blue"}\n')
    found = gathered(path)
    assert found.verdicts == {"pass": 1, "fail": 1}
    assert any("1 lines" in each for each in found.notices)


def test_a_line_of_this_version_that_is_none_is_an_error(tmp_path):
    path = a_file(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"type":"mood","colour":"blue"}\n')
    with pytest.raises(ResultsError, match=r"mine\.ndjson:6"):
        gathered(path)


def test_a_run_without_a_verdict_says_so(tmp_path):
    path = write(tmp_path / "r.ndjson", a_run(), A_SUMMARY)
    assert any("Nothing was judged" in each for each in gathered(path).notices)


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"type":"summary"}\n', b"\x1f\x8bxx"])
def test_a_file_that_is_no_results_file_is_told_by_its_name(tmp_path, content):
    path = tmp_path / "odd.ndjson"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=r"odd\.ndjson"):
        ResultsFile(path)


def test_folders_are_searched_and_each_file_is_taken_once(tmp_path):
    one = a_file(tmp_path / "codecs", "one")
    two = write(tmp_path / "clients" / "two.ndjson.gz", a_run("two"), A_SUMMARY)
    (tmp_path / "README.md").write_text("no results")
    files = found([tmp_path, one])
    assert {file.path for file in files} == {one, two}


def test_compressed_and_plain_are_told_apart_by_their_bytes(tmp_path):
    path = a_file(tmp_path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert ResultsFile(path).run.target == "mine"


def test_the_case_of_a_finding_is_among_those_that_are_kept(tmp_path):
    failures = [a_failure(f"c{n}") for n in range(10)]
    findings = [a_finding("c7"), a_finding("c9")]
    path = write(tmp_path / "r.ndjson", a_run(), *failures, *findings, A_SUMMARY)
    found = gathered(path, keep=2)
    assert {each.case for each in found.kept(ASCENDING)} == {"c7", "c9"}
    assert list(found.examples) == ["c7", "c9"]


def test_the_fewest_bytes_that_end_a_target_are_counted_and_not_told(tmp_path):
    crashes = [a_failure(f"c{n}", verdict="crash", input="ff" * n) for n in (9, 6)]
    of_a_value = a_failure("value", verdict="crash", input={"topics": None})
    path = write(tmp_path / "r.ndjson", a_run(), *crashes, of_a_value, a_finding("c6"), A_SUMMARY)
    found = gathered(path)
    assert found.ended_by == 6
    assert found.examples == {}
    assert {each.input for each in found.kept(ASCENDING)} == {None}
