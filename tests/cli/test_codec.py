"""A run of the gate from the command line: what it prints, writes and returns."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Finding, Run, Summary, Verdict
from conformance.results.naming import short_name
from conformance.rules import catalogue
from tests.cli.conftest import Cli, Ended, program

CASE = "MetadataRequest-v1-null-topics/decode"
FAULTY = ("codec", "faulty:RefusesNulls", "--message", "MetadataRequest", "--api-version", 1)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outputs")


@pytest.fixture(scope="module")
def failed(cli: Cli, outputs: Path) -> Ended:
    """A run on a codec that breaks some rules, with every output that there is."""
    return cli(
        *FAULTY,
        "--verbose",
        *("--results", outputs / "results.ndjson"),
        *("--junit", outputs / "junit.xml"),
        *("--allure", outputs / "deep" / "allure"),
    )


@pytest.fixture(scope="module")
def lines(failed: Ended, outputs: Path) -> list[Any]:
    return list(read_lines(outputs / "results.ndjson"))


@pytest.fixture(scope="module")
def again(failed: Ended) -> str:
    """The command that is printed under the first finding."""
    found = re.search(r"again: +(.*)", failed.out)
    assert found is not None
    return found[1]


def test_a_codec_without_failure_ends_with_0(cli: Cli) -> None:
    ended = cli("codec", "reference", "--message", "ControlledShutdownResponse")
    assert (ended.code, ended.err) == (0, "")
    assert "\nreference 0.1.0: no failure\n" in f"\n{ended.out}"


def test_a_broken_rule_ends_with_1(failed: Ended) -> None:
    assert (failed.code, failed.err) == (1, "")


def test_the_closing_block_tells_what_to_mend_first(failed: Ended) -> None:
    headline, measured, mend, *defect, command, rest = failed.out.splitlines()[-7:]
    assert headline == "RefusesNulls (right 0.1.0): 1 defect breaks the protocol"
    assert re.fullmatch(r"130 cases in [0-9.]+ s; 26 of 26 rules decided", measured)
    assert mend == "mend first"
    assert defect[0].startswith(" 1 must   refuses null wherever")
    assert defect[-1].endswith(" (2 cases)")
    assert re.fullmatch(r" {10}kafka-conformance findings \S+ 1", command)
    assert re.fullmatch(r"all of it: kafka-conformance findings \S+", rest)


def test_each_of_several_targets_has_its_own_findings(cli: Cli, tmp_path: Path) -> None:
    cache = {"KAFKA_CONFORMANCE_CACHE": str(tmp_path)}
    names = (FAULTY[1], "faulty:RefusesNullsAndWritesNone")
    ended = cli("codec", *names, *FAULTY[2:], **cache)
    shown_as = [name.removeprefix("faulty:") for name in names]
    assert [line.split()[0] for line in ended.out.splitlines()[-2:]] == shown_as
    for name in names:
        line = f"findings last/{name} 1"
        assert f"kafka-conformance {line}\n" in ended.out
        shown = cli(*line.split(), **cache)
        assert shown.out.startswith(f"{short_name(name)} (")
        assert shown.out.count("\n   again:") == 1


def test_a_target_that_was_never_judged_is_told(cli: Cli, tmp_path: Path) -> None:
    cache = {"KAFKA_CONFORMANCE_CACHE": str(tmp_path)}
    cli(*FAULTY, **cache)
    ended = cli("findings", "last/kio", **cache)
    assert (ended.code, ended.error) == (
        2,
        "no run has kept findings of kio (but of faulty:RefusesNulls)",
    )


def test_what_was_judged_before_the_last_run_is_listed_and_shown(cli: Cli, tmp_path: Path) -> None:
    cache = {"KAFKA_CONFORMANCE_CACHE": str(tmp_path)}
    others = ("faulty:RefusesNullsAndWritesNone", *FAULTY[2:])
    cli(*FAULTY, **cache)
    cli("codec", *others, **cache)
    shown = cli("findings", "last", **cache).out.splitlines()
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC in \S+"
    assert re.fullmatch(rf"RefusesNullsAndWritesNone \(.*\), judged {when}: .*", shown[0])
    command = "kafka-conformance findings last/faulty:RefusesNulls"
    before = rf"before it: RefusesNulls \(right 0.1.0\), judged {when}: {command}"
    assert re.fullmatch(before, shown[-1])
    _, *words = command.split()
    assert cli(*words, **cache).out.startswith("RefusesNulls (")
    cli(*FAULTY, **cache)
    assert cli("findings", "last", **cache).out.count("before it:") == 1


def test_a_case_alone_is_told_with_what_the_whole_run_said_of_it(cli: Cli, tmp_path: Path) -> None:
    cache = {"KAFKA_CONFORMANCE_CACHE": str(tmp_path)}
    cli(*FAULTY, **cache)
    alone = cli(*FAULTY[:2], "--case", CASE, **cache).out
    [told] = [line for line in alone.splitlines() if line.startswith("stands for finding 1 of ")]
    assert "looks like: a codec that refuses null wherever" in told
    assert told.endswith("kafka-conformance findings last/faulty:RefusesNulls 1")
    other = cli("codec", "faulty:RefusesNullsAndWritesNone", "--case", CASE, **cache).out
    assert "stands for finding" not in other


def test_rules_that_were_broken_come_with_class_and_counts(failed: Ended) -> None:
    rows = [line.split() for line in failed.out.splitlines() if line.startswith("│")]
    assert ["│", "primitives.null-array", "│", "must", "│", "2", "│", "3", "│"] in rows


def test_a_finding_tells_cause_case_bytes_and_command(failed: Ended) -> None:
    head = failed.out.lstrip("\n").splitlines()[:13]
    looks = "a codec that refuses null wherever some version of the message does not allow it"
    refused = "refused: ValueError: null in MetadataRequest"
    assert head == [
        f"1. decode and roundtrip of MetadataRequest: {refused} (2 cases)",
        f"   looks like: {looks}, reading alone (mutant NothingNewlyNull)",
        "   class:    must",
        f"   hurts:    {catalogue()['versions.nullable-from-version'].harm}",
        f"   to do:    {catalogue()['versions.nullable-from-version'].remedy}",
        "   rules:    versions.nullable-from-version, primitives.null-array",
        f"   case:     {CASE}",
        "   input:    ffffffff",
        '   expected: {"topics":null}',
        "   actual:   rejected: ValueError null in MetadataRequest",
        "       offset  sent         field",
        "            0  ff ff ff ff  topics(length)  int32  -1 (null)",
        f"   again:    kafka-conformance codec faulty:RefusesNulls --case {CASE}",
    ]


def test_piped_output_has_no_escape_codes_and_fits_100_columns(failed: Ended) -> None:
    assert "\x1b" not in failed.out
    tables = [line for line in failed.out.splitlines() if line[:1] in "┏┃┡│├└"]
    assert max(map(len, tables)) <= 100


def test_the_command_of_a_finding_fails_alone(cli: Cli, again: str, tmp_path: Path) -> None:
    name, *arguments = shlex.split(again)
    assert name == "kafka-conformance"
    ended = cli(*arguments, "--results", tmp_path / "again.ndjson")
    assert ended.code == 1
    verdicts = [v for v in read_lines(tmp_path / "again.ndjson") if isinstance(v, Verdict)]
    assert {(v.case, v.verdict) for v in verdicts} == {(CASE, "fail")}
    assert again in ended.out


def test_results_are_a_run_its_verdicts_findings_and_a_summary(lines: list[Any]) -> None:
    kinds = [kind for kind, _ in groupby(type(line) for line in lines)]
    assert kinds == [Run, Verdict, Finding, Summary]
    assert isinstance(lines[1], Verdict)


def test_the_header_of_results_tells_target_and_selection(lines: list[Any]) -> None:
    run = lines[0]
    assert (run.target, run.target_version, run.profile) == (
        "faulty:RefusesNulls",
        "right 0.1.0",
        "spec",
    )
    assert run.selection == {"messages": ["MetadataRequest"], "versions": [1]}


def test_results_hold_bytes_where_it_is_no_pass(lines: list[Any]) -> None:
    verdicts = [line for line in lines if isinstance(line, Verdict)]
    assert {"pass", "fail"} <= {verdict.verdict for verdict in verdicts}
    for verdict in verdicts:
        shown = (verdict.input, verdict.expected, verdict.actual)
        if verdict.verdict == "fail":
            assert None not in shown
        elif verdict.verdict in ("pass", "not-proven"):
            assert shown == (None, None, None)


def test_the_summary_counts_the_verdicts(lines: list[Any]) -> None:
    verdicts = [line for line in lines if isinstance(line, Verdict)]
    summary = lines[-1]
    assert summary.verdicts == dict(Counter(verdict.verdict for verdict in verdicts))
    assert summary.cases == len({verdict.case for verdict in verdicts})
    assert summary.exit_code == 1


def test_findings_of_the_results_cover_every_failure(lines: list[Any]) -> None:
    broken = {v.case for v in lines if isinstance(v, Verdict) and v.verdict == "fail"}
    assert sum(line.count for line in lines if isinstance(line, Finding)) == len(broken)


def test_junit_has_a_failure_for_each_rule(failed: Ended, outputs: Path) -> None:
    root = ElementTree.parse(outputs / "junit.xml").getroot()
    failures = [node.get("message") or "" for node in root.iter("failure")]
    texts = [node.text or "" for node in root.iter("failure")]
    assert len([text for text in texts if "case:     MetadataRequest-v1-null" in text]) == 2
    assert any("primitives.null-array (must): fail" in text for text in [*failures, *texts])
    [suite] = root.iter("testsuite")
    assert int(suite.get("tests") or 0) >= 6


def test_allure_has_a_result_for_each_item(failed: Ended, outputs: Path) -> None:
    files = list((outputs / "deep" / "allure").glob("*-result.json"))
    results = [json.loads(file.read_text()) for file in files]
    statuses = Counter(result["status"] for result in results)
    assert statuses["failed"] >= 2
    assert statuses["passed"] >= 2


def verdict_counts(cli: Cli, path: Path, *arguments: object) -> dict[str, int]:
    cli(*arguments, "--results", path)
    *_, summary = read_lines(path)
    assert isinstance(summary, Summary)
    return summary.verdicts


def test_workers_judge_the_same(cli: Cli, tmp_path: Path) -> None:
    arguments = ("codec", "faulty:RefusesNulls")
    alone = verdict_counts(cli, tmp_path / "alone", *arguments)
    shared = verdict_counts(cli, tmp_path / "shared", *arguments, "-n", "2")
    assert alone == shared
    assert alone["fail"] > 10


def verdicts(cli: Cli, path: Path, *arguments: object) -> list[Verdict]:
    ended = cli("codec", "reference", *arguments, "--results", path)
    assert ended.code == 0, ended.err
    return [line for line in read_lines(path) if isinstance(line, Verdict)]


def version_of_vector(verdict: Verdict) -> int:
    """Of the vector that a case comes from; the case may ask for that of another version."""
    [version] = re.findall(r"-v(\d+)-", verdict.case)
    return int(version)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (("--rule", "compact.*"), lambda v: v.rule.startswith("compact.")),
        (
            ("--rule", "tags.ascending", "--rule", "*.null-array"),
            lambda v: v.rule in ("tags.ascending", "primitives.null-array"),
        ),
        (("--class", "harden"), lambda v: v.class_ == "harden"),
        (("--api-version", "4", "--api-version", "9"), lambda v: version_of_vector(v) in (4, 9)),
        (("-k", "framing or tags"), lambda v: v.rule.startswith(("framing.", "tags."))),
        (
            ("--case", "MetadataRequest-v9-filled/encode"),
            lambda v: v.case == "MetadataRequest-v9-filled/encode",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_selection_judges_that_and_nothing_else(
    cli: Cli, tmp_path: Path, arguments: tuple[str, ...], kept: Any
) -> None:
    found = verdicts(cli, tmp_path / "r", "--message", "MetadataRequest", *arguments)
    assert found
    assert all(kept(verdict) for verdict in found)


def test_the_profile_kafka_is_kept_in_the_command_that_reproduces(cli: Cli) -> None:
    ended = cli(*FAULTY, "--profile", "kafka", "--timeout", "2.5")
    assert f"--profile kafka --timeout 2.5 --case {CASE}" in ended.out


def test_options_behind_the_dashes_are_the_command_s_own(cli: Cli) -> None:
    command = program("--rule", "x", "--message", "-n")
    ended = cli("codec", "--rule", "primitives.null-array", "--api-version", "1", *command)
    assert ended.code == 1
    assert "rejected: Told --rule x --message -n" in ended.out
    assert shlex.join(command[1:]) in ended.out
    [again] = set(re.findall(r"again: +kafka-conformance (.*)", ended.out))
    assert "rejected: Told --rule x --message -n" in cli(*shlex.split(again)).out


def test_several_targets_end_with_a_line_each(cli: Cli) -> None:
    ended = cli("codec", "reference", *FAULTY[1:])
    assert ended.code == 1
    assert ended.out.splitlines()[-2:] == [
        "reference     no failure",
        "RefusesNulls  1 defect breaks the protocol",
    ]


def test_a_target_that_can_not_be_judged_does_not_keep_others_from_it(cli: Cli) -> None:
    ended = cli("codec", "faulty:Gone", "reference", *FAULTY[2:])
    assert ended.code == 3
    assert "Gone: not judged: " in ended.out
    assert ": no failure\n" in ended.out


def test_a_missing_toolchain_may_be_skipped(cli: Cli, tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path), "KAFKA_CONFORMANCE_CACHE": str(tmp_path)}
    message = ("--message", "ControlledShutdownResponse")
    both = cli("codec", "kafka-clients", "reference", *message, "--skip-missing", **bare)
    assert (both.code, both.err) == (0, "")
    assert both.out.startswith("kafka-clients: not judged: building kafka-clients needs java, mvn")
    assert "\nkafka-clients  not judged: building" in both.out
    alone = cli("codec", "kafka-clients", *message, "--skip-missing", **bare)
    assert alone.code == 3
    unskipped = cli("codec", "kafka-clients", *message, **bare)
    assert unskipped.code == 3
    assert unskipped.error.startswith("building kafka-clients needs java, mvn on the PATH (install")


def test_a_codec_may_take_64_bit_integers_as_text(cli: Cli) -> None:
    ended = cli("codec", "faulty:DecimalText", "--message", "OffsetFetchResponse")
    assert ended.code == 0, ended.out


def test_a_crash_ends_with_1_and_shows_its_last_words(cli: Cli) -> None:
    ended = cli("codec", "faulty:Dies", "--case", "MetadataRequest-v1-filled/encode")
    assert ended.code == 1
    assert "crash: exited with status 134; its stderr ends with: assertion failed" in ended.out


def test_a_hang_ends_with_1(cli: Cli) -> None:
    case = ("--case", "MetadataRequest-v1-filled/encode")
    ended = cli("codec", "faulty:Hangs", *case, "--timeout", "0.4")
    assert ended.code == 1
    assert "encode of MetadataRequest: hang: no answer within 1.2 s, asked alone" in ended.out


def test_a_terminal_that_knows_ascii_only_is_no_reason_to_fail(cli: Cli) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ended = cli("codec", "reference", "--message", "ControlledShutdownResponse", **ascii_only)
    assert (ended.code, ended.err) == (0, "")


def test_pytest_options_of_the_environment_are_not_ours(cli: Cli) -> None:
    foreign = {"PYTEST_ADDOPTS": "--no-such-option", "PYTEST_PLUGINS": "no_such_plugin"}
    ended = cli("codec", "reference", "--message", "ControlledShutdownResponse", **foreign)
    assert (ended.code, ended.err) == (0, "")
