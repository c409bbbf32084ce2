"""`codec --quick` asks few cases, and says so."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.results.files import read_lines
from conformance.results.lines import Run, Summary, Verdict
from tests.cli.conftest import Cli

MUTANT = "conformance.codecs.mutants:TagSizePlusOne"
OWN = "tags.size-is-plain-length"


def test_a_quick_run_says_that_it_is_one_and_what_the_whole_one_has(cli: Cli) -> None:
    ended = cli("codec", "reference", "--quick")
    assert ended.code == 0
    whole = re.search(
        r"a quick run: the whole one, without --quick, has about ([\d,]+) c", ended.out
    )
    cases = re.search(r"^([\d,]+) cases in", ended.out, re.MULTILINE)
    assert whole is not None
    assert cases is not None
    assert int(whole[1].replace(",", "")) > 200_000 > 5_000 >= int(cases[1].replace(",", ""))


def test_the_results_say_so_too(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "results.ndjson"
    assert cli("codec", MUTANT, "--quick", "--results", file).code == 1
    run, *verdicts, summary = [
        line for line in read_lines(file) if isinstance(line, Run | Verdict | Summary)
    ]
    assert isinstance(run, Run)
    assert isinstance(summary, Summary)
    assert run.selection == {"quick": [True]}
    assert any("a quick run" in note for note in summary.notes)
    failed = {v.rule for v in verdicts if isinstance(v, Verdict) and v.verdict == "fail"}
    assert OWN in failed


def test_of_the_quick_cases_those_of_a_rule_and_a_message_are_taken(
    cli: Cli, tmp_path: Path
) -> None:
    every = cases(cli, tmp_path)
    part = cases(cli, tmp_path, "--rule", "tags.*", "--message", "ApiVersionsResponse")
    assert part
    assert part == {
        (case, rule)
        for case, rule in every
        if rule.startswith("tags.") and case.startswith("ApiVersionsResponse-")
    }


def cases(cli: Cli, folder: Path, *options: str) -> set[tuple[str, str]]:
    file = folder / "part.ndjson"
    assert cli("codec", "reference", "--quick", *options, "--results", file).code == 0
    return {(line.case, line.rule) for line in read_lines(file) if isinstance(line, Verdict)}


def test_workers_share_a_quick_run(cli: Cli, tmp_path: Path) -> None:
    one, two = tmp_path / "one.ndjson", tmp_path / "two.ndjson"
    part = ("--message", "ApiVersionsResponse", "--message", "MetadataRequest")
    assert cli("codec", MUTANT, "--quick", *part, "--results", one).code == 1
    assert cli("codec", MUTANT, "--quick", *part, "-n", "2", "--results", two).code == 1
    assert verdicts(one) == verdicts(two) != []


def verdicts(file: Path) -> list[tuple[str, str, str]]:
    found = (line for line in read_lines(file) if isinstance(line, Verdict))
    return sorted((line.case, line.rule, line.verdict) for line in found)


def test_nothing_is_left_where_the_quick_cases_have_nothing_of_a_rule(cli: Cli) -> None:
    part = ("--message", "ControlledShutdownResponse", "--rule", "records.*")
    ended = cli("codec", "reference", "--quick", *part)
    assert ended.code == 3
    assert "nothing is selected" in ended.error
