"""The conclusion from a run's verdicts: counts, causes, new failures, the exit code.

The verdicts are read once, as they lie in the parts of the run's processes; they are never all in
memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.gate.gate import PART
from conformance.gate.kind import Kind
from conformance.gate.options import RunOptions
from conformance.gate.runner import Ran
from conformance.reporting.advertised import Advertised
from conformance.reporting.closing_block import (
    ClosingBlock,
    defects_of,
    list_command,
    measured,
    outcome_of,
)
from conformance.reporting.console import EXCLUDED, Tally
from conformance.reporting.deciding import Deciding
from conformance.reporting.deciding import in_words as decided_in_words
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.reporting.run_report import News
from conformance.reporting.side_by_side import Matrix
from conformance.results.closing import exit_code
from conformance.results.files import read_verdicts
from conformance.results.known import Expectations
from conformance.results.known_cases import KnownPlace
from conformance.results.lines import ANSWERED, BROKEN, Decided, Finding, Run, Summary, Verdict
from conformance.results.text import counted
from conformance.rules import select
from conformance.targets.errors import shorten
from conformance.testee_protocol import Hello


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion from a run's verdicts.

    `decided` is None for a run of single cases. Compared with a list of known failures,
    `new_failures` counts those that it lacks, `news` are their findings, `stale` are its entries
    that did not happen, and `outdated` has a line about entries that are wider than necessary.
    `note` reports a diagnosis that was cut short.
    """

    tally: Tally
    advertised: Advertised
    findings: list[Finding]
    examples: dict[str, Verdict]
    new_failures: int
    news: list[Finding]
    new_cells: frozenset[tuple[str, str]]
    stale: list[KnownPlace]
    outdated: list[str]
    note: str
    decided: Decided | None = None


def verdicts_of(parts: Path) -> Iterator[Verdict]:
    """Yield the verdicts that the processes of a run have left."""
    return read_verdicts(sorted(parts.glob(f"*{PART}")))


def conclude(
    run: Run,
    ran: Ran,
    parts: Path,
    expectations: Expectations,
    partial: bool,
    options: RunOptions,
    matrix: Matrix,
) -> Conclusion:
    """Read all verdicts, and compare those that failed with known defects.

    With `update_known`, no failure counts as new.
    """
    kind = options.kind
    tally, causes, news = Tally(run.name), Causes(), Causes()
    advertised = Advertised(
        _ranges(ran.hello) if kind.lists_apis else {}, selected=bool(options.selection)
    )
    comparison, deciding = kind.comparison(run.target, options.messages), Deciding()
    new_failures = 0
    new_cells: set[tuple[str, str]] = set()
    for verdict in verdicts_of(parts):
        tally.take(verdict)
        matrix.take(run.short_name, verdict)
        advertised.take(verdict)
        deciding.take(verdict)
        comparison.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
        if expectations.take(verdict) and not options.update_known:
            new_failures += 1
            new_cells.add((verdict.rule, verdict.message))
            news.take(verdict)
    told, note = Explained(), ""
    whole = ran.complete and not options.cases  # one case alone fits many defects
    if whole and causes.sorts() and (kind.diagnoses_parts or not tally.left):
        told, note = comparison.explain(causes.sorts(), ran.hello)
    if kind.judges_visits:
        told = replace(told, everywhere=deciding.never_kept())
    told = replace(told, newest=tally.newest)
    return Conclusion(
        tally=tally,
        advertised=advertised,
        findings=causes.findings(run.again, told),
        examples={**causes.examples(), **news.examples()},
        new_failures=new_failures,
        news=news.findings(run.again, told),
        new_cells=frozenset(new_cells),
        stale=[] if options.update_known else expectations.stale(partial),
        outdated=[] if options.update_known else expectations.outdated(),
        note=note,
        decided=None
        if options.cases
        else deciding.of(_rules_asked_for(options), ran.needs, is_whole=ran.complete),
    )


def _rules_asked_for(options: RunOptions) -> list[str] | None:
    """Return the rules that a run should decide, None if it is limited by anything but rules."""
    limits = (options.messages, options.versions, options.keyword, options.selection.get("exclude"))
    if any(limits):
        return None
    applies = [options.kind.noun]
    return [rule.id for rule in select(options.rules, options.classes, applies)]


def _ranges(hello: Hello) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest version of each request that a broker advertises."""
    return {
        name: (support.versions[0][0], support.versions[-1][1])
        for name, support in hello.messages.items()
    }


def news_of(conclusion: Conclusion, options: RunOptions) -> News | None:
    """Return the failures that were not known before, None without a list of known ones."""
    return News(tuple(conclusion.news), conclusion.new_cells) if options.known else None


def exit_code_of(conclusion: Conclusion, ran: Ran) -> int:
    """Return the exit code of a run on one target."""
    return exit_code(
        interrupted=ran.interrupted,
        unfinished=bool(ran.lost or conclusion.tally.verdicts["error"]),
        broken=bool(conclusion.new_failures or conclusion.stale),
        judged=conclusion.tally.judged,
    )


def closing_block(
    conclusion: Conclusion, ran: Ran, options: RunOptions, run: Run, results: str
) -> ClosingBlock:
    """Return the block that closes the run.

    `results` is the name by which findings are shown, "" if no file has them.
    """
    tally = conclusion.tally
    shown = conclusion.news if options.known else conclusion.findings
    defects = defects_of(shown, results)
    has_list = results and (shown or conclusion.findings)
    return ClosingBlock(
        headline=f"{run.name}: {in_words(conclusion, ran, options)}",
        measured=_measured(tally, ran, options),
        decided=_decided(conclusion, options, shown),
        left=_left(tally),
        noted=_noted(tally) if options.kind.judges_visits else "",
        defects=defects,
        known=_known_in_words(conclusion) if options.known else "",
        list_command=list_command(results) if has_list else "",
    )


def _decided(conclusion: Conclusion, options: RunOptions, shown: list[Finding]) -> str:
    decided = conclusion.decided
    if decided is None:
        return ""
    return decided_in_words(decided, shown, lists_apis=options.kind.lists_apis)


def _noted(tally: Tally) -> str:
    """Return how many rules of class kafka were not kept, and charged to no client; "" if none."""
    count = sum(rule.is_noted for rule in tally.rules.values())
    if not count:
        return ""
    what = f"{counted(count, 'rule')} of class kafka {'is' if count == 1 else 'are'} not kept"
    return f"not charged: {what}; --profile kafka charges {'it' if count == 1 else 'them'}"


def _left(tally: Tally) -> str:
    """Return how many cases were not asked and the most frequent reason; "" if none."""
    if not tally.left:
        return ""
    [(why, _)] = tally.left.most_common(1)
    others = len(tally.left) - 1
    more = f", and {counted(others, 'other reason')}" if others else ""
    return f"{tally.left.total():,} of {counted(tally.cases, 'case')} were not asked: {why}{more}"


def _measured(tally: Tally, ran: Ran, options: RunOptions) -> str:
    messages = 0 if options.selection else options.kind.measured_messages(ran.hello)
    is_answered = tally.unasked[ANSWERED] or tally.unasked[EXCLUDED]
    lacking = _who_lacks(tally, options.kind) if is_answered else {}
    cases = tally.cases - tally.left.total()
    return measured(cases, messages, ran.seconds, tally.unasked.total(), lacking)


def _who_lacks(tally: Tally, kind: Kind) -> dict[str, int]:
    """Return how many cases the adapter or the driver lacks, and how many the target lacks.

    Cases whose values a codec's types have no room for are counted apart.
    """
    return {
        f"the {kind.noun}'s types exclude": tally.unasked[EXCLUDED],
        f"{kind.between} lacks": tally.unasked[ANSWERED],
        f"the {kind.noun} lacks": tally.unasked[""],
    }


def _known_in_words(conclusion: Conclusion) -> str:
    """Return a line with the rules whose failures are known."""
    new = {rule for rule, _ in conclusion.new_cells}
    rules = [name for name, _ in conclusion.tally.broken_rules if name not in new]
    return f"known: {counted(len(rules), 'rule')} broken: {', '.join(rules)}" if rules else ""


def in_words(conclusion: Conclusion, ran: Ran, options: RunOptions) -> str:
    """Return the outcome in one line: how the run ended if not well, then what failed."""
    tally, said = conclusion.tally, []
    if ran.interrupted:
        kept = f"kept in {options.results}" if options.results else "shown"
        said.append(f"interrupted, what was judged so far is {kept}")
    if ran.lost:
        said.append(f"not judged to the end: {shorten(ran.lost, 500)}")
    if error := tally.first.get("error"):
        first = f"{error.case}: {shorten(error.detail, 500)}"
        errors = counted(tally.verdicts["error"], "error")
        said.append(f"{errors} of the adapter or the suite, the first in {first}")
    if options.known and tally.broken_cases:
        new = outcome_of(defects_of(conclusion.news), new=True)
        said.append(new or "nothing new, its failures are known")
    elif tally.broken_cases:
        said.append(outcome_of(defects_of(conclusion.findings)))
    elif not said:
        said += ["no failure"] if tally.judged else _why_nothing(tally)
    if conclusion.stale:
        said.append(f"{counted(len(conclusion.stale), 'known failure')} did not happen")
    return "; ".join(said)


def _why_nothing(tally: Tally) -> list[str]:
    """Return words that nothing passed, and why the first case did not."""
    if unproven := tally.first.get("not-proven"):
        return ["nothing passed", f"{unproven.case} proves nothing: {_short(unproven)}"]
    if elsewhere := tally.first.get("unsupported"):
        return [f"nothing was judged: {elsewhere.case}: {_short(elsewhere)}"]
    return ["nothing passed"]


def _short(verdict: Verdict) -> str:
    return shorten(verdict.detail, 500)


def summary_of(conclusion: Conclusion, ran: Ran, code: int) -> Summary | None:
    """Return the closing line of a results file, None for a run that was cut short."""
    if not ran.complete:
        return None
    return Summary(
        cases=conclusion.tally.cases,
        verdicts=dict(conclusion.tally.verdicts),
        seconds=round(ran.seconds, 3),
        exit_code=code,
        notes=[*ran.notes, *filter(None, (conclusion.note,))],
        unasked=conclusion.tally.unasked.total(),
        decided=conclusion.decided,
    )
