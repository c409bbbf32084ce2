"""`--name` says what a target is called, in all that is printed and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Run
from tests.cli.conftest import Cli, program

NAMED = ("--name", "our  own")
RUNS = {
    "codec": ("codec", "reference", "--message", "ControlledShutdownResponse"),
    "broker": ("broker", "--start", "reference", "--rule", "framing.zero-size-closes"),
    "client": ("client", "reference", "--rule", "client-telemetry.null-survived"),
    "proxy": ("proxy", "--start", "reference", "--rule", "proxy-frames.client-gone-ends-upstream"),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_target_has_the_name_that_it_is_given(
    cli: Cli, tmp_path: Path, run: tuple[str, ...]
) -> None:
    results, summary, junit = (tmp_path / name for name in ("r.ndjson", "s.md", "j.xml"))
    ended = cli(*run, *NAMED, "--results", results, "--summary", summary, "--junit", junit)
    assert "our own (" in ended.out
    assert summary.read_text().startswith("### ✅ our own: ")
    assert 'testsuite name="our own"' in junit.read_text()
    first = next(iter(read_lines(results)))
    assert isinstance(first, Run)
    assert (first.named, first.short_name) == ("our own", "our own")
    assert first.name.startswith("our own (")
    assert cli("findings", results).out.startswith("our own (")


def test_a_finding_has_that_name(cli: Cli, tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    mutant = "conformance.codecs.mutants:TagSizePlusOne"
    only = ("--message", "ApiVersionsRequest", "--api-version", 3)
    cli("codec", mutant, *only, *NAMED, "--results", results)
    assert "our own (" in cli("findings", results, "1").out


def test_one_that_is_not_judged_has_that_name_too(cli: Cli) -> None:
    ended = cli("codec", *NAMED, *program("rubbish"))
    assert "our own" in ended.out + ended.err
