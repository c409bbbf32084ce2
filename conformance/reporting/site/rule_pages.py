"""The data of a rule's page: the targets that break it, an example in bytes, how to ask it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.reporting.site.failures import asking
from conformance.reporting.site.gathered_run import broken
from conformance.reporting.site.matrix_runs import KINDS
from conformance.reporting.site.views import RuleView, TargetView
from conformance.results.command_lines import command_line
from conformance.rules import Rule
from conformance.rules.examples import Example, ExampleRow, examples
from conformance.rules.examples.exchanges import Exchange, exchanges
from conformance.rules.pages import HARM_MEANING


@dataclass(frozen=True)
class Broken:
    """The result of one target by the rule."""

    target: TargetView
    rule: RuleView

    @property
    def is_broken(self) -> bool:
        """True if it breaks the rule."""
        return broken(self.rule.verdicts) > 0

    @property
    def is_judged(self) -> bool:
        """True if it was asked something."""
        return self.rule.verdicts.total() > self.rule.verdicts["unsupported"]

    @property
    def command(self) -> str:
        """Return the command that asks this target by this rule."""
        return command_line(asking(self.target.run, self.target.kind), "--rule", self.rule.id)


@dataclass(frozen=True)
class Shown:
    """An example: what is given, what is right, and what a wrong target does instead."""

    what: str
    given: list[str]
    right: str
    wrong: str
    defect: str
    rows: Sequence[ExampleRow]

    @property
    def has_wrong(self) -> bool:
        """True if its rows show right and wrong bytes beside each other."""
        return any(row.wrong is not None for row in self.rows)


@dataclass(frozen=True)
class RulePage:
    """A rule as its page shows it. `no_example` is the reason for a missing example."""

    rule: Rule
    harm_meaning: str
    example: Shown | None
    no_example: str
    places: list[Broken] = field(default_factory=list)

    @property
    def breaking(self) -> list[Broken]:
        """Return the targets that break it."""
        return [each for each in self.places if each.is_broken]

    @property
    def others(self) -> list[tuple[str, list[Broken]]]:
        """Return the targets that don't break it, by the heading of their kind."""
        kept = [each for each in self.places if not each.is_broken]
        by_kind = [
            (heading, [each for each in kept if each.target.kind == kind])
            for kind, heading in KINDS.items()
        ]
        return [(heading, found) for heading, found in by_kind if found]

    @property
    def commands(self) -> list[str]:
        """Return the command that asks the first target of each kind."""
        first = {each.target.kind: each.command for each in reversed(self.places)}
        return [first[kind] for kind in KINDS if kind in first]


def rule_page(rule: Rule, places: Iterable[Broken]) -> RulePage:
    """Return the page of a rule, by the results of each target."""
    return RulePage(
        rule=rule,
        harm_meaning=HARM_MEANING[rule.harm_level],
        example=_example(rule.id),
        no_example=rule.not_shown,
        places=list(places),
    )


def _example(rule: str) -> Shown | None:
    if example := examples().get(rule):
        return _of_codec(example)
    exchange = exchanges().get(rule)
    return _of_exchange(exchange) if exchange else None


def _of_codec(example: Example) -> Shown:
    given = [example.given] if example.given else []
    rows, defect = example.rows, example.defect
    return Shown(example.question, given, example.right, example.wrong, defect, rows)


def _of_exchange(exchange: Exchange) -> Shown:
    given = [side.text() for side in exchange.given]
    right, wrong = exchange.right.text(), exchange.wrong.text()
    return Shown(f"{exchange.case}:", given, right, wrong, exchange.defect, exchange.rows)
