"""A whole site, target by target: what one run needs is in memory only while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.reporting.site.bodies import Bodies
from conformance.reporting.site.charts import (
    coverage_chart,
    progress_chart,
    rates_chart,
    verdicts_chart,
)
from conformance.reporting.site.choosing import KINDS, Chosen, choose, slug
from conformance.reporting.site.compared import compare
from conformance.reporting.site.counts import packed
from conformance.reporting.site.coverage import Coverage, Definitions, covered
from conformance.reporting.site.failures import Failures
from conformance.reporting.site.folder import SiteFolder, new_site
from conformance.reporting.site.gathering import KEEP, Gathered, gather
from conformance.reporting.site.hexdump import Annotate, Dumped, DumpedField
from conformance.reporting.site.pages import STATIC, Pages, static
from conformance.reporting.site.progress import read_progress
from conformance.reporting.site.reading import ResultsFile
from conformance.reporting.site.scripts import script
from conformance.reporting.site.views import RuleView, TargetView, target_view
from conformance.results.known import Known
from conformance.results.lines import Run

TITLE = "Kafka wire protocol conformance"
KnownOf = Callable[[Run, str], Sequence[Known]]
"""The known failures of a run, and of its kind of target."""


def _nobody_knows(_asked: Dumped) -> list[DumpedField]:
    return []


@dataclass(frozen=True)
class Site:
    """What a site is to be like. The functions are told by those who know more than results."""

    written: str
    title: str = TITLE
    keep: int = KEEP
    harmful: bool = False
    annotate: Annotate = _nobody_knows
    definitions: Definitions = field(default=lambda _release: {})
    known: KnownOf = field(default=lambda _run, _kind: ())


@dataclass(frozen=True)
class Built:
    """What came of it."""

    targets: list[TargetView]
    comparisons: int
    bytes: int


def build(
    files: Iterable[ResultsFile],
    place: Path,
    site: Site,
    pairs: Sequence[tuple[ResultsFile, ResultsFile]] = (),
) -> Built:
    """Write the site of these runs; `pairs` are compared besides those of one target.

    Raises ResultsError, FolderTaken, NotWritten.
    """
    chosen = choose(files)
    with new_site(place) as folder:
        built = _Building(folder, site)
        for each in chosen:
            built.target(each)
        for old, new in pairs:
            built.compare(old, new)
        built.close()
        return Built(built.views, len(built.comparisons), folder.bytes)


class _Building:
    def __init__(self, folder: SiteFolder, site: Site) -> None:
        self.views: list[TargetView] = []
        self.comparisons: list[tuple[str, str]] = []
        self._folder = folder
        self._site = site
        self._pages = Pages(site.title, site.written)
        self._names: set[str] = set()
        self._by_message: dict[str, list[tuple[int, str, str]]] = {}
        self._curves: list[tuple[str, Any]] = []

    def target(self, chosen: Chosen) -> None:
        """One run: its data, its page, and what is different from older runs."""
        gathered = gather(chosen.file, self._site.keep, harmful=self._site.harmful)
        if chosen.older:
            told = "Older runs of this target are compared with it and are not in the matrix."
            gathered.notices.append(told)
        comparisons = [self.compare(older, chosen.file) for older in chosen.older]
        view = replace(target_view(chosen, gathered), comparisons=comparisons)
        self._data(view, gathered)
        self._count(gathered)
        coverage = covered(gathered.counts, self._site.definitions(gathered.run.definitions))
        curve = self._curve(view, chosen.file)
        self._write(view.page, "target.html.j2", view=view, **_shown(gathered, coverage, curve))
        self.views.append(view)

    def compare(self, old: ResultsFile, new: ResultsFile) -> tuple[str, str]:
        """The page of two runs: its address and its title."""
        compared = compare(old, new, harmful=self._site.harmful)
        address = f"compare/{slug(new.run.target, self._names)}.html"
        self._write(address, "compare.html.j2", compared=compared)
        self.comparisons.append((address, compared.title))
        return address, compared.title

    def close(self) -> None:
        """What is about all targets."""
        rules = self._rules()
        numbers = {rule.id: number for number, rule in enumerate(rules)}
        messages = sorted(self._by_message)
        self._script("index", self._index(rules, numbers, messages))
        for number, message in enumerate(messages):
            found = [(at, numbers[rule], text) for at, rule, text in self._by_message[message]]
            self._script(f"m/{number}", found)
        self._write("index.html", "index.html.j2", **self._front(messages))
        for name in STATIC:
            self._folder.write(f"static/{name}", static(name))

    def _data(self, view: TargetView, gathered: Gathered) -> None:
        bodies = Bodies(gathered.run.definitions, self._site.annotate)
        known = self._site.known(gathered.run, view.kind)
        failures = Failures(gathered, view.kind, bodies, known)
        for group in view.groups.values():
            self._script(group.script, failures.group(rule.id for rule in group.rules))

    def _count(self, gathered: Gathered) -> None:
        """Note what each rule got on each message, for the filter by message."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for form, count in gathered.counts.items():
            counts = found.setdefault((form.message, form.rule), {})
            counts[form.verdict] = counts.get(form.verdict, 0) + count
        for (message, rule), counts in found.items():
            self._by_message.setdefault(message, []).append((len(self.views), rule, packed(counts)))

    def _curve(self, view: TargetView, file: ResultsFile) -> dict[str, Any] | None:
        progress = read_progress(file.path.parent) if file.is_fuzzed else None
        if progress is None:
            return None
        chart = progress_chart(view.name, progress)
        edges = progress.points[-1][1]
        told = f"{progress.executions:,} executions in {progress.seconds:,.0f} s: {edges:,} edges"
        curve = {"name": view.name, "chart": chart, "told": told}
        self._curves.append((view.page, curve))
        return curve

    def _rules(self) -> list[RuleView]:
        every = (rule for view in self.views for g in view.groups.values() for rule in g.rules)
        return sorted({rule.id: rule for rule in every}.values(), key=lambda rule: rule.id)

    def _index(
        self, rules: list[RuleView], numbers: dict[str, int], messages: list[str]
    ) -> dict[str, Any]:
        return {
            "rules": [
                [r.id, r.class_, r.statement, r.rule.source if r.rule else ""] for r in rules
            ],
            "targets": [
                {
                    "page": view.page,
                    "kind": view.kind,
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

    def _front(self, messages: list[str]) -> dict[str, Any]:
        kinds = []
        for kind, heading in KINDS.items():
            views = [view for view in self.views if view.kind == kind]
            if views:
                kinds.append(_matrix(kind, heading, views, [self.views.index(v) for v in views]))
        return {
            "kinds": kinds,
            "messages": messages,
            "comparisons": self.comparisons,
            "curves": self._curves,
            "notices": _differing(self.views),
        }

    def _script(self, key: str, data: Any) -> None:
        self._folder.write(f"data/{key}.js", script(key, data))

    def _write(self, address: str, template: str, **given: Any) -> None:
        root = "../" * address.count("/")
        self._folder.write(address, self._pages.page(template, root, **given))


def _matrix(kind: str, heading: str, views: list[TargetView], places: list[int]) -> dict[str, Any]:
    judged = [(view.name, view.verdicts) for view in views if view.verdicts]
    rates = [(view.name, view.rate) for view in views if view.rate]
    return {
        "kind": kind,
        "heading": heading,
        "targets": list(zip(places, views, strict=True)),
        "groups": sorted({name for view in views for name in view.groups}),
        "verdicts": verdicts_chart(judged) if judged else "",
        "rates": rates_chart(rates) if rates and kind == "codec" else "",
    }


def _shown(gathered: Gathered, coverage: Coverage, curve: dict[str, Any] | None) -> dict[str, Any]:
    told = f"{coverage.asked:,} of {coverage.defined:,} versions of messages were asked"
    return {
        "summary": gathered.summary,
        "findings": gathered.findings,
        "more_findings": gathered.more_findings,
        "messages": sorted({form.message for form in gathered.counts}),
        "coverage": coverage,
        "coverage_chart": coverage_chart(coverage.rows, told) if coverage.rows else "",
        "coverage_told": told,
        "curve": curve,
    }


def _differing(views: list[TargetView]) -> list[str]:
    """What makes targets hard to hold against each other."""
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
