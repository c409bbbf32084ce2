"""The front page: a word for each target, and the best first."""

import re

import pytest
from msgspec import structs

from conformance.reporting.site.building import Site, build
from conformance.reporting.site.gathered_run import gather
from conformance.reporting.site.reading import ResultsFile, found
from conformance.reporting.site.standing import Part, standing
from conformance.results.lines import Decided
from tests.reporting.site.lines import (
    A_SUMMARY,
    ASCENDING,
    SKIPPED,
    a_failure,
    a_finding,
    a_run,
    a_verdict,
    write,
)

NEWEST = {"MetadataRequest": range(8, 13), "FetchRequest": range(5), "SomeRecord": range(9)}
HARDEN = {"rule": SKIPPED, "class_": "harden"}


def definitions(release):
    return {} if release else NEWEST


def stands(folder, *lines, kind="codec", **run):
    path = write(folder / "r.ndjson", a_run(**run), *lines)
    return standing(gather(ResultsFile(path)), kind, definitions)


def must(case="a"):
    return a_failure(case), a_finding(case, kind="must")


def crash(case="b", **changes):
    failed = a_failure(case, verdict="crash", **changes | HARDEN)
    return failed, a_finding(case, kind="crash", ends="crash", rules=[SKIPPED])


@pytest.mark.parametrize(
    ("lines", "run", "word", "kind"),
    [
        ((a_verdict(), A_SUMMARY), {}, "conforms", "pass"),
        ((*must(), A_SUMMARY), {}, "1 defect", "fail r1"),
        ((*must(), *must("c"), A_SUMMARY), {}, "2 defects", "fail r1"),
        ((*crash(), A_SUMMARY), {}, "can be ended by 9 bytes", "harm"),
        ((*crash(input=None), A_SUMMARY), {}, "1 defect", "fail r1"),
        ((a_verdict(), A_SUMMARY), {"selection": {"--rule": ["tags.*"]}}, "no failure", "pass"),
        ((a_verdict(),), {}, "interrupted", "none"),
        ((a_verdict("not-proven"), A_SUMMARY), {}, "not judged", "none"),
        ((a_verdict("unsupported"), A_SUMMARY), {}, "not judged", "none"),
        ((a_verdict("error"), a_verdict(), A_SUMMARY), {}, "not judged to the end", "none"),
        ((a_failure(), A_SUMMARY), {}, "1 rule broken", "fail r1"),
    ],
)
def test_a_target_has_a_word(tmp_path, lines, run, word, kind):
    at = stands(tmp_path, *lines, **run)
    assert (at.word, at.kind) == (word, kind)


def test_a_fuzzer_that_found_nothing_says_of_nobody_that_they_conform(tmp_path):
    assert stands(tmp_path, A_SUMMARY, kind="fuzz").word == "nothing found"


def test_defects_are_causes_in_the_words_of_the_closing_block(tmp_path):
    cases = [a_failure(f"c{n}") for n in range(20)]
    at = stands(tmp_path, *cases, a_finding("c0", kind="must", count=20), *crash(), A_SUMMARY)
    assert (at.kinds["must"], at.kinds["crash"]) == (1, 1)
    assert at.outcome == "1 defect breaks the protocol, 1 can end its process"
    assert at.measured == "2 cases of 1 message in 2.0 s"


def test_a_badge_has_the_word_and_never_what_ends_the_target(tmp_path):
    assert stands(tmp_path / "a", a_verdict(), A_SUMMARY).badge.message == "conforms to 1 rule"
    assert stands(tmp_path / "b", *crash(), A_SUMMARY).badge.message == "1 defect"


def test_how_much_of_the_protocol_a_codec_has(tmp_path):
    lines = [a_verdict(version=12), a_verdict("unsupported", "b", version=11)]
    record = a_verdict(case="c", message="SomeRecord", version=0)
    old = a_verdict(case="d", version=3)
    at = stands(tmp_path, *lines, record, old, A_SUMMARY)
    assert at.has == Part(2, 10)
    assert stands(tmp_path, *lines, A_SUMMARY, kind="client").has is None


@pytest.mark.parametrize(
    ("some", "of", "percent"),
    [(0, 9, "0 %"), (1, 999, "1 %"), (999, 1000, "99 %"), (9, 9, "100 %"), (0, 0, "0 %")],
)
def test_only_all_is_100_percent_and_only_none_is_0(some, of, percent):
    assert Part(some, of).percent == percent


def test_must_rules_are_kept_where_they_were_judged(tmp_path):
    kept = a_verdict(rule="tags.size-is-plain-length")
    unasked = a_verdict("unsupported", rule="tags.unknown-high-tag")
    at = stands(tmp_path, kept, unasked, *must(), *crash(), A_SUMMARY)
    assert at.kept == Part(1, 2)


def test_the_best_is_first_on_the_front_page(tmp_path):
    more = a_verdict(case="m", message="FetchRequest", version=4)
    targets = {
        "unjudged": (a_verdict("unsupported"), A_SUMMARY),
        "in part": (a_verdict(), A_SUMMARY),
        "two must": (*must(), *must("c"), A_SUMMARY),
        "one must and a crash": (*must(), *crash(), A_SUMMARY),
        "one must": (*must(), A_SUMMARY),
        "a crash": (*crash(input=None), A_SUMMARY),
        "reference": (a_verdict(), more, A_SUMMARY),
        "right": (a_verdict(), A_SUMMARY),
        "right and more": (a_verdict(), more, A_SUMMARY),
    }
    for name, lines in targets.items():
        chosen = {"selection": {"--rule": [ASCENDING]}} if name == "in part" else {}
        run = a_run(name, target_version=name, **chosen)
        write(tmp_path / "in" / f"{name}.ndjson", run, *lines)
    site = Site(written="2026-11-22T00:00:00+00:00", definitions=definitions)
    build(found([tmp_path / "in"]), tmp_path / "site", site)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', page) == [
        "right and more",
        "reference",
        "right",
        "a crash",
        "one must",
        "one must and a crash",
        "two must",
        "in part",
        "unjudged",
    ]


def test_kinds_of_targets_stand_apart(tmp_path):
    write(tmp_path / "in" / "a.ndjson", a_run("a"), a_verdict(), A_SUMMARY)
    write(tmp_path / "in" / "b.ndjson", a_run("b"), a_verdict(op="exchange"), A_SUMMARY)
    write(tmp_path / "in" / "c.ndjson", a_run("c"), a_verdict(op="visit"), A_SUMMARY)
    write(tmp_path / "in" / "d.ndjson", a_run("d"), a_verdict(op="lint"), A_SUMMARY)
    build(found([tmp_path / "in"]), tmp_path / "site", Site(written="2026-11-22T00:00:00+00:00"))
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    headings = re.findall(r'<h2 id="kind-\w+">([^<]*)</h2>', page)
    assert headings == ["Clients", "Brokers", "Codecs", "Definitions"]


def test_what_a_part_of_a_run_asked_says_nothing_of_what_there_is(tmp_path):
    at = stands(tmp_path, a_verdict(), A_SUMMARY, selection={"quick": [True]})
    assert at.has is None


def rows(site):
    page = (site / "index.html").read_text("utf-8")
    return re.findall(r'<th scope="(?:row"><a [^>]*>|rowgroup" colspan="\d">)([^<]*)<', page)


def test_who_has_little_of_the_protocol_stands_below_who_has_much_of_it(tmp_path):
    half = [a_verdict(case=f"m{n}", version=n) for n in range(8, 13)]
    lines = {"little": (a_verdict(), A_SUMMARY), "much": (*half, *must(), *must("c"), A_SUMMARY)}
    for name, of in lines.items():
        write(tmp_path / "in" / f"{name}.ndjson", a_run(name, target_version=name), *of)
    site = Site(written="2026-11-22T00:00:00+00:00", definitions=definitions)
    build(found([tmp_path / "in"]), tmp_path / "site", site)
    assert rows(tmp_path / "site") == ["much", "With less than half of the protocol", "little"]


def test_who_was_asked_little_stands_below_who_was_asked_much(tmp_path):
    every = [a_verdict(case=f"c{n}", rule=f"tags.t{n}", op="exchange") for n in range(5)]
    bad = a_failure("bad", op="exchange", rule="tags.t0")
    lines = {"little": (every[0], A_SUMMARY), "much": (bad, *every[1:], A_SUMMARY)}
    for name, of in lines.items():
        write(tmp_path / "in" / f"{name}.ndjson", a_run(name, target_version=name), *of)
    build(found([tmp_path / "in"]), tmp_path / "site", Site(written="2026-11-22T00:00:00+00:00"))
    little = "By which less than half of the rules could be decided"
    assert rows(tmp_path / "site") == ["much", little, "little"]


def test_the_colour_is_the_deeper_the_larger_the_number_beside_it(tmp_path):
    depths = []
    for number in (1, 2, 3, 9, 10, 19, 20, 99):
        findings = [a_finding(f"c{n}", kind="must") for n in range(number)]
        at = stands(tmp_path / str(number), a_failure("c0"), *findings, A_SUMMARY)
        assert at.word == f"{number} defect{'' if number == 1 else 's'}"
        depths.append(at.kind)
    assert depths == sorted(depths)
    assert depths[0] != depths[-1]


def test_how_many_rules_were_decided_is_said_as_the_closing_block_does(tmp_path):
    decided = Decided(rules=223, decided=52, missing=171)
    at = stands(tmp_path, a_verdict(), structs.replace(A_SUMMARY, decided=decided), kind="broker")
    assert at.measured == "2 cases in 2.0 s; 52 of 223 rules decided; 171 need an API"
    assert at.rules == 223
