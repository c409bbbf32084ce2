"""A whole site, built target by target: a run's data is in memory only while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.reporting.site.bodies import Bodies
from conformance.reporting.site.charts import coverage_chart, progress_chart
from conformance.reporting.site.compared import compare
from conformance.reporting.site.counts import SiteCell, breaking, packed
from conformance.reporting.site.coverage import Definitions, covered
from conformance.reporting.site.defects import defect_views, first_of
from conformance.reporting.site.failures import Failures
from conformance.reporting.site.folder import SiteFolder, new_site
from conformance.reporting.site.gathered_run import KEEP, Gathered, gather
from conformance.reporting.site.hexdump import Annotate, Dumped, DumpedField
from conformance.reporting.site.matrix_runs import KINDS, LEADS, Chosen, choose, slug
from conformance.reporting.site.pages import STATIC, Pages, script, static
from conformance.reporting.site.progress import read_progress
from conformance.reporting.site.ranking import ranked, sections
from conformance.reporting.site.reading import ResultsFile
from conformance.reporting.site.rule_pages import Broken, rule_page
from conformance.reporting.site.views import MUST, RuleView, TargetView, target_view
from conformance.results.known import Known
from conformance.results.lines import Run

TITLE = "Kafka wire protocol conformance"
KnownOf = Callable[[Run, str], Sequence[Known]]
"""The known failures of a run, and of its kind of target."""


def _nobody_knows(_asked: Dumped) -> list[DumpedField]:
    return []


@dataclass(frozen=True)
class Site:
    """The options of a site. The functions are passed in, since this package knows only results."""

    written: str
    title: str = TITLE
    keep: int = KEEP
    harmful: bool = False
    annotate: Annotate = _nobody_knows
    definitions: Definitions = field(default=lambda _release: {})
    known: KnownOf = field(default=lambda _run, _kind: ())


@dataclass(frozen=True)
class Built:
    """The result of building a site."""

    targets: list[TargetView]
    comparisons: int
    bytes: int
    files: int


def build(
    files: Iterable[ResultsFile],
    place: Path,
    site: Site,
    pairs: Sequence[tuple[ResultsFile, ResultsFile]] = (),
    say: Callable[[str], None] = lambda _: None,
) -> Built:
    """Write the site of these runs; `pairs` are compared besides those of one target.

    `say` is called before each step.

    Raises ResultsError, FolderTaken, SiteNotWritten.
    """
    chosen = choose(files)
    with new_site(place) as folder:
        built = _Building(folder, site)
        for number, each in enumerate(chosen, 1):
            say(f"target {number} of {len(chosen)}: {each.file.run.name}, from {each.file.path}")
            built.target(each)
        for old, new in pairs:
            say(f"comparing {old.path} with {new.path}")
            built.compare(old, new)
        say("pages of rules and messages")
        built.close()
        return Built(built.views, len(built.comparisons), folder.bytes, folder.files)


class _Building:
    def __init__(self, folder: SiteFolder, site: Site) -> None:
        self.views: list[TargetView] = []
        self.comparisons: list[tuple[str, str]] = []
        self._folder = folder
        self._site = site
        self._pages = Pages(site.title, site.written)
        self._names: set[str] = set()
        self._by_message: dict[str, list[tuple[int, str, str]]] = {}

    def target(self, chosen: Chosen) -> None:
        """Write one run: its data, its page, and its differences from older runs."""
        gathered = gather(chosen.file, self._site.keep, harmful=self._site.harmful)
        comparisons = [self.compare(older, chosen.file) for older in chosen.older]
        view = target_view(chosen, gathered, self._site.definitions)
        view = replace(view, comparisons=comparisons)
        self._count(gathered)
        self._target_page(view, gathered, chosen.file)
        self._folder.write(f"{view.badge}.svg", view.standing.badge.svg())
        self._folder.write(f"{view.badge}.json", view.standing.badge.endpoint())
        self.views.append(view)

    def compare(self, old: ResultsFile, new: ResultsFile) -> tuple[str, str]:
        """Write the page about two runs, and return its address and its title."""
        compared = compare(old, new, harmful=self._site.harmful)
        address = f"compare/{slug(new.run.target, self._names)}.html"
        self._write(address, "compare.html.j2", compared=compared)
        self.comparisons.append((address, compared.title))
        return address, compared.title

    def close(self) -> None:
        """Write the pages about all targets."""
        rules = self._rules()
        numbers = {rule.id: number for number, rule in enumerate(rules)}
        messages = sorted(self._by_message)
        self._script("index", self._index(rules, numbers, messages))
        for number, message in enumerate(messages):
            found = [(at, numbers[rule], text) for at, rule, text in self._by_message[message]]
            self._script(f"m/{number}", found)
        self._write("index.html", "index.html.j2", **self._front())
        self._rule_pages(rules, messages)
        for name in STATIC:
            self._folder.write(f"static/{name}", static(name))

    def _target_page(self, view: TargetView, gathered: Gathered, file: ResultsFile) -> None:
        bodies = Bodies(gathered.run.definitions, self._site.annotate)
        known = self._site.known(gathered.run, view.kind)
        failures = Failures(gathered, view.kind, bodies, known)
        for group in view.groups.values():
            self._script(group.script, failures.group(rule.id for rule in group.rules))
        coverage = covered(gathered.counts, self._site.definitions(gathered.run.definitions))
        told = f"{coverage.asked:,} of {coverage.defined:,} versions of messages were asked"
        defects = defect_views(gathered, failures.places, known)
        self._write(
            view.page,
            "target.html.j2",
            view=view,
            defects=first_of(defects),
            more_defects=gathered.more_findings,
            notes=gathered.summary.notes if gathered.summary else [],
            messages=sorted({form.message for form in gathered.counts}),
            default_class=_default_class(view.classes),
            coverage=coverage,
            coverage_chart=coverage_chart(coverage.rows, told) if coverage.rows else "",
            coverage_told=told,
            curve=_curve(view, file),
        )

    def _rule_pages(self, rules: list[RuleView], messages: list[str]) -> None:
        """Write the page of all rules, and one for each rule of the catalogue."""
        judged = [_Judged(rule, _places(rule, self.views)) for rule in rules]
        kinds = [
            {
                "kind": kind,
                "heading": heading,
                "targets": targets,
                "groups": sorted({name for _, view in targets for name in view.groups}),
            }
            for kind, heading, targets in self._by_kind()
        ]
        self._write(
            "rules.html",
            "rules.html.j2",
            kinds=kinds,
            rules=judged,
            messages=messages,
            default_class=_default_class([rule.class_ for rule in rules]),
        )
        for each in judged:
            if each.view.rule:
                page = rule_page(each.view.rule, each.places)
                self._write(each.view.page, "rule.html.j2", page=page)

    def _count(self, gathered: Gathered) -> None:
        """Count the verdicts of each rule on each message, for the filter by message."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for form, count in gathered.counts.items():
            counts = found.setdefault((form.message, form.rule), {})
            counts[form.verdict] = counts.get(form.verdict, 0) + count
        for (message, rule), counts in found.items():
            self._by_message.setdefault(message, []).append((len(self.views), rule, packed(counts)))

    def _rules(self) -> list[RuleView]:
        every = (rule for view in self.views for g in view.groups.values() for rule in g.rules)
        return sorted({rule.id: rule for rule in every}.values(), key=lambda rule: rule.id)

    def _by_kind(self) -> Iterator[tuple[str, str, list[tuple[int, TargetView]]]]:
        """Yield each kind with its heading and its targets, the best first, and their numbers."""
        numbered = list(enumerate(self.views))
        for kind, heading in KINDS.items():
            targets = [pair for pair in numbered if pair[1].kind == kind]
            if targets:
                yield kind, heading, [(row.number, row.view) for row in ranked(targets)]

    def _index(
        self, rules: list[RuleView], numbers: dict[str, int], messages: list[str]
    ) -> dict[str, Any]:
        return {
            "rules": [rule.id for rule in rules],
            "targets": [
                {
                    "page": view.page,
                    "name": view.name,
                    "rules": [
                        [numbers[rule.id], packed(rule.verdicts)]
                        for group in view.groups.values()
                        for rule in group.rules
                    ],
                }
                for view in self.views
            ],
            "messages": messages,
        }

    def _front(self) -> dict[str, Any]:
        return {
            "kinds": [
                (kind, heading, LEADS.get(kind, ""), sections(kind, ranked(targets)))
                for kind, heading, targets in self._by_kind()
            ],
            "comparisons": self.comparisons,
            "notices": _differing(self.views),
        }

    def _script(self, key: str, data: Any) -> None:
        self._folder.write(f"data/{key}.js", script(key, data))

    def _write(self, address: str, template: str, **given: Any) -> None:
        root = "../" * address.count("/")
        self._folder.write(address, self._pages.page(template, root, **given))


@dataclass(frozen=True)
class _Judged:
    """A rule, and the results of each target by it."""

    view: RuleView
    places: list[Broken]

    @property
    def broken_by(self) -> list[str]:
        """Return the names of the targets that break it."""
        return [each.target.name for each in self.places if each.is_broken]

    @property
    def cell(self) -> SiteCell:
        """Return the cell with how many break it, of those that were judged by it."""
        return breaking(len(self.broken_by), sum(each.is_judged for each in self.places))


def _places(rule: RuleView, views: list[TargetView]) -> list[Broken]:
    """Return the results of each target by a rule, those that break it first."""
    found = [
        Broken(view, each)
        for view in views
        for each in (view.groups[rule.group].rules if rule.group in view.groups else ())
        if each.id == rule.id
    ]
    return sorted(found, key=lambda each: not each.is_broken)


def _default_class(classes: Iterable[str]) -> str:
    """Return the class that is shown at first: `must` if any rule has it, else "" for all."""
    return MUST if MUST in classes else ""


def _curve(view: TargetView, file: ResultsFile) -> dict[str, Any] | None:
    progress = read_progress(file.path.parent) if file.is_fuzzed else None
    if progress is None:
        return None
    edges = progress.points[-1][1]
    told = f"{progress.executions:,} executions in {progress.seconds:,.0f} s: {edges:,} edges"
    return {"chart": progress_chart(view.name, progress), "told": told}


def _differing(views: list[TargetView]) -> list[str]:
    """Return notices about what makes targets hard to compare."""
    found = []
    suites = sorted({view.run.suite_version for view in views})
    if len(suites) > 1:
        found.append(f"Judged by different versions of the suite: {', '.join(suites)}.")
    for kind, heading in KINDS.items():
        of_kind = [view.run for view in views if view.kind == kind]
        releases = sorted({run.definitions for run in of_kind if run.definitions})
        if len(releases) > 1:
            what = f"{heading} follow the definitions of different releases of Apache Kafka"
            found.append(f"{what}, each its own: {', '.join(releases)}.")
        profiles = sorted({run.profile for run in of_kind})
        if len(profiles) > 1:
            found.append(f"{heading} were judged by different profiles: {', '.join(profiles)}.")
    return found
