"""`kafka-conformance tap`: judge the traffic between clients and a broker, and forward it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
import msgspec

from conformance.cli import grouped
from conformance.cli.audit import (
    explaining_words,
    largest_option,
    limits_of,
    nothing_judged,
    release_option,
)
from conformance.cli.common import console, examples, profile_option, quiet_option, results_option
from conformance.cli.grouped import OUTPUT, TARGET, option
from conformance.results.command_lines import command_line

JUDGE_YIELDS = 19
"""The niceness of the judge above that of the forwarder, with which it shares processors."""


@grouped.command(
    "tap",
    epilog=examples(
        "tap localhost:9192 localhost:9092",
        "tap 0.0.0.0:9092 kafka:9092 --results tap.ndjson --pcapng tap.pcapng",
        "tap localhost:0 localhost:9092 --for 60 --quiet",
    ),
)
@click.argument("listen", metavar="LISTEN")
@click.argument("upstream", metavar="UPSTREAM")
@option(
    TARGET,
    "--for",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="End after so many seconds.",
)
@option(
    TARGET,
    "--connections",
    type=click.IntRange(min=1),
    metavar="N",
    help="End when so many connections have come and gone.",
)
@profile_option
@release_option
@largest_option
@results_option
@option(
    OUTPUT,
    "--pcapng",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what passes to this file, for `audit`, `explain` and Wireshark.",
)
@option(
    OUTPUT,
    "--secrets",
    is_flag=True,
    help="Write passwords, tokens and keys as they are, to results and to the pcapng.",
)
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    listen: str,
    upstream: str,
    seconds: float | None,
    connections: int | None,
    profile: str,
    release: str,
    largest: int,
    results: Path | None,
    pcapng: Path | None,
    secrets: bool,
    quiet: bool,
) -> None:
    """Judge what passes from LISTEN to UPSTREAM and back, and forward it untouched.

    Both are HOST:PORT. Clients are to come to LISTEN, where port 0 is any that is free; UPSTREAM is
    one broker. Ends with Ctrl-C, and says what `audit` says of a capture.
    """
    from conformance.brokers.connection.address import Address
    from conformance.captures.audit.auditing import Auditor, audited
    from conformance.captures.audit.judging import Judge
    from conformance.captures.audit.recording import exit_code, header, record
    from conformance.captures.audit.report import show
    from conformance.captures.audit.tables import Tables
    from conformance.captures.tap.recording import recording
    from conformance.captures.tap.tapping import Tap
    from conformance.captures.tap.terminal_view import LiveTable
    from conformance.results.files import check_writable

    where, broker = _listen(listen), Address.parse(upstream)
    if results is not None:
        check_writable(results)
    ports = frozenset({broker.port})
    words = explaining_words([pcapng], ports, release, largest, profile) if pcapng else []
    run = header(str(broker), ports, profile, release)
    if secrets:
        run = msgspec.structs.replace(run, again=words)
    auditor = Auditor(Judge(profile, release, secrets=secrets), ports, limits_of(largest))
    tables, shown = Tables(), console()
    tap = Tap(where, (broker.host, broker.port), connections=connections, seconds=seconds)
    with ExitStack() as stack:
        stack.enter_context(tap)
        os.nice(JUDGE_YIELDS)
        recorder = stack.enter_context(recording(pcapng, broker.port, release, secrets=secrets))
        live = stack.enter_context(LiveTable(shown, auditor, tables))
        stack.enter_context(_ending(tap.stop, live.say))
        click.echo(f"listening at {Address(*tap.address)} for {broker}; Ctrl-C ends it", err=True)
        refused = _told_once(str(broker))
        passing = tap.segments(auditor.traffic.told, live.refresh, refused, recorder.flush)
        rows = audited(auditor, recorder.recorded(passing), recorder.watch)
        record(results, run, rows, tables, lambda: words if recorder.keeps_numbers else [])
    again = words if recorder.keeps_numbers else []
    show(shown, tables, str(broker), again, quiet=quiet)
    if pcapng and not quiet:
        shown.print(
            f"all that passed: {command_line(['audit', str(pcapng)])}", markup=False, soft_wrap=True
        )
    if not tables.judged:
        raise nothing_judged(tables, "passed", "did clients come here, and without TLS?")
    ctx.exit(exit_code(tables))


def _listen(text: str) -> tuple[str, int]:
    """Return the address at which to listen; the port may be 0. Raises BadAddress."""
    from conformance.brokers.connection.address import Address

    host, _, port = text.rpartition(":")
    if port == "0" and host:
        return Address.parse(f"{host}:1").host, 0
    address = Address.parse(text)
    return address.host, address.port


def _told_once(broker: str) -> Callable[[str], None]:
    """Return a function that reports only the first refused connection to the broker."""
    told: list[str] = []

    def tell(why: str) -> None:
        if not told:
            told.append(why)
            hint = "clients are sent away until it is there"
            click.echo(f"kafka-conformance: {broker}: {why} ({hint})", err=True)

    return tell


@contextmanager
def _ending(stop: Callable[[], None], say: Callable[[str], None]) -> Iterator[None]:
    """Have the first signal end the tap in order; a second one ends this process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(*_: object) -> None:
        restore()
        stop()
        say("judging what is left; Ctrl-C again gives that up")

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        restore()
