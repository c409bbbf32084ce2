"""The forms that a run writes, and those made of its results afterwards."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.results.publish import publish
from tests.ci.making import ALL, FAILED, PASSED, written
from tests.cli.conftest import Cli, Ended, cli

__all__ = ["cli"]

FAULTY = ("codec", "faulty:RefusesNulls", "--message", "MetadataRequest", "--api-version", 1)
OFF = {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@pytest.fixture(scope="module")
def ran(cli: Cli, folder: Path) -> Ended:
    """A run that fails, with every form, as an action of GitHub."""
    page = folder / "page.md"
    page.write_text("before\n")
    return cli(
        *FAULTY,
        *("--results", folder / "results.ndjson", "--junit", folder / "junit.xml"),
        *("--summary", folder / "summary.md", "--badge", folder / "badge.json", "--quiet"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(page),
    )


def test_a_run_writes_all_forms(ran: Ended, folder: Path) -> None:
    assert ran.code == 1
    assert int(ElementTree.parse(folder / "junit.xml").getroot().get("failures") or 0) == 2
    assert json.loads((folder / "badge.json").read_text())["message"] == "1 defect"
    assert "1 defect breaks the protocol" in (folder / "summary.md").read_text()


def test_on_github_the_page_and_the_annotations_need_no_option(ran: Ended, folder: Path) -> None:
    page = (folder / "page.md").read_text()
    assert page == f"before\n{(folder / 'summary.md').read_text()}"
    first, second, last = ran.out.splitlines()
    assert first.startswith("RefusesNulls (right 0.1.0): ")
    assert second.startswith("::error title=RefusesNulls%3A ")
    assert last.startswith("::error title=RefusesNulls::")


def test_on_github_it_can_be_left_out(cli: Cli, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    on_github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(page)}
    ended = cli(*FAULTY, "--annotate", "none", **on_github)
    assert ended.code == 1, ended.err
    assert "::error" not in ended.out
    assert not page.exists()


def test_elsewhere_nothing_is_annotated(cli: Cli) -> None:
    ended = cli(*FAULTY, **OFF)
    assert ended.code == 1, ended.err
    assert "::error" not in ended.out


def test_a_target_that_can_not_be_judged_is_annotated(cli: Cli, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    ended = cli("codec", "faulty:Gone", "--annotate", "github", "--summary", summary, **OFF)
    assert ended.code == 3
    assert ended.out.startswith("::error title=Gone%3A not judged::")
    assert "not judged" in summary.read_text()


def test_several_targets_share_a_summary(cli: Cli, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier run")
    part = ("--message", "ControlledShutdownResponse", "--summary", summary)
    cli("codec", "faulty:Right", "reference", *part, **OFF)
    heads = [line for line in summary.read_text().splitlines() if line.startswith("#")]
    assert len(heads) == 2
    assert "earlier" not in summary.read_text()


@pytest.mark.parametrize("option", ["--summary", "--badge", "--junit"])
def test_what_can_not_be_written_is_said_before_the_run(
    cli: Cli, tmp_path: Path, option: str
) -> None:
    ended = cli("codec", "faulty:Slow", option, tmp_path / "gone" / "file")
    assert (ended.code, ended.out) == (2, "")
    assert "choose a place that can be written" in ended.error


def test_brokers_and_clients_have_the_same_forms(cli: Cli, tmp_path: Path) -> None:
    broker = ("broker", "--start", "reference", "--rule", "request-header.*", "--quick")
    client = ("client", "reference", "--rule", "client-fallback.no-hint-means-v0")
    for number, command in enumerate((broker, client)):
        junit, summary = tmp_path / f"{number}.xml", tmp_path / f"{number}.md"
        ended = cli(*command, "--junit", junit, "--summary", summary, "-q", **OFF)
        assert ended.code == 0, ended.err
        assert len(ended.out.splitlines()) == 1
        assert "| **all** |" in summary.read_text()
        assert ElementTree.parse(junit).getroot().get("failures") == "0"


def test_results_are_converted_into_what_the_run_wrote(
    cli: Cli, ran: Ended, folder: Path, tmp_path: Path
) -> None:
    names = ("junit.xml", "summary.md", "badge.json")
    options = ("--junit", "--summary", "--badge")
    words = [word for pair in zip(options, names, strict=True) for word in pair]
    ended = cli("convert", folder / "results.ndjson", *words, cwd=tmp_path)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    for name in names:
        assert (tmp_path / name).read_text() == (folder / name).read_text()


def test_published_results_are_converted_too(cli: Cli, tmp_path: Path) -> None:
    publish(written(tmp_path / "r.ndjson", *ALL), tmp_path / "r.ndjson.gz")
    ended = cli("convert", tmp_path / "r.ndjson.gz", "--summary", "-")
    assert ended.code == 0
    assert "withheld" in ended.out
    assert "00beef00" not in ended.out


def test_junit_withholds_what_does_harm_where_it_is_for_anybody(cli: Cli, tmp_path: Path) -> None:
    results = written(tmp_path / "r.ndjson", *ALL)
    all_of_it, public = tmp_path / "all.xml", tmp_path / "public.xml"
    cli("convert", results, "--junit", all_of_it)
    cli("convert", results, "--junit", public, "--public")
    assert "00beef00" in all_of_it.read_text()
    assert "00beef00" not in public.read_text()
    assert ElementTree.parse(public).getroot().get("failures") == "2"


def test_several_results_are_one_summary_and_no_one_badge(cli: Cli, tmp_path: Path) -> None:
    for name, code in (("a", 1), ("b", 0)):
        written(tmp_path / f"{name}.ndjson", FAILED if code else PASSED, code=code, target=name)
    shown = cli("convert", tmp_path, "--summary", "-", "--annotate", "github")
    assert [line[:7] for line in shown.out.splitlines() if line[:3] == "###"] == [
        "### ❌ a",
        "### ✅ b",
    ]
    assert shown.out.count("::error") == 2
    refused = cli("convert", tmp_path, "--badge", tmp_path / "badge.json")
    assert refused.code == 2
    assert "one run at a time" in refused.err


def test_results_cut_short_are_told_to_be(cli: Cli, tmp_path: Path) -> None:
    whole = written(tmp_path / "r.ndjson", *ALL).read_bytes()
    (tmp_path / "cut.ndjson").write_bytes(whole[:-40])
    (tmp_path / "cut.ndjson.gz").write_bytes(gzip.compress(whole)[:-20])
    for name in ("cut.ndjson", "cut.ndjson.gz"):
        ended = cli("convert", tmp_path / name, "--summary", "-")
        assert ended.code == 3, ended.err
        assert "interrupted" in ended.out.splitlines()[0]


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", 2, "empty"),
        (b"no results\n", 2, "is it a results file?"),
        (None, 2, "is it a results file?"),
    ],
)
def test_what_is_no_results_file_is_said(
    cli: Cli, tmp_path: Path, content: bytes | None, code: int, said: str
) -> None:
    path = tmp_path / "r.ndjson"
    if content is not None:
        path.write_bytes(content)
    ended = cli("convert", path, "--summary", "-")
    assert ended.code == code
    assert said in ended.error


def test_a_conversion_into_nothing_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    ended = cli("convert", written(tmp_path / "r.ndjson", FAILED))
    assert ended.code == 2
    assert "name a form" in ended.err
