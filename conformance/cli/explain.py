"""`kafka-conformance explain`: every byte of a frame, with its name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

import click
from rich.text import Text

from conformance.captures.packets.files import names_capture
from conformance.cli import grouped
from conformance.cli.audit import largest_option, limits_of, ports_in, ports_option, release_option
from conformance.cli.common import console, examples, profile_option
from conformance.cli.explain_capture import Lines, explain_captures, print_bytes, print_object
from conformance.cli.explain_input import FORMS, read_input
from conformance.cli.explain_rows import WIDTH, Span, closing, lines, plain_lines
from conformance.cli.group import TYPED
from conformance.cli.grouped import JUDGE, OUTPUT, SELECT, TARGET, option
from conformance.errors import BROKEN_RULE, UNREACHABLE
from conformance.explain import Explainer, Explanation, names_of, tls
from conformance.explain.names import unknown_tag
from conformance.explain.parts import by_pieces
from conformance.explain.prefixed import leads
from conformance.explain.reading import frames
from conformance.explain.recognised import Part, Stream, read_as, recognised
from conformance.pasted import Pasted
from conformance.wire.annotated import Row

if TYPE_CHECKING:
    from conformance.captures.audit.explaining import ExplainedFrame, Wanted
    from conformance.captures.streams.events import Side

UNDECIDED = UNREACHABLE
_OTHER_ORDER = (
    "each group of bytes is read in the less usual order: only then are they a message of Kafka's"
)
_HEAD_BYTES = 8
_STYLES = {
    "title": "bold",
    "note": "yellow",
    "struct": "bold",
    "offset": "dim",
    "bytes": "cyan",
    "type": "dim",
    "value": "green",
    "forgiven": "yellow",
    "incomplete": "red",
    "wrong": "bold red",
    "not read": "dim",
    "left over": "bold red",
}
_EXAMPLES = examples(
    "explain 00120003000000070001780006626c61636b023100",
    "explain @frame.bin --response --message ApiVersions --api-version 3",
    "explain '[0, 0, 0, 21, 0, 18, 0, 3, -1]'",
    "explain @xxd.txt",
    "explain - --json < tcpdump-X.txt",
    "explain 0000 --body --message MetadataRequest --api-version 9 --lenient",
    "explain 00010002673100017400000000 --message OffsetCommitKey",
    "explain capture.pcapng --port 9092",
    "explain capture.pcapng --message Metadata --api-version 12 --response",
)


@grouped.command("explain", epilog=_EXAMPLES)
@click.argument("sources", nargs=-1, metavar="BYTES|@FILE|-|CAPTURE...")
@option(
    TARGET,
    "--request",
    "kind",
    flag_value="request",
    help="Take the bytes for a request; by default they are recognised.",
)
@option(
    TARGET,
    "--response",
    "kind",
    flag_value="response",
    help="Take them for a response, of the message and version given.",
)
@option(
    TARGET,
    "--body",
    "kind",
    flag_value="body",
    help="Take them for a body without header, of the message and version given.",
)
@option(TARGET, "--message", default="", metavar="NAME", help="Say what it is, such as Metadata.")
@option(TARGET, "--api-version", "version", type=int, metavar="N", help="Say which version it is.")
@profile_option
@release_option
@option(
    TARGET,
    "--length/--no-length",
    "length",
    default=None,
    help="Say whether the 4-byte length goes before the frame; by default it is looked for.",
)
@option(
    TARGET,
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="auto",
    help="Say how the bytes are given.",
)
@option(
    JUDGE, "--lenient", is_flag=True, help="Read what Apache Kafka reads; say what it forgives."
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print an array of objects.")
@option(OUTPUT, "--full", is_flag=True, help="Print long values whole.")
@ports_option
@largest_option
@option(SELECT, "--case", default="", metavar="ID", help="Explain this frame of a capture alone.")
@option(
    OUTPUT,
    "-v",
    "--verbose",
    is_flag=True,
    help="Print every byte of every frame of a capture.",
)
@click.pass_context
def command(
    ctx: click.Context,
    sources: tuple[str, ...],
    kind: str | None,
    message: str,
    version: int | None,
    release: str,
    length: bool | None,
    form: str,
    profile: str,
    lenient: bool,
    as_json: bool,
    full: bool,
    ports: frozenset[int] | None,
    largest: int,
    case: str,
    verbose: bool,
) -> None:
    """Name every byte of a frame by offset, field, type and value.

    BYTES are an argument, a file (@FILE), or standard input (-, or nothing): hex or base64, a dump
    (xxd, hexdump, od, tcpdump -X, Wireshark), a followed stream, a string with escapes, a list of
    numbers as C, Go, Java, Python or Rust write it, or hex or base64 in a line of a log; files and
    standard input may hold the bytes as they are. Packets' headers are skipped. Frames are
    recognised, with their length or without it, cut or one after another, and so are responses to
    requests among them. A response without its request is named by all versions that have its
    bytes alike if they are of one message; of any other response, and of a body, name and version
    have to be given.

    RecordBatch, Records, ConsumerProtocolSubscription, ConsumerProtocolAssignment, what is in
    __consumer_offsets (OffsetCommitKey, OffsetCommitValue, GroupMetadataKey, GroupMetadataValue and
    the like), in __transaction_state (TransactionLogKey, TransactionLogValue), in
    __share_group_state (ShareSnapshotKey and the like) and in __cluster_metadata (PartitionRecord
    and the like) say their version themselves: the name is enough.

    Of a CAPTURE (pcap, pcapng) every frame has a line, and those that are chosen by case, message
    and the like have all their bytes. Ends with 1 where bytes are malformed, and shows which one is
    wrong, or where a frame of a capture breaks a rule of the profile; with 3 where no stored
    definition says what they are, or nothing says that they are Kafka's.
    """
    shows = partial(_show, full=full)
    if sources and all(map(names_capture, sources)):
        _check_for_captures(kind, length, form)
        wanted, limits = _wanted(kind, message, version, case, release), limits_of(largest)
        as_lines = wanted.is_all and not verbose and not as_json
        each_line = Lines(ctx.find_root().meta[TYPED], closing) if as_lines else None
        show = each_line.show if each_line else partial(_show_frame, as_json=as_json, shows=shows)
        files = _capture_files(sources)
        code = explain_captures(
            files,
            ports_in(ctx, ports, files),
            release,
            show,
            lenient=lenient,
            profile=profile,
            wanted=wanted,
            limits=limits,
        )
        if each_line:
            each_line.end()
        ctx.exit(code)
    kind = _kind(kind, message, version, length)

    def parts_of(given: Pasted) -> list[Part]:
        if kind is None and length is None:
            streams = _streams(given)
            pieces = [Stream(piece.data, piece.side) for piece in given.pieces]
            return by_pieces(recognised(streams, release, lenient=lenient), pieces)
        taken = kind or "request"
        explains = partial(_explain, kind=taken, message=message, version=version)
        has_length = False if kind == "body" else length
        found = read_as(explains, given.data, release, lenient=lenient, length=has_length)
        return [replace(part, kind=taken) for part in found]

    given, parts = _in_order(read_input(_texts(sources), form), parts_of)
    if as_json:
        for note in given.notes:
            click.echo(note, err=True)
        click.echo(json.dumps(list(_objects(parts)), indent=1))
    else:
        _show_parts(given, parts, shows)
    ctx.exit(UNDECIDED if _other_protocol(given, parts) else _exit_code(parts))


def _kind(kind: str | None, message: str, version: int | None, length: bool | None) -> str | None:
    """Return what bytes are to be read as, None if the bytes decide that. Raises UsageError."""
    says_version = message in leads() and kind in (None, "body")
    if says_version:
        kind = "body"
    elif (version is None) != (not message) or (kind in ("response", "body") and not message):
        raise click.UsageError(
            "give --message NAME and --api-version N, both (RecordBatch, OffsetCommitValue and the"
            " like need no version)"
        )
    if kind == "body" and length:
        raise click.UsageError("a body has no length before it: --length is for frames")
    return kind or ("request" if message else None)


def _texts(sources: tuple[str, ...]) -> Sequence[str]:
    """Return the sources of the bytes, stdin if none was named. Raises UsageError."""
    if not sources and sys.stdin.isatty():
        raise click.UsageError("give bytes, @FILE, - or a capture")
    if len(sources) > 1 and any(each == "-" or each[0] == "@" for each in sources if each):
        raise click.UsageError("one text at a time; several captures are taken for one")
    return sources or ("-",)


def _in_order(given: Pasted, parts_of: Callable[[Pasted], list[Part]]) -> tuple[Pasted, list[Part]]:
    """Return the input and its parts, in the other byte order if only that is Kafka's."""
    parts = parts_of(given)
    if given.other is None or _is_known(parts):
        return given, parts
    others = parts_of(given.other)
    if not _is_known(others):
        return given, parts
    return replace(given.other, notes=(_OTHER_ORDER, *given.other.notes)), others


def _is_known(parts: Sequence[Part]) -> bool:
    """True if all parts are messages of Kafka without a fault."""
    return all(part.kind and not part.explanation.wrong for part in parts)


def _streams(given: Pasted) -> list[Stream]:
    """Return the bytes of each end of a connection; bytes without an end stay in their order."""
    sides = dict.fromkeys(piece.side for piece in given.pieces)
    if list(sides) == [""]:
        ends = frames(given.data)
        if len(given.pieces) > 1 and (not ends or ends[-1][1] < len(given.data)):
            return [Stream(piece.data) for piece in given.pieces]
    joined = {
        side: b"".join(piece.data for piece in given.pieces if piece.side == side) for side in sides
    }
    return [Stream(data, side) for side, data in joined.items()] or [Stream(b"")]


def _explain(
    explainer: Explainer, data: bytes, kind: str, message: str, version: int | None
) -> Explanation:
    if kind == "request":
        return explainer.request(data, message, version)
    if kind == "response":
        return explainer.response(data, message, version or 0)
    return explainer.body(data, message, version)


def _exit_code(parts: Sequence[Part]) -> int:
    if any(part.explanation.wrong for part in parts):
        return BROKEN_RULE
    return UNDECIDED if any(part.explanation.undecided for part in parts) else 0


def _objects(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """Yield all rows as objects, with the number of their part if there are several."""
    for number, part in enumerate(parts, 1):
        of: dict[str, Any] = {"frame": number} if len(parts) > 1 else {}
        of |= {"from": part.side} if part.side else {}
        for row in part.explanation.rows:
            yield as_object(row) | of


def _show_parts(given: Pasted, parts: Sequence[Part], shows: Callable[[Explanation], None]) -> None:
    """Print what was recognised, and each part."""
    for note in given.notes:
        click.echo(note)
    if other := _other_protocol(given, parts):
        click.echo(f"begins like {other}, which is not Kafka's protocol")
        if record := tls.described(given.data):
            click.echo(fill(record, WIDTH))
            click.echo(fill(tls.INSIDE, WIDTH))
        return
    if len(parts) == 1:
        shows(parts[0].explanation)
        return
    kinds = [part.kind for part in parts]
    counts = [
        f"{kinds.count(kind)} {kind if kind == 'records' or kinds.count(kind) == 1 else kind + 's'}"
        for kind in ("request", "response", "records")
        if kind in kinds
    ]
    click.echo(f"{len(parts)} frames, one after another: {', '.join(counts) or 'none is known'}")
    for number, part in enumerate(parts, 1):
        by = f", {part.side}" if part.side else ""
        click.echo(f"\n-- {number}, {part.kind or 'of no known kind'}, offset {part.offset}{by}")
        shows(part.explanation)


def _other_protocol(given: Pasted, parts: Sequence[Part]) -> str:
    """Return the other protocol that bytes begin like, "" if they begin like none."""
    from conformance.captures.streams.proof import NONE, named

    head = given.data[:_HEAD_BYTES]
    if any(part.kind for part in parts) or not head:
        return ""
    name = named(head)
    return "TLS" if name == NONE and tls.described(given.data) else name.replace(NONE, "")


def _show_frame(found: ExplainedFrame, as_json: bool, shows: Callable[[Explanation], None]) -> None:
    """Print all of a frame of a capture."""
    if as_json:
        print_object(found, as_object)
    else:
        print_bytes(found, shows)


def _capture_files(sources: Sequence[str]) -> list[Path]:
    """Return the captures of these names. Raises CaptureError."""
    from conformance.captures.streams.traffic import files_of

    return files_of(map(Path, sources))


def _check_for_captures(kind: str | None, length: bool | None, form: str) -> None:
    """Raise UsageError for options on the form of bytes, which a capture states itself."""
    if kind == "body" or length is not None or form != "auto":
        raise click.UsageError("--body, --length and --format are not for captures")


def _wanted(kind: str | None, message: str, version: int | None, case: str, release: str) -> Wanted:
    """Return the selection of the frames of a capture that are shown. Raises NotAFrame."""
    from conformance.captures.audit.explaining import Wanted

    names = names_of(message, release, "request", "response") if message else ()
    return Wanted(case, frozenset(names), version, cast("Side", kind or ""))


def _show(explanation: Explanation, full: bool) -> None:
    """Print all of an explanation, in colours on a terminal."""
    if not sys.stdout.isatty():
        click.echo("\n".join(plain_lines(explanation, full)))
        return
    shown = console()
    head = [Span("offset, bytes, field, type, value", "type")]
    for line in (head, *lines(explanation, full=full, width=shown.width)):
        text = Text()
        for span in line:
            text.append(span.text, style=_STYLES.get(span.style, ""))
        shown.print(text, soft_wrap=True)


def as_object(row: Row) -> dict[str, Any]:
    """Return a row as JSON, its bytes as hex.

    A row among decompressed bytes has none of the given ones: its own are in `decompressed`.
    """
    found = {
        "offset": row.offset,
        "bytes": row.data.hex(),
        "path": row.path,
        "type": row.type,
        "value": row.value,
        "text": row.text,
        "state": row.state,
        "says": row.says or unknown_tag(row),
    }
    if row.place is not None:
        found["decompressed"] = {"offset": row.place, "bytes": row.plain.hex()}
    return found
