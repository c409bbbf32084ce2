"""`kafka-conformance triage`: the findings of many runs and targets, cause by cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.console import Console

from conformance.cli import grouped
from conformance.cli.common import console, end, examples, limits, written_to
from conformance.cli.grouped import JUDGE, OUTPUT, option
from conformance.errors import BROKEN_RULE
from conformance.targets.toolchains import PIPELINE

if TYPE_CHECKING:  # Spark is loaded where it is needed
    from conformance.campaigns.triage.lines import CauseLine

LOCAL = "local[*]"


@grouped.command(
    "triage",
    epilog=examples(
        "triage run1 run2 fuzz-kio/results.ndjson",
        "triage kio.ndjson kafka-python.ndjson --no-minimise --json",
        "triage run1 run2 -o triage1 --master spark://host:7077",
    ),
)
@click.argument(
    "runs",
    nargs=-1,
    required=True,
    metavar="RUN...",
    type=click.Path(path_type=Path, exists=True),
)
@written_to("--output", "Write the table `triage` and the shortest inputs to this folder.")
@option(
    JUDGE,
    "--master",
    metavar="URL",
    help=f"Make cases short on this cluster of Spark's; {LOCAL} by default.",
)
@option(
    JUDGE,
    "--parts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Make cases short in so many tasks.",
)
@limits
@option(JUDGE, "--no-minimise", is_flag=True, help="Leave cases as they are; this needs no Spark.")
@option(
    JUDGE, "--anyway", is_flag=True, help="Take runs together though they are of different suites."
)
@option(
    OUTPUT,
    "--json",
    "as_json",
    is_flag=True,
    help="Print an object a line: each cause, then counts.",
)
@option(OUTPUT, "-v", "--verbose", is_flag=True, help="Print every cause and target.")
@click.pass_context
def command(
    ctx: click.Context,
    runs: tuple[Path, ...],
    folder: Path | None,
    master: str | None,
    parts: int | None,
    timeout: float,
    memory: int,
    no_minimise: bool,
    anyway: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Tell what many runs found as few causes, and of each which targets have it.

    A RUN is a file of --results, of the gate, a campaign or the fuzzer, or the folder of a
    campaign. The smallest case of each cause and target is asked again and made short, on Spark,
    where the target can be opened here by the name that its run gives. Ends with 1 where a rule was
    broken, with 0 where none was, with 3 where results are not whole.
    """
    from conformance.campaigns.triage.console import in_words, show
    from conformance.campaigns.triage.lines import line_of, summary_of
    from conformance.campaigns.triage.triage import defects, given_runs

    if no_minimise and (master or parts):
        raise click.UsageError("--master and --parts are of no use with --no-minimise")
    given = given_runs(runs, anyway)
    if folder is not None:
        _check_folder(folder)
    why = "--no-minimise" if no_minimise else _without_spark(master)
    lines = [line_of(each, why) for each in defects(given)]
    if not why:
        lines = _shortened(lines, master or LOCAL, parts, timeout, memory)
    if folder is not None:
        _keep(folder, lines)
    summary = summary_of(lines, len(given))
    if as_json:
        for line in (*lines, summary):
            click.echo(msgspec.json.encode(line).decode())
    else:
        shown = console()
        show(shown, lines, verbose)
        shown.print(in_words(summary), soft_wrap=True, markup=False)
    cut_short = [each.source.name for each in given if each.source.cut_short]
    end(ctx, BROKEN_RULE if lines else 0, cut_short)


def _without_spark(master: str | None) -> str:
    """Return why inputs can't be shortened here, "" if they can. Raises NoSpark if they must be."""
    from conformance.spark.jobs.requirements import NoSpark, check_installed

    try:
        check_installed()
    except NoSpark as error:
        if master:
            raise
        return f"no Spark: {error.message}"
    return ""


def _shortened(
    lines: list[CauseLine], master: str, parts: int | None, timeout: float, memory: int
) -> list[CauseLine]:
    from conformance.campaigns.chunk import ChunkSettings
    from conformance.spark.jobs.parts import spark
    from conformance.spark.triage.shortened import planned, shortened

    place = str(Path.cwd())
    settings = ChunkSettings(run="", folder="", seed=0, timeout=timeout, memory=memory, place=place)
    plan = planned(lines, settings)
    if not plan.suspects:
        return list(plan.lines)
    shown = Console(stderr=True)
    with spark(master, "kafka-conformance triage", shown) as session:
        return shortened(session, plan, settings, parts, shown)


def _check_folder(folder: Path) -> None:
    PIPELINE.check("pyarrow", why="-o writes a table")
    from conformance.campaigns.triage.files import check_folder

    check_folder(folder)


def _keep(folder: Path, lines: list[CauseLine]) -> None:
    from conformance.campaigns.triage.files import keep

    keep(folder, lines)
