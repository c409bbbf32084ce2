"""Every finding says what is wrong, whom that hurts and what to do, in words and never by an id."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import conformance
from conformance.reporting.breaches import harm_of, in_a_clause, occasion, remedy_of
from conformance.reporting.console import show_findings
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.reporting.issue_text import issue
from conformance.results.lines import EXCHANGE, FORWARD, VISIT, Finding, Line, Verdict, VerdictName
from conformance.results.publish import WITHHELD, published
from conformance.rules import Rule, catalogue
from tests.results.making import RUN, verdict

ROOT = Path(conformance.__file__).parent
RULES = list(catalogue().values())
_ID = re.compile(r"\b[a-z]+(?:-[a-z0-9]+)*\.[a-z0-9]+(?:-[a-z0-9]+)+\b")
"""A rule's id; one of a single word behind its point is an English word as well."""
_OPS = {"broker": EXCHANGE, "client": VISIT, "proxy": FORWARD, "schema": "lint"}
NAMES: tuple[VerdictName, ...] = ("fail", "crash", "hang")


def broken(rule: Rule, name: VerdictName, detail: str = "refused") -> Verdict:
    op = _OPS.get(rule.applies[0], "decode")
    return verdict(name, rule=rule.id, class_=rule.class_, op=op, detail=detail)


def found(*verdicts: Verdict, explained: Explained | None = None) -> list[Finding]:
    causes = Causes()
    for each in verdicts:
        causes.take(each)
    return causes.findings(["codec", "small"], explained or Explained())


def of_every_source() -> Iterator[Finding]:
    """Findings as a diagnosis, likeness, what messages have in common, and leads make them."""
    for rule in RULES:
        for name in NAMES:
            yield from found(broken(rule, name))
    first, second = broken(RULES[0], "fail"), broken(RULES[1], "crash")
    for each in (first, second):
        causes = Causes()
        causes.take(each)
        [sort] = causes.sorts()
        for told in (
            Explained(texts={sort: "a codec that writes nothing (mutant WritesNothing)"}),
            Explained(near={sort: "1"}),
            Explained(where={sort: "all have a uuid"}),
        ):
            yield from found(each, explained=told)
    [whole] = found(first)
    yield msgspec.structs.replace(whole, led=1, count=9, harm="")
    yield msgspec.structs.replace(whole, rules=["tags.of-a-later-suite"], harm="")
    for each in (first, second, broken(RULES[0], "hang")):
        lines: list[Line] = [each, *found(each)]
        yield from (line for line in published(lines) if isinstance(line, Finding))
    silent = verdict("fail", class_="harden", op=EXCHANGE, outcome="silent")
    yield from (line for line in published([silent, *found(silent)]) if isinstance(line, Finding))


FINDINGS = list(of_every_source())


def test_findings_of_every_source_were_made() -> None:
    assert len(FINDINGS) > len(NAMES) * len(RULES)
    assert any(each.diagnosis for each in FINDINGS)
    assert any(not each.is_led for each in FINDINGS)
    assert any(each.case == WITHHELD for each in FINDINGS)


def test_every_finding_says_what_is_wrong_whom_it_hurts_and_what_to_do() -> None:
    for each in FINDINGS:
        assert len(in_a_clause(each).split()) >= 2, each
        assert re.fullmatch(r"[A-Z].+\.", harm_of(each)), each
        assert re.fullmatch(r"[A-Z].+\.", remedy_of(each)), each


def test_no_headline_names_a_rule_where_words_belong() -> None:
    for each in FINDINGS:
        clause = in_a_clause(each)
        assert not _ID.search(clause), clause
        assert each.rules[0] not in clause


def test_what_is_said_follows_the_verdict() -> None:
    for each in FINDINGS:
        if not each.diagnosis and each.case != WITHHELD:
            ended = [word for word in ("crash", "hang") if f": {word}: " in each.cause]
            assert in_a_clause(each).startswith("can ") == bool(ended), each


@pytest.mark.parametrize(
    "each", [each for each in FINDINGS if each.case != WITHHELD][:: len(NAMES) * 7]
)
def test_the_terminal_and_the_issue_say_all_three(each: Finding) -> None:
    file = io.StringIO()
    show_findings(Console(file=file, width=200), [each], {})
    assert re.search(r"^   (?:what: |looks like: )", file.getvalue(), re.M)
    assert f"hurts:    {harm_of(each)}" in file.getvalue()
    assert f"to do:    {remedy_of(each)}" in file.getvalue()
    text = issue(RUN, each, broken(RULES[0], "fail"))
    assert harm_of(each) in text
    assert remedy_of(each) in text


@pytest.mark.parametrize(
    ("breach", "where"),
    [
        ("asks on after INVALID_REQUEST", "where it must not ask on after INVALID_REQUEST"),
        ("fails when a coordinator has moved", "when a coordinator has moved"),
        ("gets the reach of ACLs wrong", "over the reach of ACLs"),
        ("gets it wrong which fields a version has", "over which fields a version has"),
        ("does not leave a group", "where it has to leave a group"),
        ("loses or refuses an element", "where it must not lose or refuse an element"),
        ("passes over a batch", "where it must not pass over a batch"),
        ("tells nothing of a topic", "where it has to tell of a topic"),
        ("writes nothing more once refused", "where it has to write once refused"),
        ("tells no error without a version", "where it has to tell an error without a version"),
        ("miswrites timestamps", "where it writes timestamps"),
        ("takes a batch with a wrong checksum", "on a batch with a wrong checksum"),
        ("fails at a broker that is old", "at a broker that is old"),
    ],
)
def test_where_a_target_ended_is_taken_out_of_the_breach(breach: str, where: str) -> None:
    assert occasion(breach) == where


def test_every_breach_has_such_a_place() -> None:
    for rule in RULES:
        assert re.match(r"(?:on|over|where|when|as|at) \w", occasion(rule.breach)), rule.breach


def test_what_is_allowed_is_named_and_no_pronoun() -> None:
    """`Allowed: its own` stands far from what that is about."""
    expected = re.compile(r'raise Broken\(\s*(?:f?"[^"]*"|\w+),\s*f?"([^"]*)"')
    pronoun = re.compile(r"its own|another|(?:it|they|one that|the others)\b.*")
    sources = [
        p for kind in ("brokers", "clients", "proxies") for p in ROOT.glob(f"{kind}/**/*.py")
    ]
    said = [text for path in sources for text in expected.findall(path.read_text("utf-8"))]
    assert len(said) > 100
    assert [text for text in said if pronoun.fullmatch(text)] == []
