"""A site as files: what is in them, what is not, and what stands in its way."""

import json
import re

import pytest
from click.testing import CliRunner

from conformance import __version__
from conformance.cli import main
from conformance.reporting.site.building import Site, build
from conformance.reporting.site.compared import compare
from conformance.reporting.site.folder import MARK, SiteFolder
from conformance.reporting.site.pages import script
from conformance.reporting.site.reading import ResultsFile, found
from conformance.results.publish import publish
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

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\"'&"
WRITTEN = "2026-11-22T08:00:00+00:00"


def made(folder, *paths, **how):
    build(found(list(paths)), folder, Site(written=WRITTEN, **how))
    return folder


def report(*arguments):
    return CliRunner().invoke(main, ["site", *map(str, arguments)])


def files_of(site):
    return [path for path in site.rglob("*") if path.is_file()]


def data(text):
    """What a script hands over."""
    return json.loads(text.removeprefix("kafkaConformance.take(").split(",", 1)[1].rstrip(");\n"))


def test_a_script_can_not_be_ended_by_what_it_holds():
    text = script(HOSTILE, {"said": HOSTILE})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads("[" + text.removeprefix("kafkaConformance.take(").rstrip(");\n") + "]") == [
        HOSTILE,
        {"said": HOSTILE},
    ]


def test_pages_scripts_and_style_are_all_there_is(tmp_path):
    site = made(tmp_path / "site", a_file(tmp_path))
    names = {str(path.relative_to(site)) for path in files_of(site)}
    assert {"index.html", "targets/codec-mine-1.0.html", "data/index.js", MARK} <= names
    badges = {name for name in names if name.startswith("badges/")}
    assert badges == {"badges/codec-mine-1.0.svg", "badges/codec-mine-1.0.json"}
    assert {name.rpartition(".")[2] for name in names - badges} == {"html", "js", "css", "txt"}


def test_no_page_asks_anything_of_a_network(tmp_path):
    site = made(tmp_path / "site", a_file(tmp_path))
    for page in site.rglob("*.html"):
        loaded = re.findall(r"""(?:src|rel="stylesheet" href)="([^"]*)""", page.read_text("utf-8"))
        assert loaded
        assert not any(":" in address.removeprefix("data:") for address in loaded)


def test_no_page_has_a_script_or_a_style_in_it(tmp_path):
    site = made(tmp_path / "site", a_file(tmp_path))
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in text
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src=)", text)


def test_hostile_names_are_escaped_on_every_page(tmp_path):
    failure = a_failure(HOSTILE, detail=HOSTILE, message=HOSTILE, rule=f"tags.{HOSTILE}")
    lines = (a_run(HOSTILE, target_version=HOSTILE), failure, a_finding(cause=HOSTILE), A_SUMMARY)
    older = write(tmp_path / "a" / "r.ndjson", *lines)
    newer = write(tmp_path / "b" / "r.ndjson", *lines)
    site = made(tmp_path / "site", older, newer, title=HOSTILE)
    for page in (*site.rglob("*.html"), *(site / "data").rglob("*.js")):
        assert "<img src=x" not in page.read_text("utf-8")


def test_versions_and_the_date_are_on_every_page(tmp_path):
    old = a_file(tmp_path / "old", started="2026-11-01T00:00:00+00:00")
    site = made(tmp_path / "site", old, a_file(tmp_path / "new"))
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "2026-11-22" in text
        assert __version__ in text
    for page in [*(site / "targets").iterdir(), *(site / "compare").iterdir()]:
        text = page.read_text("utf-8")
        assert "mine 1.0" in text
        assert "4.3.1" in text
        assert "2026-11-21" in text


def test_failures_of_one_case_share_their_bytes(tmp_path):
    failures = [a_failure(rule=rule) for rule in (ASCENDING, "tags.size-is-plain-length")]
    site = made(tmp_path / "site", a_file(tmp_path, "mine", *failures))
    group = data((site / "data/codec-mine-1.0/0.js").read_text())
    assert len(group["parts"]) == 1
    assert [rule["kept"][0]["parts"] for rule in group["rules"]] == [0, 0]


def test_the_command_of_a_failure_has_the_options_of_its_run(tmp_path):
    run = a_run(again=["codec", "mine", "--timeout", "3"])
    path = write(tmp_path / "r.ndjson", run, a_failure("another case"), A_SUMMARY)
    group = data((made(tmp_path / "site", path) / "data/codec-mine-1.0/0.js").read_text())
    assert group["rules"][0]["kept"][0]["again"] == (
        "kafka-conformance codec mine --timeout 3 --case 'another case'"
    )


def test_a_diagnosis_is_told_of_every_failure_of_its_rule(tmp_path):
    finding = a_finding("another case", diagnosis="a tag's size is taken as N + 1")
    path = write(tmp_path / "r.ndjson", a_run(), a_failure("one"), finding, A_SUMMARY)
    group = data((made(tmp_path / "site", path) / "data/codec-mine-1.0/0.js").read_text())
    assert group["rules"][0]["kept"][0]["diagnosis"] == "a tag's size is taken as N + 1"


def test_a_known_failure_has_its_public_issue(tmp_path):
    known = tmp_path / "known.toml"
    known.write_text(f'[[known]]\nrule = "{ASCENDING}"\nverdict = "fail"\nissue = "some/codec#7"\n')
    assert report(a_file(tmp_path), "-o", tmp_path / "site", "--known", known).exit_code == 0
    group = data((tmp_path / "site/data/codec-mine-1.0/0.js").read_text())
    assert group["rules"][0]["kept"][0]["issue"] == [
        "some/codec#7",
        "https://github.com/some/codec/issues/7",
    ]


def test_the_fields_of_bytes_are_named_by_the_definitions(tmp_path):
    sent = "00000001000474657374" + "00"
    failure = a_failure("f", message="MetadataRequest", version=1, op="decode", input=sent)
    assert report(a_file(tmp_path, "mine", failure), "-o", tmp_path / "site").exit_code == 0
    group = data((tmp_path / "site/data/codec-mine-1.0/0.js").read_text())
    paths = [row[6] for row in group["parts"][0][0]["rows"]]
    assert paths[:3] == ["topics(length)", "topics[0].name(length)", "topics[0].name"]


def test_two_runs_of_a_target_are_compared(tmp_path):
    old = a_file(tmp_path / "old", "mine", a_failure("a"), started="2026-11-01T00:00:00+00:00")
    new = a_file(tmp_path / "new", "mine", a_verdict(case="a", op="roundtrip"), a_failure("b"))
    site = made(tmp_path / "site", old, new)
    [page] = (site / "compare").iterdir()
    text = page.read_text("utf-8")
    assert "broke 1" in text
    assert "mended 1" in text


def test_a_comparison_has_what_was_before_on_the_left(tmp_path):
    old = a_file(tmp_path / "old", "mine", a_failure("a"), started="2026-11-01T00:00:00+00:00")
    new = a_file(tmp_path / "new", "mine", a_verdict(case="a", op="roundtrip"), a_failure("b"))
    [page] = (made(tmp_path / "site", old, new) / "compare").iterdir()
    text = page.read_text("utf-8")
    heads = re.findall(r'<th scope="col">(Before|After)</th>', text)
    cells = re.findall(r'<th scope="row">[^<]*</th><td>([^<]*)</td><td>([^<]*)</td>', text)
    assert (heads, cells) == (["Before", "After"], [("not asked", "fail"), ("fail", "pass")])
    runs = re.findall(r'<h2 id="(\w+)">.*?<time datetime="([\d-]+)T', text, re.S)
    assert runs == [("older", "2026-11-01"), ("newer", "2026-11-21")]


def test_what_ends_a_target_is_withheld_from_comparisons_too(tmp_path):
    weapon = a_failure("weapon", verdict="crash", detail="weapon")
    old = a_file(tmp_path / "old", started="2026-11-01T00:00:00+00:00")
    new = a_file(tmp_path / "new", "mine", weapon)
    site = made(tmp_path / "site", old, new)
    assert [*(site / "compare").iterdir()]
    assert not any("weapon" in file.read_text("utf-8") for file in files_of(site))


def test_a_published_run_and_a_raw_one_are_compared_without_false_news(tmp_path):
    crash = a_failure("weapon", verdict="crash")
    raw = a_file(tmp_path / "raw", "mine", crash, started="2026-11-01T00:00:00+00:00")
    (tmp_path / "published").mkdir()
    publish(raw, published := tmp_path / "published" / "mine.ndjson.gz")
    compared = compare(ResultsFile(raw), ResultsFile(published))
    assert compared.rows == []
    assert compared.counts[-1] == ("=", "broken as before", 1)


def test_runs_of_different_suites_and_definitions_are_told_on_the_front(tmp_path):
    one = a_file(tmp_path, "one", definitions="4.3.1")
    two = a_file(tmp_path, "two", definitions="3.9.2", suite_version="0.0.1")
    text = (made(tmp_path / "site", one, two) / "index.html").read_text("utf-8")
    assert "different versions of the suite: 0.0.1" in text
    assert "3.9.2, 4.3.1" in text


def test_a_fuzzers_progress_is_drawn(tmp_path):
    path = a_file(tmp_path / "fuzz", "mine", a_failure())
    lines = [f'{{"executions":{n},"edges":{n * n},"seconds":{n}.0}}\n' for n in range(1, 5000)]
    (path.parent / "progress.ndjson").write_text("".join(lines))
    [page] = (made(tmp_path / "site", path.parent) / "targets").iterdir()
    text = page.read_text("utf-8")
    assert 'class="curve"' in text
    assert "executions in" in text


def test_the_same_results_make_the_same_site(tmp_path):
    path = a_file(tmp_path)
    one, two = made(tmp_path / "one", path), made(tmp_path / "two", path)
    assert files_of(one)
    for file in files_of(one):
        assert file.read_bytes() == (two / file.relative_to(one)).read_bytes()


def test_a_site_of_ours_is_replaced(tmp_path):
    site = made(tmp_path / "site", a_file(tmp_path))
    (site / "stale.html").write_text("old")
    made(site, a_file(tmp_path))
    assert not (site / "stale.html").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("years of work")
    result = report(a_file(tmp_path), "-o", tmp_path / "home")
    assert result.exit_code == 2
    assert "not empty" in result.output
    assert (tmp_path / "home" / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_leaves_the_site_that_was_there(tmp_path, monkeypatch):
    site = made(tmp_path / "site", a_file(tmp_path))
    before = (site / "index.html").read_bytes()

    def full(self, name, text):
        if name == "index.html":
            raise OSError(28, "No space left on device")
        return write_(self, name, text)

    write_ = SiteFolder.write
    monkeypatch.setattr(SiteFolder, "write", full)
    result = report(a_file(tmp_path, "other"), "-o", site)
    assert result.exit_code == 3
    assert "No space left on device" in result.output
    assert (site / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_empty_folder_has_no_results(tmp_path):
    (tmp_path / "none").mkdir()
    result = report(tmp_path / "none", "-o", tmp_path / "site")
    assert result.exit_code == 2
    assert "no results" in result.output
    assert len(result.output.splitlines()) == 1
    assert not (tmp_path / "site").exists()


def test_what_is_no_results_file_is_told_in_one_line(tmp_path):
    (tmp_path / "odd.ndjson").write_text("hello\n")
    result = report(tmp_path / "odd.ndjson", "-o", tmp_path / "site")
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("cut", [True, False])
def test_results_cut_short_are_shown_and_said_to_be_so(tmp_path, cut):
    lines = [a_run(), a_failure(), *([] if cut else [A_SUMMARY])]
    result = report(write(tmp_path / "r.ndjson", *lines), "-o", tmp_path / "site")
    assert result.exit_code == (3 if cut else 0)
    page = (tmp_path / "site/targets/codec-mine-1.0.html").read_text("utf-8")
    assert ("cut short" in page) is cut
    assert ("cut short" in result.output) is cut


def test_two_files_can_be_compared_by_name(tmp_path):
    old, new = a_file(tmp_path / "a", "one"), a_file(tmp_path / "b", "two")
    result = report(new, "-o", tmp_path / "site", "--compare", old, new)
    assert result.exit_code == 0
    [page] = (tmp_path / "site" / "compare").iterdir()
    assert "another target: one and two" in page.read_text("utf-8")


def test_the_first_page_tells_languages_and_how_many_rules_were_decided(tmp_path):
    other = a_verdict("pass", case="b", rule="tags.unknown-high-tag")
    unsupported = a_verdict("unsupported", case="c", rule="tags.unknown-high-tag")
    whole = a_file(tmp_path / "one", "mine", a_verdict(), other)
    part = a_file(tmp_path / "two", "theirs", a_verdict(), unsupported, language="rust")
    text = (made(tmp_path / "site", whole, part) / "index.html").read_text("utf-8")
    counts = re.findall(r'data-label="rules decided">([^<]+)<', text)
    names = re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>(?: <small>(\w+)</small>)?', text)
    assert sorted(counts) == ["1 of 2", "2 of 2"]
    assert {language for _, language in names} == {a_run().language, "rust"}
