"""The page of a target: what to mend first, and nothing that could do harm. The page of a rule."""

import html
import re

from conformance.reporting.site.building import Site, build
from conformance.reporting.site.reading import found
from conformance.results.publish import WITHHELD, publish
from conformance.rules import catalogue
from conformance.rules.examples import examples
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


def pages(tmp_path, *lines, **how):
    path = write(tmp_path / "r.ndjson", a_run(), *lines, A_SUMMARY)
    site = Site(written="2026-11-22T00:00:00+00:00", **how)
    build(found([path]), tmp_path / "site", site)
    return tmp_path / "site"


def page(site, address="targets/codec-mine-1.0.html"):
    return html.unescape((site / address).read_text("utf-8"))


def test_a_defect_has_what_its_project_needs(tmp_path):
    looks = a_finding(
        diagnosis="a codec that writes tags backwards (mutant Backwards)", kind="must"
    )
    text = page(pages(tmp_path, a_failure(), looks))
    rule = catalogue()[ASCENDING]
    assert "writes tags backwards" in text
    [heading] = re.findall(r"<h3>1\..*?</h3>", text, re.S)
    assert "mutant Backwards" not in heading
    for told in (rule.statement, rule.remedy, "kafka-conformance codec mine --case", "0000000a0"):
        assert told in text
    [issue] = re.findall(r'class="issue">.*?<code>(.*?)</code>', text, re.S)
    assert issue.startswith("mine 1.0: writes tags backwards\n\nJudged by kafka-conformance")
    assert rule.source in issue


def test_three_defects_are_open_and_the_others_are_a_list(tmp_path):
    cases = [f"c{n}" for n in range(5)]
    lines = [*map(a_failure, cases), *(a_finding(case, kind="must") for case in cases)]
    text = page(pages(tmp_path, *lines))
    assert text.count('<article class="defect"') == 3
    assert text.count('<details class="defect"') == 2


def test_what_is_right_is_told_first(tmp_path):
    kept = a_verdict(case="k", rule="framing.trailing-bytes-ignored")
    text = page(pages(tmp_path, kept, a_failure(), a_finding(kind="must")))
    assert text.index("What is right") < text.index("What to mend first")
    assert "It breaks nothing of framing." in text


def test_what_its_adapter_leaves_out_is_told_with_the_reason(tmp_path):
    run = a_run(left_out=["ProduceRequest: its records are opened, no bytes"])
    path = write(tmp_path / "r.ndjson", run, a_verdict(), A_SUMMARY)
    build(found([path]), tmp_path / "site", Site(written="2026-11-22T00:00:00+00:00"))
    text = page(tmp_path / "site")
    assert "1 message that it has is left out, with the reason" in text
    assert "ProduceRequest: its records are opened, no bytes." in text


def test_what_ends_a_target_is_on_no_page(tmp_path):
    weapon = a_failure("weapon", verdict="crash", input="badc0ffee0", detail="weapon")
    finding = a_finding("weapon", kind="crash", ends="crash", cause="weapon", reproduce="weapon")
    raw = pages(tmp_path, weapon, finding)
    publish(tmp_path / "r.ndjson", tmp_path / "published.ndjson.gz")
    built = Site(written="2026-11-22T00:00:00+00:00")
    build(found([tmp_path / "published.ndjson.gz"]), tmp_path / "public", built)
    for site in (raw, tmp_path / "public"):
        texts = [path.read_text("utf-8") for path in site.rglob("*") if path.is_file()]
        assert not any("weapon" in text or "badc0ffee0" in text for text in texts)
        assert WITHHELD in page(site)
    assert "can be ended by 5 bytes" in page(raw, "index.html")
    assert "can be ended" not in page(tmp_path / "public", "index.html")


def test_a_rule_has_a_page_with_an_example_and_those_who_break_it(tmp_path):
    kept = a_verdict(case="k", rule=SKIPPED)
    site = pages(tmp_path, kept, a_failure(), a_finding(kind="must"))
    text = page(site, f"rules/{ASCENDING}.html")
    rule, example = catalogue()[ASCENDING], examples()[ASCENDING]
    for told in (rule.statement, rule.remedy, rule.rationale, example.right, example.wrong):
        assert told in text
    assert 'href="../targets/codec-mine-1.0.html#/r/tags.ascending"' in text
    assert f"kafka-conformance codec mine --rule {ASCENDING}" in text
    assert "None of those that were asked." in page(site, f"rules/{SKIPPED}.html")


def test_what_a_rule_cites_is_linked(tmp_path):
    text = page(pages(tmp_path, a_verdict()), f"rules/{ASCENDING}.html")
    assert re.search(
        r'<a href="https://cwiki\.apache\.org/[^"]*KIP-482[^"]*"[^>]*>KIP-482</a>', text
    )


def test_a_rule_that_is_not_ours_has_no_page(tmp_path):
    site = pages(tmp_path, a_verdict(rule="tags.of-tomorrow"))
    assert not (site / "rules").exists()
    assert "tags.of-tomorrow" in page(site, "rules.html")
