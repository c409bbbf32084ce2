"""`kafka-conformance convert`: a results file in the forms that build services read."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli import grouped
from conformance.cli.common import end, examples
from conformance.cli.grouped import OUTPUT, option

if TYPE_CHECKING:
    from conformance.reporting.run_report import RunReport

_FILE = click.Path(path_type=Path, dir_okay=False)


@grouped.command(
    "convert",
    epilog=examples(
        "convert results.ndjson --junit junit.xml --badge badge.json",
        "convert codec.ndjson broker.ndjson --summary summary.md",
        "convert reports/2026-11-25/codecs/kio-0.6.5.ndjson.gz --summary -",
        "convert results.ndjson --annotate github",
    ),
)
@click.argument(
    "results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS..."
)
@option(OUTPUT, "--junit", type=_FILE, metavar="FILE", help="Write JUnit XML, of one run.")
@option(
    OUTPUT,
    "--summary",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write Markdown for the page of a job, to the standard output where FILE is -.",
)
@option(
    OUTPUT,
    "--badge",
    type=_FILE,
    metavar="FILE",
    help="Write the JSON of a badge, for an endpoint of shields.io, of one run.",
)
@option(
    OUTPUT,
    "--annotate",
    type=click.Choice(["github", "none"]),
    default="none",
    help="Print findings as a build service shows them.",
)
@option(OUTPUT, "--public", is_flag=True, help="Withhold what could do harm from --junit, too.")
@click.pass_context
def command(
    ctx: click.Context,
    results: tuple[Path, ...],
    junit: Path | None,
    summary: Path | None,
    badge: Path | None,
    annotate: str,
    public: bool,
) -> None:
    """Write results in other forms, after the run.

    RESULTS are files of --results, or published ones (.ndjson.gz), and folders of either. Ends
    with 0 whatever they say: a run's own exit code is in its last line. Where that is missing, the
    results are not whole, and this ends with 3.
    """
    from conformance.reporting.annotations import commands
    from conformance.reporting.forms import Forms
    from conformance.reporting.markdown import section
    from conformance.results.lines import is_cut_short

    if not (junit or summary or badge or annotate != "none"):
        raise click.UsageError("name a form: --junit, --summary, --badge or --annotate")
    on_screen = summary == Path("-")
    forms = Forms(junit, None if on_screen else summary, badge)
    forms.check()
    files = _reports_of(results, public)
    if len(files) > 1 and (junit or badge):
        raise click.UsageError("--junit and --badge take one run at a time")
    for told in files.values():
        forms.write(told)
        if on_screen:
            click.echo(section(told), nl=False)
        if annotate != "none":
            click.echo("\n".join(commands(told)))
    end(ctx, 0, (name for name, told in files.items() if is_cut_short(told.summary)))


def _reports_of(paths: tuple[Path, ...], public: bool) -> dict[str, RunReport]:
    """Return each run in these files and folders, by the name of its file. Raises ResultsError."""
    from conformance.reporting.run_report import tell
    from conformance.reporting.site.reading import ResultsFile, found
    from conformance.results.publish import published

    def told(file: ResultsFile) -> RunReport:
        if public:
            return tell(file.run, lambda: published(chain([file.run], file.lines())))
        return tell(file.run, file.lines)

    return {str(file.path): told(file) for file in found(list(paths))}
