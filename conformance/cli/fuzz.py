"""`kafka-conformance fuzz`: hunt for inputs that break a codec."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from conformance.cli.common import console, examples
from conformance.errors import ConformanceError

_EXAMPLES = examples(
    "fuzz reference --time 60",
    "fuzz kio --message MetadataResponse --jobs 2 --time 600 -o fuzz-kio",
    "fuzz mypackage.codec:Codec",
    "fuzz kio --merge fuzz-kio/corpus -o fuzz-kio   # makes a corpus small",
    "fuzz kio --input 5a3c0c00…",
)


@click.command("fuzz", epilog=_EXAMPLES)
@click.argument("target")
@click.option("--time", type=click.FloatRange(min=1), default=60.0, show_default=True, metavar="S")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N")
@click.option(
    "-o",
    "--corpus",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where corpus and findings are kept and gone on with; fuzz-TARGET by default.",
)
@click.option(
    "--merge",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="Take over a corpus first, and drop inputs that reach nothing that others don't.",
)
@click.option("--message", "messages", multiple=True, metavar="NAME", help="Only this message.")
@click.option(
    "--api-version", "versions", multiple=True, type=int, metavar="N", help="Only seeds of this."
)
@click.option("--profile", type=click.Choice(["spec", "kafka"]), default="spec", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Of the dice.")
@click.option("--bytes-only", is_flag=True, help="Mutate bytes alone, blind to what they say.")
@click.option("--input", "given", metavar="HEX", default="", help="Judge this one input alone.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=10.0, metavar="S")
@click.option("--memory", type=click.IntRange(min=256), default=2048, metavar="MIB")
@click.option(
    "--results", type=click.Path(path_type=Path), metavar="FILE", help="NDJSON, a line a verdict."
)
@click.option("-v", "--verbose", is_flag=True, help="Show every finding.")
@click.pass_context
def command(
    ctx: click.Context, /, target: str, given: str, bytes_only: bool, **chosen: Any
) -> None:
    """Hunt for inputs that break a codec, guided by what its code reaches.

    TARGET is `reference`, `mutant:NAME`, a bundled adapter, or module:object of a Python codec. A
    codec in another language is guided by what its answers reach of the message definitions.
    """
    from conformance.fuzzing.session import Options, fuzz, replay

    folder = chosen.pop("folder") or Path(f"fuzz-{target.replace(':', '-')}")
    options = Options(folder=folder, structure=not bytes_only, **chosen)
    if given:
        try:
            data = bytes.fromhex(given)
        except ValueError:
            raise click.BadParameter("no hex", param_hint="--input") from None
        ctx.exit(replay(target, data, options, console()))
    if find_spec("atheris") is None:
        raise ConformanceError("atheris is not installed", "pip install 'kafka-conformance[fuzz]'")
    ctx.exit(fuzz(target, options, console()))
