"""`kafka-conformance campaign`: generated cases at scale, on Spark."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli import grouped
from conformance.cli.codec import named_targets
from conformance.cli.common import (
    by_message,
    by_version,
    codecs_argument,
    console,
    examples,
    findings_option,
    limits,
    profile_option,
    results_option,
    written_to,
)
from conformance.cli.grouped import JUDGE, OUTPUT, SELECT, option

_EXAMPLES = examples(
    "campaign reference --cases 1000000 -o run1",
    "campaign kafka-clients kio kafka-python --cases 1e6 -o run2",
    "campaign kio --cases 10000000 -o run3 --until-quiet --master spark://host:7077",
    "campaign kafka-python kio --cases 1e6 -o run4 --differential",
    "campaign kio --cases 1000000 -o run1 --resume",
    "campaign kio --case 1/4711",
    "campaign --cases 1e5 -o run5 -- node my-testee.js",
)


def _number(_ctx: click.Context, _parameter: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        number = int(text.replace("_", "")) if "e" not in text.lower() else int(float(text))
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{text!r} is no number of cases") from None
    if number < 1:
        raise click.BadParameter("at least one case")
    return number


@grouped.command("campaign", epilog=_EXAMPLES)
@codecs_argument
@option(
    JUDGE,
    "--cases",
    callback=_number,
    metavar="N",
    help="Judge each target by so many cases: 1000000, or 1e6.",
)
@written_to("--output", "Write the tables of the campaign to this folder.")
@option(
    JUDGE,
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Make all cases from this seed.",
)
@by_message("Judge this message alone.")
@by_version("Judge this version of messages alone.")
@profile_option
@option(
    JUDGE,
    "--master",
    default="local[*]",
    metavar="URL",
    help="Judge on this cluster of Spark's.",
)
@limits
@option(
    JUDGE, "--until-quiet", is_flag=True, help="End when a round brings no finding and no coverage."
)
@option(
    JUDGE, "--differential", is_flag=True, help="Compare the targets' answers with each other, too."
)
@option(JUDGE, "--resume", is_flag=True, help="Go on with the run in DIR.")
@option(
    OUTPUT,
    "--keep",
    type=click.Choice(["broken", "all"]),
    default="broken",
    help="Keep the rows of broken cases whole, or of all; the others are counted.",
)
@option(SELECT, "--case", metavar="SEED/NUMBER", help="Judge this one case alone, without Spark.")
@results_option
@findings_option
@click.pass_context
def command(
    ctx: click.Context, /, arguments: tuple[str, ...], case: str | None, **chosen: Any
) -> None:
    """Judge codecs by millions of generated cases, on Spark.

    TARGET is `reference`, a bundled adapter, or module:object of a Python codec; after two dashes
    comes the command of any program that speaks the testee protocol. Every target is asked the same
    cases, of a few messages where the targets declare no others. A case is made of the seed and its
    number alone, and can be judged again.
    """
    targets = named_targets(ctx, arguments)
    if case is not None:
        ctx.exit(_again(targets, case, chosen))
    if chosen["cases"] is None or chosen["folder"] is None:
        raise click.UsageError("give --cases and -o, or --case")
    if chosen["differential"] and len(set(targets)) < 2:
        raise click.UsageError("--differential compares targets: give two or more")
    ctx.exit(_campaign(targets, chosen))


def _campaign(targets: tuple[str, ...], chosen: dict[str, Any]) -> int:
    from conformance.spark.jobs.requirements import check_installed

    check_installed()
    from conformance.spark.campaign.campaign import (
        CampaignOptions,
        is_compared,
        judge_on_spark,
        prepare,
    )
    from conformance.spark.campaign.closing import close

    results, verbose = chosen.pop("results"), chosen.pop("verbose")
    options, shown = CampaignOptions(**chosen), console()
    campaign = prepare(targets, options)
    if not campaign.is_over or not is_compared(campaign):
        judge_on_spark(campaign, options, shown)
    return close(campaign, shown, results, verbose)


def _again(targets: tuple[str, ...], case: str, chosen: dict[str, Any]) -> int:
    from conformance.campaigns.chunk import case_again
    from conformance.codecs.resolve import open_target
    from conformance.results.lines import BROKEN
    from conformance.results.text import failure_text

    code, shown = 0, console()
    for name in targets:
        with open_target(name, timeout_s=chosen["timeout"], memory_mib=chosen["memory"]) as target:
            selection = chosen["messages"], chosen["versions"], chosen["profile"]
            for verdict in case_again(case, target, *selection):
                shown.print(failure_text(verdict), soft_wrap=True, markup=False)
                code = 1 if verdict.verdict in BROKEN else code
    return code
