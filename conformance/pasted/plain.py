"""Hex digits and base64, with separators of any kind between them.

Within other words, as in a line of a log, a run of digits is taken that is long and has a zero
byte: frames have one, and names or random ids seldom do.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from conformance.pasted.piece import Piece

_PREFIX = re.compile(r"(?<![0-9a-zA-Z])(?:0[xX]|\\x|[xXhH](?=')|[bB](?=['\"]))")
_BETWEEN = re.compile(r"[\s:,;_'\"`\\-]")
_DIGITS = re.compile(r"[0-9a-fA-F]*")
_LETTERS = re.compile(r"[0-9A-Za-z+/_-]*={0,2}")
_BUFFER = re.compile(r"<Buffer ([0-9a-f ]*)(?:\.\.\. \d+ more bytes?)?>")
_HEX_PAIRS = re.compile(r"[\[{(](\s*[0-9a-fA-F]{2}(?:[\s,;:]+[0-9a-fA-F]{2})*\s*)[\]})]")
_OF_ASSEMBLERS = re.compile(r"(?:0?[0-9a-fA-F]{2}[hH][\s,]*)+")
_REMARK = re.compile(r"(?:^|[ \t])(?:#|//)[^\n]*", re.M)
"""A comment after the digits of a line, or on a line of its own."""
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}|[0-9A-Za-z._~-])+")
_URL_SAFE = str.maketrans("-_", "+/")
_DECIMAL = re.compile(r"1?\d{1,2}|2[0-4]\d|25[0-5]")
_LEAST_UNPADDED = 16
"""The least length of base64 without padding: shorter letters may be a word."""


def digits_of(text: str) -> str:
    """Return the letters of a text without prefixes and separators."""
    return _BETWEEN.sub("", _PREFIX.sub("", text))


def is_hex(text: str) -> bool:
    """True if a text has no other letters than hex digits; their number may be odd."""
    return bool(_DIGITS.fullmatch(digits_of(text)))


def hex_digits(text: str) -> list[Piece] | None:
    """Return the bytes of pairs of hex digits, with or without separators, `0x` and quotes."""
    buffer = _BUFFER.fullmatch(text.strip())
    pairs = _HEX_PAIRS.fullmatch(text.strip())
    if buffer:
        text = buffer[1]
    elif pairs and re.search(r"\b0[0-9a-fA-F]|[a-fA-F]", pairs[1]):
        text = pairs[1]  # a list of numbers has no leading zeros and no letters
    elif _OF_ASSEMBLERS.fullmatch(text.strip()):
        text = re.sub(r"0?([0-9a-fA-F]{2})[hH]", r"\1", text)
    elif _is_numbers(text):
        return None
    letters = digits_of(_REMARK.sub("", text))
    if not _DIGITS.fullmatch(letters) or len(letters) % 2 or (text.strip() and not letters):
        return None  # a remark alone is base64 that begins with two slashes
    return [Piece(bytes.fromhex(letters))]


def _is_numbers(text: str) -> bool:
    """True if a text is numbers, not all pairs of digits: `0x0, 0x12` or `0 29 255`."""
    words = text.split()
    if all(map(_DECIMAL.fullmatch, words)) and any(len(word) % 2 for word in words[:-1]):
        return True
    if "," not in text and not re.search(r"0[xX][0-9a-fA-F]{1,2}\s", text):
        return False
    tokens = [token for token in re.split(r"[\s,]+", text.strip()) if token]
    widths = [len(re.sub(r"0[xX]", "", token)) for token in tokens]
    return any(width % 2 for width in widths) or any(token[0] == "-" for token in tokens)


def percent(text: str) -> list[Piece] | None:
    """Return the bytes of a text that writes all but letters as `%` and two hex digits."""
    whole = text.strip()
    if "%" not in whole or not _PERCENT.fullmatch(whole):
        return None
    return [Piece(unquote_to_bytes(whole))]


def base64(text: str) -> list[Piece] | None:
    """Return the bytes of base64 in either alphabet, None for other text.

    Short text has to be padded. Each line but the last has whole groups of four.
    """
    if any(len(word.strip("\"'`,;\\")) % 4 for word in text.split()[:-1]):
        return None
    letters = re.sub(r"[\s\"'`,;\\]", "", text)
    if not _LETTERS.fullmatch(letters):
        return None
    if len(letters) % 4:
        if len(letters) < _LEAST_UNPADDED or "=" in letters:
            return None
        letters += "=" * (-len(letters) % 4)
    standard = letters.translate(_URL_SAFE)
    try:
        return [Piece(binascii.a2b_base64(standard, strict_mode=True) if standard else b"")]
    except (binascii.Error, ValueError):
        return None


_RUN = re.compile(r"(?<![0-9A-Za-z+/_.-])[0-9A-Za-z+/]{16,}={0,2}(?![0-9A-Za-z+/_.-])")
_PAIRS = re.compile(
    r"(?<![0-9A-Za-z:.-])[0-9a-fA-F]{2}(?P<between>[ :-])(?:[0-9a-fA-F]{2}(?P=between)){6,}"
    r"[0-9a-fA-F]{2}(?![0-9A-Za-z])"
)
_HEX = re.compile(r"(?:0x)?((?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)")


def embedded(text: str) -> list[Piece] | None:
    """Return the bytes of each run in a text, None if there is no run."""
    return list(_runs(text)) or None


def _runs(text: str) -> Iterator[Piece]:
    for number, line in enumerate(text.splitlines(), 1):
        runs = [*_PAIRS.finditer(line), *_RUN.finditer(line)]
        for run in sorted(runs, key=lambda each: each.start()):
            digits = _HEX.fullmatch(re.sub("[ :-]", "", run[0]))
            pieces = [Piece(bytes.fromhex(digits[1]))] if digits else base64(run[0])
            for piece in pieces or ():
                if 0 in piece.data:
                    form = "hex" if digits else "base64"
                    place = f"line {number}, column {run.start() + 1}"
                    size = len(piece.data)
                    note = f"{place}: {size} bytes of {form} are read, and no more of the line"
                    yield Piece(piece.data, note=note)
