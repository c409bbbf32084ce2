"""`kafka-conformance audit`: the faults in captured traffic, and the clients in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource
from rich.console import Console

from conformance.cli import grouped
from conformance.cli.common import console, examples, profile_option, quiet_option, results_option
from conformance.cli.grouped import JUDGE, TARGET, option, repeated
from conformance.errors import UNREACHABLE, ConformanceError

if TYPE_CHECKING:
    from conformance.captures.audit.tables import Row, Tables
    from conformance.captures.errors import Limits

AUTO = "auto"
LARGEST_MIB = 16
SPEC = "spec"


class NothingJudged(ConformanceError):
    """No frame of Kafka was judged in the captures."""

    exit_code = UNREACHABLE


def chosen_ports(
    _ctx: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> frozenset[int] | None:
    """Return the brokers' ports, None for `auto`."""
    if AUTO in given:
        return None
    for text in given:
        if not text.isdecimal() or not 0 < int(text) < 65536:
            raise click.BadParameter(f"{text!r} is neither a port nor `{AUTO}`")
    return frozenset(map(int, given))


ports_option = repeated(
    TARGET,
    "--port",
    "ports",
    default=("9092",),
    metavar="N|auto",
    callback=chosen_ports,
    help="Take this port for one of brokers, or look at every connection with `auto`.",
)


def ports_in(
    ctx: click.Context, given: frozenset[int] | None, files: Iterable[Path]
) -> frozenset[int] | None:
    """Return the brokers' ports as given, else those that the captures name; None for `auto`."""
    from conformance.captures.streams.traffic import ports_of

    is_default = ctx.get_parameter_source("ports") == ParameterSource.DEFAULT
    return ports_of(files) if is_default else given


release_option = option(
    JUDGE,
    "--release",
    default="",
    metavar="X.Y.Z",
    help="Read by the definitions of this release; by default the newest.",
)
largest_option = option(
    TARGET,
    "--largest",
    type=click.IntRange(1, 1024),
    default=LARGEST_MIB,
    metavar="MIB",
    help="Skip frames of a capture that are larger, and tell of them.",
)


def limits_of(largest: int) -> Limits:
    """Return the limits on what is kept of captures with frames of up to this size in MiB."""
    from conformance.captures.errors import MIB, Limits

    return Limits(frame_bytes=largest * MIB, all_bytes=max(256, 4 * largest) * MIB)


@grouped.command(
    "audit",
    epilog=examples(
        "audit capture.pcapng",
        "audit captures/ --port 9092 --port 9094 --results audit.ndjson",
        "audit capture.pcap --port auto --profile kafka",
        "audit captures/ --master local[*]",
        "audit /shared/captures --master spark://host:7077 --parts 64",
    ),
)
@click.argument(
    "captures",
    nargs=-1,
    required=True,
    metavar="CAPTURE...",
    type=click.Path(path_type=Path),
)
@ports_option
@profile_option
@release_option
@largest_option
@results_option
@quiet_option
@option(JUDGE, "--master", metavar="URL", help="Audit on Spark: local[*], or this cluster.")
@option(
    JUDGE,
    "--parts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Share the connections out to so many tasks on Spark; by default one a core.",
)
@click.pass_context
def command(
    ctx: click.Context,
    captures: tuple[Path, ...],
    ports: frozenset[int] | None,
    profile: str,
    release: str,
    largest: int,
    results: Path | None,
    quiet: bool,
    master: str | None,
    parts: int | None,
) -> None:
    """Judge the frames of captured traffic: pcap and pcapng files, or folders of them.

    Several captures are taken for one traffic, in the order given. Says which clients connect, what
    they ask, which frames break which rule, and what was skipped. Ends with 1 where a rule of the
    profile was broken, with 3 where there was nothing to judge or a part was not judged.

    With --master the connections are shared out to tasks on Spark, each of which reads all captures
    by the same path, and leaves the packets of others when it has seen their ends.
    """
    from conformance.captures.audit.auditing import audit_part
    from conformance.captures.audit.recording import exit_code, header, record
    from conformance.captures.audit.report import show
    from conformance.captures.audit.tables import Tables
    from conformance.captures.streams.traffic import files_of
    from conformance.results.files import check_writable

    if parts is not None and master is None:
        raise click.UsageError("--parts goes with --master")
    files = files_of(captures)
    ports = ports_in(ctx, ports, files)
    if results is not None:
        check_writable(results)
    chosen: dict[str, Any] = {
        "ports": ports,
        "profile": profile,
        "release": release,
        "limits": limits_of(largest),
    }
    tables = Tables()
    again = explaining_words(captures, ports, release, largest, profile)
    if master is None:
        rows = audit_part(files, **chosen)
    else:
        rows = _on_spark(master, files, tables, parts=parts, each=results is not None, **chosen)
    target = ", ".join(path.name for path in files)
    run = msgspec.structs.replace(header(target, ports, profile, release), again=again)
    record(results, run, rows, tables)
    show(console(), tables, target, again, quiet=quiet)
    if not tables.judged:
        raise nothing_judged(tables, "in what was captured", _advice(ports))
    ctx.exit(exit_code(tables))


def _on_spark(master: str, files: list[Path], tables: Tables, **chosen: Any) -> Iterator[Row]:
    """Yield the rows of all tasks, for `tables` to take."""
    from conformance.spark.jobs.requirements import check_installed

    check_installed()
    from conformance.spark.audit.auditing import (
        AuditPlan,
        audit_on_spark,
        check_captures,
        to_be_taken,
    )
    from conformance.spark.jobs.parts import spark

    check_captures(files)
    asked = AuditPlan(files=tuple(str(path.absolute()) for path in files), **chosen)
    shown = Console(stderr=True)
    with spark(master, "kafka-conformance audit", shown) as session:
        yield from to_be_taken(tables, audit_on_spark(session, asked, shown))


def explaining_words(
    captures: Sequence[Path],
    ports: frozenset[int] | None,
    release: str,
    largest: int,
    profile: str = SPEC,
) -> list[str]:
    """Return the words of the command that shows a frame as the audit of the captures read it."""
    told = [AUTO] if ports is None else [str(port) for port in sorted(ports)]
    options = [word for port in told for word in ("--port", port)]
    options += ["--release", release] if release else []
    options += ["--profile", profile] if profile != SPEC else []
    options += ["--largest", str(largest)] if largest != LARGEST_MIB else []
    names = [str(path) for path in captures]
    return ["explain", *names, *options]


def nothing_judged(tables: Tables, where: str, advice: str) -> NothingJudged:
    """Return the error of an audit without a verdict; `advice` is for traffic without a frame."""
    from conformance.captures.streams.traffic import SNAPPED

    if tables.frames:
        frames = "every frame is of a message that no stored definition has"
        return NothingJudged(frames, "`schema import RELEASE` adds those of a newer release")
    if tables.passed[SNAPPED]:
        return NothingJudged(f"no whole frame of Kafka {where}", "capture again, tcpdump -s 0")
    return NothingJudged(f"no frame of Kafka {where}", advice)


def _advice(ports: frozenset[int] | None) -> str:
    return "is it Kafka's, and not TLS?" if ports is None else f"--port N or --port {AUTO}"
