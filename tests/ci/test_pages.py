"""What goes to the page of a job: summary, annotations and badge."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from conformance.reporting.annotations import command, commands
from conformance.reporting.badge import Badge, badge, in_short
from conformance.reporting.markdown import MOST_FINDINGS, not_judged, section
from conformance.reporting.run_report import RunReport
from conformance.rules import catalogue
from tests.ci.making import ALL, CRASHED, FAILED, HOSTILE, PASSED, hostile, told
from tests.results.making import verdict

MANY = [
    verdict(
        shape=f"n{n}", outcome="rejected", detail=f"refused: {chr(97 + n % 26) * (1 + n // 26)}"
    )
    for n in range(30)
]


def badges(run: RunReport) -> tuple[str, str]:
    fields = json.loads(badge(run))
    return fields["message"], fields["color"]


def test_a_summary_begins_with_the_outcome() -> None:
    head = section(told(*ALL)).splitlines()[0]
    assert head.startswith(
        "### ❌ small: 2 defects break the protocol and 1 of them can end its process"
    )
    assert section(told(PASSED, code=0)).startswith("### ✅ small: no failure\n")


def test_a_summary_has_a_row_for_each_rule_group() -> None:
    rows = [line for line in section(told(*ALL)).splitlines() if line.startswith("| tags |")]
    assert rows == ["| tags | 1 | 1 | 1 |  |  |"]


def test_a_finding_is_folded_up_with_its_rules_bytes_and_command() -> None:
    text = section(told(FAILED))
    assert text.count("<details>") == text.count("</details>") == 1
    assert "<code>tags.ascending</code> | must | " in text
    assert "KIP-482" in text
    assert "input:    0102" in text
    assert "```sh\nkafka-conformance codec small --case" in text


def test_every_page_says_how_a_finding_breaks_its_rule() -> None:
    breach = catalogue()["tags.ascending"].breach
    assert f"\n\nIt {breach}. What that does: " in section(told(FAILED))
    assert f"%0Ait {breach}%0A" in next(commands(told(FAILED)))
    crashed = "\n".join([section(told(CRASHED)), *commands(told(CRASHED))])
    assert catalogue()[CRASHED.rule].breach not in crashed


def test_what_does_harm_is_on_no_page() -> None:
    run = told(*ALL)
    for page in (section(run), "\n".join(commands(run)), badge(run)):
        assert "00beef00" not in page
        assert "bomb" not in page
    assert "withheld" in section(run)
    assert "tags.size" in section(run)


def test_of_many_findings_a_few_are_told_and_the_rest_counted() -> None:
    run = told(*MANY)
    assert section(run).count("<details>") == MOST_FINDINGS
    assert "And 20 more findings." in section(run)
    lines = list(commands(run))
    assert [line.split()[0] for line in lines] == ["::error"] * 10 + ["::notice"]
    assert lines[-1].endswith("::21 findings more")


def test_only_news_are_told_where_failures_are_known() -> None:
    run = told(FAILED, CRASHED, news=[FAILED])
    assert section(run).count("<details>") == 1
    assert "1 finding known before." in section(run)
    assert len(list(commands(run))) == 2


def test_known_failures_alone_fail_nothing() -> None:
    run = told(FAILED, news=[], code=0)
    assert list(commands(run)) == []
    assert "nothing new, its failures are known" in section(run).splitlines()[0]
    assert badges(run) == ("1 defect, as known", "yellow")


def test_an_annotation_names_target_rule_and_command() -> None:
    first, outcome = commands(told(FAILED))
    assert first.startswith("::error title=small%3A tags.ascending::decode of MetadataRequest")
    assert "%0Aagain: kafka-conformance codec small --case" in first
    assert outcome.startswith("::error title=small::1 defect breaks the protocol")


def test_what_a_target_says_gives_no_command() -> None:
    lines = [*commands(hostile())]
    assert lines
    for line in lines:
        assert re.fullmatch(r"::error title=[^:,\r\n]*::[^\r\n]*", line)
        assert "\x1b" not in line


def test_signs_that_mean_something_in_a_command_are_themselves() -> None:
    assert command("error", "a: 5%, b", "5%0A, c: d\ne") == (
        "::error title=a%3A 5%25%2C b::5%250A, c: d%0Ae"
    )


def test_what_a_target_says_is_no_markup() -> None:
    text = section(hostile())
    outside = re.sub(r"^(`{3,})\w+\n.*?\n\1$", "", text, flags=re.M | re.S)
    assert "<script" not in outside
    assert "](" not in outside
    assert "@everyone" not in outside
    assert "``" not in outside
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", text)
    text.encode("utf-8")
    for row in re.findall(r"^\|.*\|$", outside, re.M):
        assert row.count("|") in (3, 5)


def test_a_fence_is_longer_than_those_inside() -> None:
    assert "````text\n" in section(hostile())


def test_a_target_that_was_not_judged_is_told() -> None:
    assert not_judged("small", "no Java").startswith(
        "### ❌ small: not judged\n\nBecause: no Java\n"
    )
    assert "<script" not in not_judged(HOSTILE, HOSTILE)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (told(PASSED, code=0), ("conforms to 1 rule", "brightgreen")),
        (told(PASSED, code=0, profile="kafka"), ("conforms to 1 rule of kafka", "brightgreen")),
        (told(FAILED), ("1 defect", "red")),
        (told(FAILED, code=None), ("interrupted", "lightgrey")),
        (told(verdict("error"), code=3), ("not judged", "lightgrey")),
        (told(PASSED, code=1), ("known failures are gone", "yellow")),
    ],
)
def test_a_badge_says_how_it_went(run: RunReport, says: tuple[str, str]) -> None:
    assert badges(run) == says


def test_a_badge_is_what_an_endpoint_of_shields_has() -> None:
    fields = json.loads(badge(told(FAILED)))
    assert set(fields) == {"schemaVersion", "label", "message", "color", "isError"}
    assert fields["schemaVersion"] == 1


def test_a_badge_is_a_picture_that_says_its_words() -> None:
    picture = ElementTree.fromstring(Badge(HOSTILE, "red").svg())
    said = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert said[0] == "kafka conformance"
    assert "<script" in (said[1] or "")
    assert picture.get("aria-label", "").startswith("kafka conformance: ")


@pytest.mark.parametrize(
    ("defects", "ended_by", "said"),
    [
        (0, 0, "conforms"),
        (1, 0, "1 defect"),
        (2, 0, "2 defects"),
        (2, 6, "can be ended by 6 bytes"),
    ],
)
def test_a_target_is_told_in_two_words(defects: int, ended_by: int, said: str) -> None:
    assert in_short(defects, ended_by) == said


def test_an_interrupted_run_says_so_everywhere() -> None:
    run = told(PASSED, code=None)
    assert "interrupted" in section(run).splitlines()[0]
    assert "interrupted" in next(iter(commands(run)))
