"""What the templates are given: one run as it stands in the matrix and on a page of its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.reporting.site.choosing import Chosen
from conformance.reporting.site.counts import SiteCell, cell
from conformance.reporting.site.gathering import Gathered
from conformance.results.lines import VERDICTS, Run
from conformance.rules import Rule, catalogue

_NOT_OURS = "This version of the suite has no rule of this name."


@dataclass(frozen=True)
class RuleView:
    """A rule with what it got. Of one that the catalogue does not have there is but the name."""

    id: str
    class_: str
    verdicts: Counter[str]
    rule: Rule | None

    @property
    def statement(self) -> str:
        """What it demands."""
        return self.rule.statement if self.rule else _NOT_OURS

    @property
    def cell(self) -> SiteCell:
        """What it came to."""
        return cell(self.verdicts)


@dataclass(frozen=True)
class GroupView:
    """Rules of one group, and the script that holds their failures."""

    name: str
    script: str
    rules: list[RuleView] = field(default_factory=list)

    @property
    def verdicts(self) -> Counter[str]:
        """Those of all its rules."""
        return sum((rule.verdicts for rule in self.rules), Counter())

    @property
    def cell(self) -> SiteCell:
        """What they came to."""
        return cell(self.verdicts)


@dataclass(frozen=True)
class TargetView:
    """A run: kept small, so that those of all targets fit in memory together."""

    slug: str
    kind: str
    run: Run
    cases: int
    seconds: float
    verdicts: Counter[str]
    groups: dict[str, GroupView]
    notices: list[str]
    comparisons: list[tuple[str, str]] = field(default_factory=list)
    """Address and words of the pages that compare it with older runs."""

    @property
    def name(self) -> str:
        """What it is called where there is little room."""
        return self.run.target

    @property
    def page(self) -> str:
        """The address of its page, from the root of the site."""
        return f"targets/{self.slug}.html"

    @property
    def verdict_counts(self) -> list[tuple[str, int]]:
        """Its verdicts, in the order in which they are always told."""
        return [(name, self.verdicts[name]) for name in VERDICTS if self.verdicts[name]]

    @property
    def rate(self) -> float:
        """Cases per second; 0 where it is not known."""
        return self.cases / self.seconds if self.seconds > 0 else 0.0

    @property
    def cell(self) -> SiteCell:
        """What all of it came to."""
        return cell(self.verdicts)


def target_view(chosen: Chosen, gathered: Gathered) -> TargetView:
    """A run as the pages show it."""
    summary = gathered.summary
    return TargetView(
        slug=chosen.slug,
        kind=chosen.kind,
        run=gathered.run,
        cases=summary.cases if summary else gathered.cases,
        seconds=summary.seconds if summary else 0.0,
        verdicts=gathered.verdicts,
        groups=_groups(chosen.slug, gathered),
        notices=list(gathered.notices),
    )


def _groups(slug: str, gathered: Gathered) -> dict[str, GroupView]:
    by_rule: dict[str, Counter[str]] = {}
    for form, count in gathered.counts.items():
        by_rule.setdefault(form.rule, Counter())[form.verdict] += count
    rules = catalogue()
    groups: dict[str, GroupView] = {}
    for name in sorted(by_rule):
        group = name.partition(".")[0]
        if group not in groups:
            groups[group] = GroupView(group, f"{slug}/{len(groups)}")
        view = RuleView(name, gathered.classes[name], by_rule[name], rules.get(name))
        groups[group].rules.append(view)
    return groups
