"""`kafka-conformance vectors`: list, show, build and mint golden vectors."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import click
import msgspec

from conformance.cases.vectors import (
    SUFFIX,
    VectorError,
    read_vectors,
    vector_messages,
    write_vectors,
)
from conformance.cli.common import examples
from conformance.data import data_root
from conformance.schema.releases import whole_releases

_MOST_SHOWN = 20


@click.group("vectors", epilog=examples("vectors list", "vectors mint --into new"))
def command() -> None:
    """List, show, build and mint golden vectors."""


@command.command("list", epilog=examples("vectors list", "vectors list MetadataRequest"))
@click.argument("message", required=False)
def list_vectors(message: str | None) -> None:
    """List the messages that have vectors, or the vectors of one."""
    if message is None:
        for name in vector_messages():
            click.echo(f"{name}  {len(read_vectors(name))}")
        return
    for vector in read_vectors(message):
        click.echo(f"{vector.id}  {vector.comment}")


@command.command("show", epilog=examples("vectors show MetadataRequest-v1-null-topics"))
@click.argument("identifier", metavar="ID")
def show_vector(identifier: str) -> None:
    """Show one vector in full."""
    message = identifier.split("-v", 1)[0]
    for vector in read_vectors(message):
        if vector.id == identifier:
            click.echo(json.dumps(msgspec.to_builtins(vector), indent=2, ensure_ascii=False))
            return
    raise VectorError(f"no vector {identifier!r}", f"`kafka-conformance vectors list {message}`")


@command.command("build", epilog=examples("vectors build -o vectors.tar.gz"))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.tar.gz",
    help="Where to write it.",
)
def build_archive(output: Path) -> None:
    """Build the archive of all vectors, for those who want only the data."""
    from conformance.cases.archive import contents, pack

    files = contents()
    output.write_bytes(pack(files))
    count = sum(data.count(b"\n") for name, data in files.items() if name.endswith(SUFFIX))
    click.echo(f"{count} vectors in {output}")


@command.command("mint", epilog=examples("vectors mint", "vectors mint --into new"))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Instead of the suite's vectors/.",
)
@click.pass_context
def mint_vectors(ctx: click.Context, into: Path | None) -> None:
    """Mint all vectors again: Kafka's codec of every release stored whole, and ours, must agree."""
    from conformance.pipeline.measure import measured
    from conformance.pipeline.mint import golden, mint
    from conformance.targets.resolve import open_target

    folder = into or Path(str(data_root() / "vectors"))
    with ExitStack() as stack:
        oracles = {}
        for release in whole_releases():
            target = open_target(f"kafka-clients@{release}")
            stack.callback(target.close)
            oracles[release] = target
        vectors, against = golden(mint(oracles))
    for disagreement in against[:_MOST_SHOWN]:
        click.echo(str(disagreement), err=True)
    if against:
        click.echo(f"{len(against)} disagreements: nothing was written", err=True)
        ctx.exit(1)
    written = write_vectors(measured(vectors), folder)
    click.echo(f"{sum(written.values())} vectors of {len(written)} messages in {folder}")
