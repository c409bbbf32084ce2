"""`kafka-conformance fuzz`: hunt for inputs that break a codec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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
    memory,
    profile_option,
    results_option,
    timeout_option,
    written_to,
)
from conformance.cli.grouped import JUDGE, SELECT, option, repeated
from conformance.targets.toolchains import FUZZ

_EXAMPLES = examples(
    "fuzz reference --time 60",
    "fuzz kio --message MetadataResponse --jobs 2 --time 600 -o fuzz-kio",
    "fuzz mypackage.codec:Codec",
    "fuzz -- node my-testee.js",
    "fuzz kio --merge fuzz-kio/corpus -o fuzz-kio   # makes a corpus small",
    "fuzz kio --input 5a3c0c00…",
    "fuzz kio kafka-python --master 'local[*]' --rounds 10 --time 300 -o run1",
    "fuzz kio kafka-python --master spark://host:7077 --rounds 100 --time 600 -o run1 --resume",
)


@grouped.command("fuzz", epilog=_EXAMPLES)
@codecs_argument
@option(
    JUDGE,
    "--time",
    type=click.FloatRange(min=1),
    default=60.0,
    metavar="S",
    help="Fuzz for so many seconds; on a cluster, so many in each round.",
)
@option(
    JUDGE,
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Fuzz in so many processes.",
)
@written_to(
    "--corpus",
    "Keep corpus and findings in this folder, and go on with those in it; by default it is "
    "fuzz-TARGET.",
)
@repeated(
    JUDGE,
    "--merge",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Take over this corpus first, and drop inputs that reach nothing that others don't.",
)
@by_message("Fuzz this message alone.")
@by_version("Begin with seeds of this version alone.")
@profile_option
@option(
    JUDGE,
    "--seed",
    type=int,
    default=1,
    metavar="N",
    help="Draw what is random from this seed.",
)
@option(JUDGE, "--bytes-only", is_flag=True, help="Mutate bytes alone, blind to what they say.")
@option(SELECT, "--input", "given", metavar="HEX", default="", help="Judge this one input alone.")
@timeout_option
@memory(256, "Let each process of the target have so many MiB of memory.")
@results_option
@option(JUDGE, "--master", metavar="URL", help="Fuzz on this cluster of Spark's, or on local[N].")
@option(
    JUDGE,
    "--rounds",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fuzz for so many rounds, with --master.",
)
@option(
    JUDGE,
    "--shards",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fuzz in so many processes a round; by default there are as many as places.",
)
@option(JUDGE, "--resume", is_flag=True, help="Go on with the run in DIR, with --master.")
@findings_option
@click.pass_context
def command(
    ctx: click.Context, /, arguments: tuple[str, ...], given: str, bytes_only: bool, **chosen: Any
) -> None:
    """Hunt for inputs that break a codec, guided by what its code reaches.

    TARGET is `reference`, `mutant:NAME`, a bundled adapter, or module:object of a Python codec;
    after two dashes comes the command of any program that speaks the testee protocol. A codec in
    another language is guided by what its answers reach of the message definitions. With --master
    there may be several, which share what is found. Ends with 4 where something was suspicious that
    could not be confirmed.
    """
    targets = named_targets(ctx, arguments)
    chosen["structure"] = not bytes_only
    if chosen["master"] is not None and not given:
        ctx.exit(_on_spark(targets, chosen, _is_given(ctx)))
    on_spark_only = [f"--{name}" for name in ("rounds", "shards", "resume") if chosen[name]]
    if on_spark_only:
        raise click.UsageError(f"{on_spark_only[0]} goes with --master")
    if len(targets) > 1:
        raise click.UsageError("several targets go with --master")
    ctx.exit(_alone(targets[0], given, chosen))


def _is_given(ctx: click.Context) -> Callable[[str], bool]:
    """Return a function that is True for the names of options that the user gave."""
    default = click.core.ParameterSource.DEFAULT
    return lambda name: ctx.get_parameter_source(name) is not default


def _alone(target: str, given: str, chosen: dict[str, Any]) -> int:
    from conformance.fuzzing.session import FuzzOptions, fuzz, replay
    from conformance.results.naming import file_name

    for name in ("master", "rounds", "shards", "resume"):
        del chosen[name]
    folder = chosen.pop("folder") or Path(f"fuzz-{file_name(target)}")
    options = FuzzOptions(folder=folder, **chosen)
    if given:
        try:
            data = bytes.fromhex(given)
        except ValueError:
            raise click.BadParameter("no hex", param_hint="--input") from None
        return replay(target, data, options, console())
    FUZZ.check()
    return fuzz(target, options, console())


def _on_spark(
    targets: tuple[str, ...], chosen: dict[str, Any], given: Callable[[str], bool]
) -> int:
    from conformance.spark.jobs.requirements import check_installed

    for name in ("jobs", "merge"):
        if given(name):
            raise click.UsageError(f"--{name} goes without --master")
        del chosen[name]
    if chosen["folder"] is None:
        raise click.UsageError("give -o with --master")
    check_installed()
    from conformance.spark.fuzzing.closing import close, fuzz_on_spark
    from conformance.spark.fuzzing.run import FuzzRunOptions, prepare
    from conformance.spark.jobs.session import is_local

    if is_local(chosen["master"]):
        FUZZ.check()
    results, verbose = chosen.pop("results"), chosen.pop("verbose")
    chosen["rounds"] = chosen["rounds"] or 1
    options, shown = FuzzRunOptions(**chosen), console()
    run = prepare(targets, options)
    judged = fuzz_on_spark(run, options, shown)
    return close(run, judged, shown, results, verbose)
