"""Rules of brokers, clients and proxies say what to do, and show it in bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import conformance.rules.examples
from conformance.brokers.mutants import broker_mutants
from conformance.clients.mutants import client_mutants
from conformance.explain import Explainer
from conformance.proxies.mutants import proxy_mutants
from conformance.rules import Rule, catalogue
from conformance.rules.examples.exchanges import (
    BROKERS,
    PROXIES,
    Exchange,
    Side,
    exchanges,
)
from conformance.rules.pages import describe
from conformance.schema.releases import definitions
from tests.cli.conftest import run
from tests.proof.examples.brokers import BROKERS_MADE
from tests.proof.examples.clients import again
from tests.proof.examples.proxies import PROXIES_MADE

FOLDER = Path(conformance.rules.examples.__file__).parent
RULES = [each for each in catalogue().values() if each.applies[0] in ("broker", "client", "proxy")]
BREAKS = {
    (name, mutant.breaks)
    for mutants in (broker_mutants(), client_mutants(), proxy_mutants())
    for name, mutant in mutants.items()
}
MOST_WORDS = 22
MOST_LINES = 16


def test_committed_examples_of_brokers_are_what_the_mutants_answer() -> None:
    """A failure here wants `python -m tests.proof.examples broker`."""
    assert BROKERS_MADE.text() == (FOLDER / BROKERS).read_text(encoding="utf-8")


def test_committed_examples_of_clients_are_what_the_mutants_send() -> None:
    """A failure here wants `python -m tests.proof.examples client`."""
    rules = {rule.id for rule in RULES if rule.applies[0] == "client"}
    committed = [each for each in exchanges().values() if each.rule in rules]
    assert committed
    assert [each for each in committed if again(each) != each] == []


def test_committed_examples_of_proxies_are_what_the_mutants_let_out() -> None:
    """A failure here wants `python -m tests.proof.examples proxy`."""
    assert PROXIES_MADE.text() == (FOLDER / PROXIES).read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_says_what_to_do_and_shows_it_or_why_not(rule: Rule) -> None:
    assert rule.remedy[:1].isupper()
    assert rule.remedy.endswith(".")
    assert len(rule.remedy.split()) <= MOST_WORDS
    assert (rule.id in exchanges()) != bool(rule.not_shown)
    page = "\n".join(describe(rule))
    assert "- What to do: " in page
    assert ("\nExample:\n" in page) != ("- No example: " in page)


def test_only_rules_that_there_are_have_examples_or_reasons() -> None:
    reasons = {rule.id for rule in RULES if rule.not_shown}
    assert {*exchanges(), *reasons} == {rule.id for rule in RULES}


@pytest.mark.parametrize("example", exchanges().values(), ids=lambda example: example.rule)
def test_an_example_shows_a_difference_in_few_lines(example: Exchange) -> None:
    assert (example.mutant, example.rule) in BREAKS
    assert example.right.text()
    assert example.wrong.text()
    assert (example.right.text() != example.wrong.text()) or _marked(example)
    assert len(list(example.lines())) <= MOST_LINES


def _marked(example: Exchange) -> bool:
    return any(row.differs and row.right != row.wrong for row in example.rows)


@pytest.mark.parametrize("example", exchanges().values(), ids=lambda example: example.rule)
def test_the_bytes_of_an_example_are_those_of_the_message_that_is_named(example: Exchange) -> None:
    explainer = Explainer(length=False)
    for side in (*example.given, example.right, example.wrong):
        assert _is_of_its_size(side)
        if side.direction == "request":
            data = bytes.fromhex(side.bytes)
            first = definitions()[side.message].valid.low
            named = explainer.request(data, side.message, first).title
            assert named.startswith(side.message)
            assert int.from_bytes(data[2:4], "big", signed=True) == side.version


def _is_of_its_size(side: Side) -> bool:
    return len(bytes.fromhex(side.bytes)) == min(side.size, 64)


def test_what_can_not_be_read_alone_names_its_request() -> None:
    """That which another statement said before is not what a reader of one page has read."""
    apis = [name.removesuffix("Request") for name in definitions().requests.values()]
    versioned = [rule for rule in RULES if re.search(r"\bversions? \d", rule.statement)]
    nameless = [rule for rule in versioned if not any(api in rule.statement for api in apis)]
    assert [rule.id for rule in nameless] == []
    assert [rule.id for rule in RULES if re.match(r"(After )?[Tt]hat ", rule.statement)] == []


def test_a_rule_of_brokers_is_shown_with_what_to_do_and_an_example() -> None:
    shown = run("rules", "show", "api-versions.unsupported-names-own-range").out
    assert "what to do: Put api key 18" in shown
    assert "wrong: ApiVersionsResponse v1000: 00 00 00 01 00 23 00 00 00 00\n" in shown
    assert "(FallbackWithoutRange: " in shown


def test_a_rule_that_bytes_can_not_show_says_why() -> None:
    assert "no example: the answer is right" in run("rules", "show", "sasl.refusal-closes").out
