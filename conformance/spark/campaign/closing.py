"""The end of a campaign: findings and figures, as tables, as results files and on the console."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from conformance.errors import BROKEN_RULE, INTERRUPTED
from conformance.reporting.console import show_findings
from conformance.results.lines import BROKEN, VERDICTS, Finding, Run, Summary
from conformance.spark.campaign.campaign import Campaign
from conformance.spark.campaign.differential import EVERYTHING, TABLE, is_done
from conformance.spark.campaign.differential_shown import show
from conformance.spark.campaign.generate import SLOTS
from conformance.spark.jobs.results_files import tables_to_results
from conformance.spark.jobs.rows import finding_row, run_row
from conformance.spark.jobs.tables import partition, read_rows, write_rows

NOT_JUDGED = 3


def close(campaign: Campaign, console: Console, results: Path | None, verbose: bool) -> int:
    """Write and show what came of it; the exit code. Raises TableError, ResultsError."""
    found = {target: _findings(campaign, target) for target in campaign.about.targets}
    code = exit_code(campaign)
    for target, findings in found.items():
        _write(campaign, target, findings, code)
        examples = campaign.tally.causes[target].examples()
        show_findings(console, findings, examples, verbose)
        if results is not None:
            path = results if len(found) == 1 else results.with_stem(f"{results.stem}-{target}")
            tables_to_results(campaign.folder.root, campaign.about.run, target, path)
    _show_disagreements(campaign, console, verbose)
    _show_figures(campaign, found, console)
    return code


def _show_disagreements(campaign: Campaign, console: Console, verbose: bool) -> None:
    root, run = campaign.folder.root, campaign.about.run
    if campaign.about.differential and is_done(root, run):
        folder = partition(root, TABLE, run, EVERYTHING)
        show(console, read_rows(folder, TABLE), verbose)
        console.print()


def exit_code(campaign: Campaign) -> int:
    """What the command ends with."""
    tally = campaign.tally
    if campaign.interrupted:
        return INTERRUPTED
    verdicts = tally.verdicts.values()
    if tally.set_aside or any(each["error"] or not each["pass"] for each in verdicts):
        return NOT_JUDGED
    return BROKEN_RULE if any(each[name] for each in verdicts for name in BROKEN) else 0


def selected(campaign: Campaign) -> list[str]:
    """The options that a case's number depends on."""
    about = campaign.about
    options = [text for name in about.messages for text in ("--message", name)]
    options += [text for number in about.versions for text in ("--api-version", str(number))]
    return options + (["--profile", about.profile] if about.profile != "spec" else [])


def _findings(campaign: Campaign, target: str) -> list[Finding]:
    return campaign.tally.causes[target].findings(["campaign", target, *selected(campaign)])


def _write(campaign: Campaign, target: str, findings: list[Finding], code: int) -> None:
    root, about, tally = campaign.folder.root, campaign.about, campaign.tally
    seen = tally.causes[target].seen()
    rows = [finding_row(each, index, seen[each.case]) for index, each in enumerate(findings)]
    write_rows(partition(root, "findings", about.run, target), "findings", "findings", rows)
    seconds = sum(each.seconds for each in tally.rounds)
    cpu = sum(each.cpu_seconds.get(target, 0.0) for each in tally.rounds)
    summary = Summary(
        cases=tally.asked(target),
        verdicts={name: tally.verdicts[target][name] for name in VERDICTS},
        seconds=round(seconds, 3),
        exit_code=code,
        notes=_notes(campaign),
    )
    row = run_row(
        _header(campaign, target),
        None if campaign.interrupted else summary,
        asked=tally.asked(target),
        cpu=round(cpu, 3),
    )
    write_rows(partition(root, "runs", about.run, target), "run", "runs", [row])


def _header(campaign: Campaign, target: str) -> Run:
    about, hello = campaign.about, campaign.hellos[target]
    selection = {
        "seed": about.seed,
        "cases": about.cases,
        "messages": list(about.messages),
        "versions": list(about.versions),
    }
    return Run(
        target=target,
        target_version=f"{hello.name} {hello.version}",
        language=hello.language,
        definitions=hello.definitions,
        suite_version=about.suite_version,
        profile=about.profile,
        started=about.started,
        selection={key: value for key, value in selection.items() if value != []},
    )


def _notes(campaign: Campaign) -> list[str]:
    tally = campaign.tally
    reached = len(tally.reached)
    fields = len({feature[:3] for feature in tally.reached})
    notes = [f"{reached:,} features of the definitions reached, at {fields:,} fields"]
    if tally.set_aside:
        notes.append(f"{tally.set_aside} stretches set aside, see the table set_aside")
    return notes


def _show_figures(campaign: Campaign, found: dict[str, list[Finding]], console: Console) -> None:
    tally, about = campaign.tally, campaign.about
    for target, findings in found.items():
        counts = tally.verdicts[target]
        verdicts = ", ".join(f"{counts[name]:,} {name}" for name in VERDICTS if counts[name])
        what = f"{len(findings)} findings" if len(findings) != 1 else "1 finding"
        said = f"{target}: {what if findings else 'nothing found'}; {verdicts or 'nothing judged'}"
        console.print(said, soft_wrap=True, markup=False)
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
        console.print("interrupted: the rounds that are done are kept, --resume goes on with them")
