"""`kafka-conformance vectors`: list, show, build and mint golden vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.console import Console

from conformance.cli.common import as_json_option, examples, print_json
from conformance.codecs.cases.vectors import (
    Vector,
    VectorError,
    read_vectors,
    write_message,
    write_vectors,
)
from conformance.codecs.resolve import open_target
from conformance.data import VECTORS, data_root, vector_messages
from conformance.schema.releases import whole_releases
from conformance.targets.errors import did_you_mean

if TYPE_CHECKING:
    from conformance.campaigns.minting.mint import Disagreement

_MOST_SHOWN = 20


@click.group("vectors", epilog=examples("vectors list", "vectors mint --into new"))
def command() -> None:
    """List, show, build and mint golden vectors."""


@command.command("list", epilog=examples("vectors list", "vectors list MetadataRequest --json"))
@click.argument("message", required=False)
@as_json_option
def list_vectors(message: str | None, as_json: bool) -> None:
    """List the messages that have vectors, or the vectors of one."""
    if as_json:
        print_json(_counted() if message is None else map(_told, read_vectors(message)))
    elif message is None:
        for name in vector_messages():
            click.echo(f"{name}  {len(read_vectors(name))}")
    else:
        for vector in read_vectors(message):
            click.echo(f"{vector.id}  {vector.comment}")


def _counted() -> Iterator[dict[str, object]]:
    for name in vector_messages():
        yield {"message": name, "vectors": len(read_vectors(name))}


def _told(vector: Vector) -> dict[str, object]:
    return {
        "id": vector.id,
        "message": vector.message,
        "version": vector.version,
        "comment": vector.comment,
    }


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
    help="Write the archive to this file.",
)
def build_archive(output: Path) -> None:
    """Build the archive of all vectors, for those who want only the data."""
    from conformance.codecs.cases.archive import contents, pack

    files = contents()
    output.write_bytes(pack(files))
    count = sum(data.count(b"\n") for name, data in files.items() if name.endswith(VECTORS))
    click.echo(f"{count} vectors in {output}")


@command.command(
    "mint",
    epilog=examples(
        "vectors mint",
        "vectors mint --into new --message VoteRequest",
        "vectors mint --into new --master local[2]",
        "vectors mint --master spark://host:7077 --disagreements disputed.parquet",
    ),
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write to this folder, in place of the suite's vectors/.",
)
@click.option(
    "--message",
    "messages",
    multiple=True,
    metavar="NAME",
    help="Mint the file of this message alone. Repeatable.",
)
@click.option("--master", metavar="URL", help="Mint on Spark: local[*], or this cluster.")
@click.option(
    "--disagreements",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file what each oracle wrote where they disagree, as Parquet.",
)
@click.pass_context
def mint_vectors(
    ctx: click.Context,
    into: Path | None,
    messages: tuple[str, ...],
    master: str | None,
    disagreements: Path | None,
) -> None:
    """Mint all vectors again: Kafka's codec of every release stored whole, and ours, must agree."""
    chosen = _minted(messages)
    vectors, against = _on_spark(chosen, master) if master else _in_one_process(chosen)
    if disagreements is not None:
        _write_table(disagreements, against)
    for disagreement in against[:_MOST_SHOWN]:
        click.echo(str(disagreement), err=True)
    if against:
        click.echo(f"{len(against)} disagreements: nothing was written", err=True)
        ctx.exit(1)
    folder = into or Path(str(data_root() / "vectors"))
    write = _write_some if messages else write_vectors
    written = write(vectors, folder)
    click.echo(f"{sum(written.values())} vectors of {len(written)} messages in {folder}")


def _minted(messages: tuple[str, ...]) -> tuple[str, ...]:
    """Return these messages in the order of minting, or all."""
    from conformance.campaigns.minting.mint import minted_messages

    known = minted_messages()
    for name in messages:
        if name not in known:
            raise VectorError(f"no vectors are minted of {name!r}", did_you_mean(name, known))
    return tuple(name for name in known if not messages or name in messages)


def _in_one_process(messages: tuple[str, ...]) -> tuple[list[Vector], list[Disagreement]]:
    from conformance.campaigns.minting.measure import measured
    from conformance.campaigns.minting.mint import golden, mint

    with ExitStack() as stack:
        opened = {
            release: stack.enter_context(open_target(name)) for release, name in _oracles().items()
        }
        vectors, against = golden(mint(opened, messages))
    return ([] if against else measured(vectors)), against


def _on_spark(messages: tuple[str, ...], master: str) -> tuple[list[Vector], list[Disagreement]]:
    _check_pipeline()
    from conformance.spark.jobs.parts import spark
    from conformance.spark.minting.minting import mint_on_spark

    for name in _oracles().values():
        open_target(name).close()  # builds it if necessary: a failure is reported best here
    shown = Console(stderr=True)
    with spark(master, "kafka-conformance vectors mint", shown) as session:
        return mint_on_spark(session, _oracles(), messages, shown)


def _oracles() -> dict[str, str]:
    """Return the targets that vote, by their release."""
    return {release: f"kafka-clients@{release}" for release in whole_releases()}


def _write_table(path: Path, against: list[Disagreement]) -> None:
    _check_pipeline()
    from conformance.campaigns.minting.disagreements import write_disagreements

    write_disagreements(path, against)


def _check_pipeline() -> None:
    from conformance.spark.jobs.requirements import check_installed

    check_installed()


def _write_some(vectors: list[Vector], folder: Path) -> dict[str, int]:
    """Write the files of some messages; the files of other messages stay unchanged."""
    found: dict[str, list[Vector]] = {}
    for vector in vectors:
        found.setdefault(vector.message, []).append(vector)
    folder.mkdir(parents=True, exist_ok=True)
    for message, those in found.items():
        write_message(message, those, folder)
    return {message: len(those) for message, those in found.items()}
