"""`codec --quick`: few cases, said so; and the same cases first where all are asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
    assert int(whole[1].replace(",", "")) > 200_000 > 2_000 >= int(cases[1].replace(",", ""))


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


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_the_first_cases_of_a_whole_run_tell_before_it_starts(
    cli: Cli, quiet: tuple[str, ...]
) -> None:
    ended = cli("codec", "faulty:RefusesNulls", "-k", "nothing-of-that-name", *quiet)
    assert "of the first" not in ended.out  # a part of the suite has no first cases
    ended = cli("codec", "faulty:RefusesNulls", *quiet)
    told = re.match(r"faulty:RefusesNulls: \d+ of the first \d+ cases failed: ", ended.out)
    assert (told is None) == bool(quiet)
    assert ended.code == 1


def test_what_is_known_to_fail_is_not_told_first(cli: Cli, tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert cli("codec", "faulty:RefusesNulls", "--known", known, "--update-known").code == 0
    ended = cli("codec", "faulty:RefusesNulls", "--known", known)
    assert (ended.code, "of the first" in ended.out) == (0, False)
