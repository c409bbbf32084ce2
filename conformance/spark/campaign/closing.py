"""The end of a campaign: findings and figures, as tables, as results files and on the console."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from conformance.campaigns.diagnosis import diagnosed
from conformance.campaigns.differential.tables import show
from conformance.campaigns.generate import SLOTS
from conformance.campaigns.storage.closing import (
    TargetEnd,
    close_targets,
    show_figures,
    show_interruption,
)
from conformance.campaigns.storage.tables import partition, read_rows
from conformance.errors import gravest
from conformance.results.closing import exit_code, header
from conformance.results.command_lines import with_options, words_of
from conformance.results.lines import BROKEN, VERDICTS, Summary
from conformance.spark.campaign.campaign import Campaign
from conformance.spark.campaign.differential import EVERYTHING, TABLE, is_done
from conformance.waiting import waiting


def close(campaign: Campaign, console: Console, results: Path | None, verbose: bool) -> int:
    """Write and show the results, and return the exit code. Raises TableError, ResultsError."""
    targets = campaign.about.targets
    codes = {target: _exit_code(campaign, target) for target in targets}
    ends = [_end(campaign, target, codes[target]) for target in targets]
    root, run = campaign.folder.root, campaign.about.run
    close_targets(root, run, ends, console, results, verbose)
    _show_disagreements(campaign, console, verbose)
    show_figures(ends, console)
    _show_totals(campaign, console)
    return gravest(codes.values())


def _show_disagreements(campaign: Campaign, console: Console, verbose: bool) -> None:
    root, run = campaign.folder.root, campaign.about.run
    if campaign.about.differential and is_done(root, run):
        folder = partition(root, TABLE, run, EVERYTHING)
        show(console, read_rows(folder, TABLE), verbose)
        console.print()


def _exit_code(campaign: Campaign, target: str) -> int:
    counts = campaign.tally.verdicts[target]
    return exit_code(
        interrupted=campaign.interrupted,
        unfinished=bool(campaign.tally.set_aside or counts["error"]),
        broken=any(counts[name] for name in BROKEN),
        judged=counts["pass"] > 0,
    )


def selected(campaign: Campaign) -> list[str]:
    """The options that a case's number depends on."""
    about = campaign.about
    options = [text for name in about.messages for text in ("--message", name)]
    options += [text for number in about.versions for text in ("--api-version", str(number))]
    return options + (["--profile", about.profile] if about.profile != "spec" else [])


def _end(campaign: Campaign, target: str, code: int) -> TargetEnd:
    about, tally = campaign.about, campaign.tally
    counts, causes = tally.verdicts[target], tally.causes[target]
    summary = Summary(
        cases=tally.cases_asked(target),
        verdicts={name: counts[name] for name in VERDICTS},
        seconds=round(sum(each.seconds for each in tally.rounds), 3),
        exit_code=code,
        notes=_notes(campaign),
    )
    selection = {
        "seed": about.seed,
        "cases": about.cases,
        "messages": list(about.messages),
        "versions": list(about.versions),
    }
    again = with_options(words_of("campaign", target), selected(campaign))
    hello, rounds = campaign.hellos[target], len(tally.rounds)
    with waiting(f"comparing {target} with known defects"):
        told = diagnosed(campaign.folder.root, about, target, hello, causes.sorts(), rounds)
    found = causes.with_sorts(again, told)
    got = ", ".join(f"{counts[name]:,} {name}" for name in VERDICTS if counts[name])
    return TargetEnd(
        header=header(target, campaign.hellos[target], about.profile, about.started, selection),
        summary=None if campaign.interrupted else summary,
        findings=[finding for finding, _ in found],
        examples=causes.examples(),
        figures=got or "nothing judged",
        seen={finding.case: causes.seen(sorts) for finding, sorts in found},
        asked=tally.cases_asked(target),
        cpu=round(sum(each.cpu_seconds.get(target, 0.0) for each in tally.rounds), 3),
    )


def _notes(campaign: Campaign) -> list[str]:
    tally = campaign.tally
    reached = len(tally.reached)
    fields = len({feature[:3] for feature in tally.reached})
    notes = [f"{reached:,} features of the definitions reached, at {fields:,} fields"]
    if tally.set_aside:
        notes.append(f"{tally.set_aside} chunks set aside, see the table set_aside")
    return notes


def _show_totals(campaign: Campaign, console: Console) -> None:
    tally, about = campaign.tally, campaign.about
    for note in _notes(campaign):
        console.print(note, soft_wrap=True)
    seconds = sum(each.seconds for each in tally.rounds)
    rate = tally.cases / seconds if seconds else 0.0
    last = tally.cases // len(about.targets) // SLOTS
    console.print(
        f"{tally.cases:,} cases in {seconds:.0f} s, {rate:,.0f} a second, "
        f"{last:,} messages for each target; kept in {campaign.folder.root}",
        soft_wrap=True,
        markup=False,
    )
    if campaign.interrupted:
        show_interruption(console)
