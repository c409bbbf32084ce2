"""`kafka-conformance codec`: judge one codec, or several one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.common import console, limits, selection
from conformance.errors import UNREACHABLE, ConformanceError

_EPILOG = """\b
Examples:
  kafka-conformance codec reference
  kafka-conformance codec kafka-clients@3.9.2 -n 2
  kafka-conformance codec mypackage.codec:Codec --results results.ndjson
  kafka-conformance codec --rule 'tags.*' -- ./my-testee --flag
"""


@click.command("codec", epilog=_EPILOG)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="TARGET... | -- COMMAND...")
@selection
@limits
@click.option("--profile", type=click.Choice(["spec", "kafka"]), default="spec", show_default=True)
@click.option("--known", metavar="FILE", help="Known failures, or `bundled` for the adapter's own.")
@click.option("--update-known", is_flag=True, help="Write what fails now to the --known file.")
@click.option(
    "--results", type=click.Path(path_type=Path), metavar="FILE", help="NDJSON, a line a verdict."
)
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="JUnit XML.")
@click.option("--allure", type=click.Path(path_type=Path), metavar="DIR", help="Allure results.")
@click.option("-n", "workers", default="0", metavar="WORKERS", help="Processes (pytest-xdist).")
@click.option("-k", "keyword", default="", metavar="EXPRESSION", help="Only items of this name.")
@click.option("--skip-missing", is_flag=True, help="Say which toolchain a target lacks, and go on.")
@click.option("-v", "--verbose", is_flag=True, help="Show every finding.")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a codec by golden vectors and edits of them.

    TARGET is `reference`, a bundled adapter (`kafka-conformance targets`), or module:object of a
    Python codec; after two dashes comes the command of any program that speaks the testee protocol.
    """
    from conformance.checks.session import Options, judge_targets

    specs, program = split_targets(ctx, arguments)
    outputs = [chosen["results"], chosen["junit"], chosen["allure"]]
    if len(specs) > 1 and any(outputs):
        raise click.UsageError("--results, --junit and --allure take one target at a time")
    if chosen["update_known"] and not chosen["known"]:
        raise click.UsageError("--update-known needs --known FILE")
    try:
        code = judge_targets(specs, program, Options(**chosen), console())
    except ConformanceError:
        raise
    except OSError as error:
        raise _Unwritable(f"{error.filename}: {error.strerror}", "choose another place") from None
    ctx.exit(code)


class _Unwritable(ConformanceError):
    exit_code = UNREACHABLE


def split_targets(ctx: click.Context, arguments: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Targets by name, or the command after the dashes.

    Click takes the dashes away, so they are looked for in what was typed.
    """
    typed = ctx.find_root().meta["conformance.typed"]
    if "--" in typed:
        program = typed[typed.index("--") + 1 :]
        names = list(arguments[: len(arguments) - len(program)])
        if names or not program:
            raise click.UsageError("give targets by name, or one command after two dashes")
        return [], program
    if not arguments:
        raise click.UsageError("name a target, or a command after two dashes")
    return list(arguments), []
