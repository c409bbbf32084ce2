"""The data of the templates: one run as it stands in the matrix and on a page of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.reporting.deciding import JUDGED
from conformance.reporting.site.counts import SiteCell, cell
from conformance.reporting.site.coverage import Definitions
from conformance.reporting.site.gathered_run import Gathered, broken
from conformance.reporting.site.matrix_runs import Chosen
from conformance.reporting.site.standing import Standing, standing
from conformance.results.lines import VERDICTS, Run
from conformance.rules import Rule, catalogue

MUST = "must"
_TELL_THEIR_NAME = ("codec", "client", "fuzz")
_NOT_OURS = "This version of the suite has no rule of this name."


@dataclass(frozen=True)
class RuleView:
    """A rule with its verdicts. `rule` is None if the catalogue lacks it."""

    id: str
    class_: str
    verdicts: Counter[str]
    rule: Rule | None

    @property
    def statement(self) -> str:
        """Return what it demands."""
        return self.rule.statement if self.rule else _NOT_OURS

    @property
    def cell(self) -> SiteCell:
        """Return the cell for its verdicts."""
        return cell(self.verdicts)

    @property
    def group(self) -> str:
        """Return its rule group."""
        return self.id.partition(".")[0]

    @property
    def page(self) -> str:
        """Return the address of its page, from the site's root; "" if the catalogue lacks it."""
        return f"rules/{self.id}.html" if self.rule else ""

    @property
    def is_decided(self) -> bool:
        """True if a verdict says how the target behaves."""
        return any(self.verdicts[name] for name in JUDGED)


@dataclass(frozen=True)
class GroupView:
    """Rules of one group, and the script that holds their failures."""

    name: str
    script: str
    rules: list[RuleView] = field(default_factory=list)

    @property
    def verdicts(self) -> Counter[str]:
        """Return the verdicts of all its rules."""
        return sum((rule.verdicts for rule in self.rules), Counter())

    @property
    def cell(self) -> SiteCell:
        """Return the cell for their verdicts."""
        return cell(self.verdicts)

    @property
    def must(self) -> SiteCell:
        """Return the cell for the verdicts by `must` rules."""
        return cell(sum((r.verdicts for r in self.rules if r.class_ == MUST), Counter()))

    @property
    def is_kept(self) -> bool:
        """True if something of it passed, and nothing was broken."""
        return bool(self.verdicts["pass"]) and not broken(self.verdicts)


@dataclass(frozen=True)
class TargetView:
    """A run: kept small, so that those of all targets fit in memory together."""

    slug: str
    kind: str
    run: Run
    cases: int
    verdicts: Counter[str]
    groups: dict[str, GroupView]
    notices: list[str]
    standing: Standing
    comparisons: list[tuple[str, str]] = field(default_factory=list)
    """Address and words of the pages that compare it with older runs."""

    @property
    def name(self) -> str:
        """Return a name that fits where there is little room."""
        return self.run.short_name

    @property
    def title(self) -> str:
        """Return a name with the version, as the target reports them."""
        told = self.run.introduced if self.kind in _TELL_THEIR_NAME else ""
        return told or self.run.name

    @property
    def page(self) -> str:
        """Return the address of its page, from the root of the site."""
        return f"targets/{self.slug}.html"

    @property
    def rules(self) -> Iterator[RuleView]:
        """Yield all rules that its results have."""
        return (rule for group in self.groups.values() for rule in group.rules)

    @property
    def verdict_counts(self) -> list[tuple[str, int]]:
        """Return its verdicts, in the usual order."""
        return [(name, self.verdicts[name]) for name in VERDICTS if self.verdicts[name]]

    @property
    def badge(self) -> str:
        """Return the address of its badge, without an ending."""
        return f"badges/{self.slug}"

    @property
    def classes(self) -> list[str]:
        """Return the classes of its rules."""
        return [rule.class_ for group in self.groups.values() for rule in group.rules]

    @property
    def kept_groups(self) -> list[str]:
        """Return the groups of rules of which it breaks none."""
        return [group.name for group in self.groups.values() if group.is_kept]


def target_view(chosen: Chosen, gathered: Gathered, definitions: Definitions) -> TargetView:
    """Return a run as the pages show it."""
    summary = gathered.summary
    return TargetView(
        slug=chosen.slug,
        kind=chosen.kind,
        run=gathered.run,
        cases=summary.cases if summary else gathered.cases,
        verdicts=gathered.verdicts,
        groups=_groups(chosen.slug, gathered),
        notices=list(gathered.notices),
        standing=standing(gathered, chosen.kind, definitions),
    )


def _groups(slug: str, gathered: Gathered) -> dict[str, GroupView]:
    by_rule: dict[str, Counter[str]] = {}
    for form, count in gathered.counts.items():
        by_rule.setdefault(form.rule, Counter())[form.verdict] += count
    rules = catalogue()
    groups: dict[str, GroupView] = {}
    for name in sorted(by_rule):
        view = RuleView(name, gathered.classes[name], by_rule[name], rules.get(name))
        if view.group not in groups:
            groups[view.group] = GroupView(view.group, f"{slug}/{len(groups)}")
        groups[view.group].rules.append(view)
    return groups
