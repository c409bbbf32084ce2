"""`kafka-conformance explain`: every byte of a frame, named."""

from __future__ import annotations

import binascii
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.table import Table
from rich.text import Text

from conformance.captures.packets.files import names_capture
from conformance.cli import grouped
from conformance.cli.audit import largest_option, limits_of, ports_option, release_option
from conformance.cli.common import console, examples
from conformance.cli.explain_capture import Lines, explain_captures, print_bytes, print_object
from conformance.cli.group import TYPED
from conformance.cli.grouped import JUDGE, OUTPUT, SELECT, TARGET, option
from conformance.errors import ConformanceError
from conformance.explain import Explainer, Explanation, names_of
from conformance.wire.annotated import Row

if TYPE_CHECKING:
    from conformance.captures.audit.explaining import ExplainedFrame, Wanted
    from conformance.captures.streams.events import Side

BROKEN = 1
_BYTES_A_LINE = 16
_LINES = 4
_LETTERS = 60
_HEX = re.compile(r"(0[xX])?[0-9a-fA-F]*")
_BASE64 = re.compile(r"[0-9A-Za-z+/]*={0,2}")
_STYLES = {
    "read": "",
    "forgiven": "yellow",
    "incomplete": "red",
    "wrong": "bold red",
    "not read": "dim",
    "left over": "yellow",
}
_EXAMPLES = examples(
    "explain 00120003000000070001780006626c61636b023100",
    "explain @frame.bin --response --message ApiVersions --api-version 3",
    "explain - --json < frame.hex",
    "explain 0000 --body --message MetadataRequest --api-version 9 --lenient",
    "explain capture.pcapng --port 9092",
    "explain capture.pcapng --message Metadata --api-version 12 --response",
)


class BadInput(ConformanceError):
    """Text that is neither hex nor base64."""


@grouped.command("explain", epilog=_EXAMPLES)
@click.argument("sources", nargs=-1, required=True, metavar="BYTES|@FILE|-|CAPTURE...")
@option(
    TARGET,
    "--request",
    "kind",
    flag_value="request",
    help="Take the bytes for a request, as is the default.",
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
    type=click.Choice(["auto", "hex", "base64", "raw"]),
    default="auto",
    show_default=True,
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
    lenient: bool,
    as_json: bool,
    full: bool,
    ports: frozenset[int] | None,
    largest: int,
    case: str,
    verbose: bool,
) -> None:
    """Name every byte of a frame by offset, field, type and value.

    BYTES are hex or base64, as an argument, from a file (@FILE, which may also hold the bytes as
    they are) or from standard input (-). A request says what it is; of a response and of a body it
    must be said. Of a CAPTURE (pcap, pcapng) every frame has a line, and those that --case,
    --message and the like choose all their bytes. Ends with 1 where the bytes are malformed, and
    shows which one is wrong.
    """
    shows = partial(_show, full=full)
    if all(map(names_capture, sources)):
        _check_for_captures(kind, length, form)
        wanted, limits = _wanted(kind, message, version, case, release), limits_of(largest)
        as_lines = wanted.is_all and not verbose and not as_json
        lines = Lines(ctx.find_root().meta[TYPED], _closing) if as_lines else None
        show = lines.show if lines else partial(_show_frame, as_json=as_json, shows=shows)
        fine = explain_captures(sources, ports, release, lenient, wanted, limits, show)
        if lines:
            lines.end()
        ctx.exit(0 if fine else BROKEN)
    if len(sources) > 1:
        raise click.UsageError("one frame at a time; several captures are taken for one")
    (source,) = sources
    kind = kind or "request"
    if (version is None) != (not message) or (kind != "request" and not message):
        raise click.UsageError("give --message NAME and --api-version N, both")
    if kind == "body" and length:
        raise click.UsageError("a body has no length before it: --length is for frames")
    data = read_input(source, form)
    explainer = Explainer(release, lenient=lenient, length=length)
    if kind == "request":
        explanation = explainer.request(data, message, version)
    elif kind == "response":
        explanation = explainer.response(data, message, version or 0)
    else:
        explanation = explainer.body(data, message, version or 0)
    if as_json:
        click.echo(json.dumps([as_object(row) for row in explanation.rows], indent=1))
    else:
        shows(explanation)
    ctx.exit(BROKEN if explanation.wrong else 0)


def _show_frame(found: ExplainedFrame, as_json: bool, shows: Callable[[Explanation], None]) -> None:
    """All of a frame of a capture."""
    if as_json:
        print_object(found, as_object)
    else:
        print_bytes(found, shows)


def _check_for_captures(kind: str | None, length: bool | None, form: str) -> None:
    """Raises UsageError for options that say how bytes are given: a capture says that itself."""
    if kind == "body" or length is not None or form != "auto":
        raise click.UsageError("--body, --length and --format are not for captures")


def _wanted(kind: str | None, message: str, version: int | None, case: str, release: str) -> Wanted:
    """The frames of a capture that are to be shown. Raises NotAFrame."""
    from conformance.captures.audit.explaining import Wanted

    names = names_of(message, release, "request", "response") if message else ()
    return Wanted(case, frozenset(names), version, cast("Side", kind or ""))


def _show(explanation: Explanation, full: bool) -> None:
    if sys.stdout.isatty():
        _show_table(explanation, full)
    else:
        click.echo("\n".join(line.rstrip() for line in plain_lines(explanation, full)))


def read_input(source: str, form: str) -> bytes:
    """The bytes that an argument stands for. Raises BadInput and OSError."""
    if source == "-":
        return decode(sys.stdin.buffer.read(), form)
    if source.startswith("@"):
        return decode(Path(source[1:]).read_bytes(), form)
    if form == "raw":
        raise BadInput("an argument can't hold bytes as they are", "@FILE or -")
    return decode(source.encode("utf-8", "surrogateescape"), form, text=True)


def decode(given: bytes, form: str, text: bool = False) -> bytes:
    """Bytes from hex or base64, or as they are where they are neither. Raises BadInput."""
    if form == "raw":
        return given
    letters = re.sub(r"[\s:]", "", given.decode("latin-1"))
    if form == "hex" or (form == "auto" and _HEX.fullmatch(letters)):
        return _from_hex(letters)
    if form == "base64" or (_BASE64.fullmatch(letters) and len(letters) % 4 == 0):
        return _from_base64(letters)
    if text:
        raise BadInput("the input is neither hex nor base64", "@FILE reads a file")
    return given


def _from_hex(letters: str) -> bytes:
    try:
        return bytes.fromhex(letters[2:] if letters[:2] in ("0x", "0X") else letters)
    except ValueError:
        odd = len(letters) % 2 and _HEX.fullmatch(letters)
        why = "an odd number of digits" if odd else "other letters than 0-9 and a-f"
        raise BadInput(f"the input is no hex: {why}", "two digits a byte") from None


def _from_base64(letters: str) -> bytes:
    try:
        return binascii.a2b_base64(letters, strict_mode=True) if letters else b""
    except (binascii.Error, ValueError) as error:
        raise BadInput(f"the input is no base64: {error}", "--format says what it is") from None


def as_object(row: Row) -> dict[str, Any]:
    """A row as JSON, its bytes as hex."""
    return {
        "offset": row.offset,
        "bytes": row.data.hex(),
        "path": row.path,
        "type": row.type,
        "value": row.value,
        "text": row.text,
        "state": row.state,
        "says": row.says,
    }


def plain_lines(explanation: Explanation, full: bool) -> Iterator[str]:
    """Aligned columns without colours or frames, one line or more a row."""
    cells = [_cells(row, full) for row in explanation.rows]
    widths = [max((len(c[i]) for c in cells if i != 1), default=0) for i in range(4)]
    widths[1] = max((len(line) for c in cells for line in c[1].split("\n")), default=0)
    yield explanation.title
    for offset, raw, path, type_, told in cells:
        first, *more = raw.split("\n")
        yield (
            f"{offset:>{widths[0]}}  {first:<{widths[1]}}  {path:<{widths[2]}}  "
            f"{type_:<{widths[3]}}  {told}"
        )
        for line in more:
            yield f"{'':>{widths[0]}}  {line}"
    yield from _closing(explanation)


def _show_table(explanation: Explanation, full: bool) -> None:
    shown = console()
    table = Table("offset", "bytes", "field", "type", "value", title=None)
    table.columns[0].justify = "right"
    table.columns[0].no_wrap = True
    for row in explanation.rows:
        styles = ("dim", "cyan", "", "dim", "green")
        own = _STYLES[row.state]
        cells = zip(_cells(row, full), styles, strict=True)
        table.add_row(*(Text(cell, style=own or style) for cell, style in cells))
    shown.print(Text(explanation.title, style="bold"))
    shown.print(table)
    style = "bold red" if explanation.wrong else "yellow"
    for line in _closing(explanation):
        shown.print(Text(line, style=style), soft_wrap=True)


def _closing(explanation: Explanation) -> Iterator[str]:
    """What there is to say about the whole."""
    names = {"forgiven": "forgiven", "left over": "left over", "wrong": "malformed"}
    for state, name in names.items():
        for row in explanation.rows:
            if row.state == state:
                yield f"{name}: offset {row.offset}, {row.path or 'message'}: {row.says}"


def _cells(row: Row, full: bool) -> tuple[str, str, str, str, str]:
    """Offset, bytes, field, type and value with what is to be said of it."""
    text = row.text if full else _cut(row.text)
    mark = {"read": "", "wrong": "WRONG"}.get(row.state, row.state)
    if row.state == "not read":
        mark = ""
    says = f"<- {': '.join(filter(None, (mark, row.says)))}" if mark or row.says else ""
    path = row.path or f"({row.state})"
    return (
        str(row.offset),
        _hex(row.data, full),
        path,
        row.type,
        "  ".join(filter(None, (text, says))),
    )


def _hex(raw: bytes, full: bool) -> str:
    """Hex in lines of 16 bytes; of many lines the first few."""
    starts = range(0, len(raw), _BYTES_A_LINE)
    lines = [raw[i : i + _BYTES_A_LINE].hex(" ") for i in starts]
    if full or len(lines) <= _LINES:
        return "\n".join(lines)
    left = len(raw) - _LINES * _BYTES_A_LINE
    return "\n".join([*lines[:_LINES], f"and {left} bytes more"])


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}… ({len(text)} letters)"
