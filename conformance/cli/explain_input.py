"""The input of `kafka-conformance explain`: bytes in arguments, files and standard input."""

from __future__ import annotations

import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from pathlib import Path

from conformance import pasted
from conformance.captures.packets.files import is_capture, names_capture
from conformance.captures.streams.proof import NONE, named
from conformance.errors import ConformanceError
from conformance.pasted import Pasted, Piece, plain

FORMS = ("auto", "hex", "base64", "raw")
_NO_FORM = "neither hex nor base64, and no dump, literal or list of bytes"


class BadInput(ConformanceError):
    """A text stands for no bytes, as far as can be recognised."""


def read_input(sources: Sequence[str], form: str) -> Pasted:
    """Return the bytes of the arguments, which are one text if they are several.

    Raises BadInput and OSError.
    """
    source = " ".join(sources)
    if source == "-":
        return decode(sys.stdin.buffer.read(), form)
    if source.startswith("@"):
        if names_capture(source[1:]):
            raise BadInput("a capture is given by its name", f"explain {source[1:]}")
        return decode(Path(source[1:]).read_bytes(), form)
    if form == "raw":
        raise BadInput("an argument can't hold bytes as they are", "@FILE or -")
    return decode(source.encode("utf-8", "surrogateescape"), form, text=True)


def decode(given: bytes, form: str, text: bool = False) -> Pasted:
    """Return the bytes of a text in any form, or the given bytes if they are no text.

    Raises BadInput.
    """
    if form == "raw":
        return pasted.raw(given)
    letters = _letters(given)
    if form == "hex":
        return Pasted("hex", tuple(_hex(letters)))
    if form == "base64":
        found = plain.base64(letters)
        if found is None:
            raise BadInput("the input is no base64", "--format says what it is")
        return Pasted("base64", tuple(found))
    if not given.strip():
        raise BadInput("no bytes were given", "an argument, @FILE, or standard input")
    read = pasted.read(letters)
    is_dump = read is not None and read.form != "base64"  # it reads three hex digits as two bytes
    if not is_dump and plain.is_hex(letters) and len(plain.digits_of(letters)) % 2:
        _hex(letters)
    return read or _of_no_form(given, letters, text)


def _letters(given: bytes) -> str:
    """Return bytes as text, read as UTF-16 after its mark, as PowerShell writes files."""
    if given.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            return given.decode("utf-16")
        except UnicodeDecodeError:
            pass
    return given.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _of_no_form(given: bytes, letters: str, text: bool) -> Pasted:
    """Return bytes as they are, or the content of the file of that name.

    Raises BadInput for input that can only be a text. The text of another protocol counts as bytes
    that came over the wire.
    """
    if named(given) != NONE:
        return pasted.raw(given)
    if text:
        if "\0" not in letters and Path(letters).is_file():
            return decode(Path(letters).read_bytes(), "auto")
        raise BadInput(f"the input is {_NO_FORM}", "@FILE reads a file")
    if is_capture(given):
        raise BadInput("the input is a capture", "give its file by a name that ends with .pcap")
    if letters.isascii() and all(each.isprintable() or each.isspace() for each in letters):
        hint = "tcpdump -X shows all bytes, -A does not"
        raise BadInput(f"the input is {_NO_FORM}", hint)
    return pasted.raw(given)


def _hex(letters: str) -> list[Piece]:
    found = plain.hex_digits(letters)
    if found is None:
        odd = plain.is_hex(letters)
        why = "an odd number of digits" if odd else "other letters than 0-9 and a-f"
        raise BadInput(f"the input is no hex: {why}", "two digits a byte")
    return found
