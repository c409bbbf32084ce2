"""`kafka-conformance codec`: judge one codec, or several one after another."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli import grouped
from conformance.cli.common import (
    check_outputs,
    codecs_argument,
    console,
    examples,
    limits,
    outputs,
    selection,
    skip_missing,
)
from conformance.cli.group import TYPED
from conformance.cli.grouped import SELECT, option
from conformance.errors import ConformanceError

_EXAMPLES = examples(
    "codec reference",
    "codec kio --quick",
    "codec kafka-clients@3.9.2 -n 2",
    "codec mypackage.codec:Codec --results results.ndjson",
    "codec --rule 'tags.*' -- ./my-testee --flag",
)


@grouped.command("codec", epilog=_EXAMPLES)
@codecs_argument
@option(
    SELECT,
    "--quick",
    is_flag=True,
    help="Judge by few cases: those that catch every defect we know, and each version plain.",
)
@selection
@limits
@outputs
@skip_missing("target")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a codec by golden vectors and edits of them.

    TARGET is `reference`, a bundled adapter (`targets` lists them), or module:object of a
    Python codec; after two dashes comes the command of any program that speaks the testee protocol.
    """
    from conformance.codecs.kind import Codecs
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.results.command_lines import name_of_program

    specs, program = split_targets(ctx, arguments)
    names = specs or [name_of_program(program)]
    check_outputs(chosen, len(specs), "target")
    options = RunOptions(Codecs(chosen.pop("quick"), tuple(program)), **chosen)
    ctx.exit(judge_targets(names, options, console()))


def named_targets(ctx: click.Context, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets as results name them: as they were given, or `-- COMMAND`."""
    from conformance.results.command_lines import name_of_program

    specs, program = split_targets(ctx, arguments)
    return tuple(specs) or (name_of_program(program),)


def split_targets(ctx: click.Context, arguments: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the targets by name, and the command after the dashes.

    Click takes the dashes away, so they are looked up in the arguments as typed.
    """
    typed = ctx.find_root().meta[TYPED]
    try:
        "".join(typed).encode()
    except UnicodeEncodeError:
        raise ConformanceError(
            "a word of the command line is not UTF-8",
            "call a script that has it",
        ) from None
    if "--" in typed:
        program = typed[typed.index("--") + 1 :]
        names = list(arguments[: len(arguments) - len(program)])
        if names or not program:
            raise click.UsageError("give targets by name, or one command after two dashes")
        return [], program
    if not arguments:
        raise click.UsageError("name a target, or a command after two dashes")
    return list(arguments), []
