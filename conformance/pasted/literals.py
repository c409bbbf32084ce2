"""Bytes as programs write them: string literals with escapes, and lists of numbers.

The languages are C, Go, Java, JavaScript, Python, Rust and similar ones. A string is read if it has
at least one escape of a byte, and the text outside of its quotes has none. Numbers are those of a
byte, with a sign or without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.pasted.piece import Piece

_BYTE_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u00[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,2}\}|[0-7])")
_LITERAL = re.compile(
    r"""(?P<prefix>[bB]?)(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)')""", re.S
)
_ESCAPE_WITH = (
    r"\\(?:x(?P<hex>[0-9a-fA-F]{{2}})|u00(?P<unicode>[0-9a-fA-F]{{2}})"
    r"|u\{{(?P<braced>[0-9a-fA-F]{{1,2}})\}}|(?P<octal>{octal})|(?P<line>\r?\n\s*)|(?P<letter>.))"
)
_ESCAPE = re.compile(_ESCAPE_WITH.format(octal="[0-3]?[0-7]{1,2}"), re.S)
_ESCAPE_WITHOUT_OCTAL = re.compile(_ESCAPE_WITH.format(octal="0"), re.S)
_LETTERS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "s": " ",
}
_POSTGRES = re.compile(r"['\"]?\\x(?:[0-9a-fA-F]{2})+['\"]?")
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.S)
_CASTS = re.compile(
    r"\(\s*(?:unsigned |signed )?(?:byte|char|sbyte|u?int8(?:_t)?|Byte)\s*\)"
    r"|\.to(?:U)?Byte\(\)|\bas\s+[ui]8\b|\bbyte\(\s*(?=[-0-9])"
)
_BODIES = (
    re.compile(r"\{([^{}]*)\}"),
    re.compile(r"\[([^\[\]]*)\]"),
    re.compile(r"<<([^<>]*)>>"),
    re.compile(r"\(([^()]*)\)"),
)
"""The brackets around a list, the surest first: a size stands in brackets in front of braces."""
_NUMBERED = re.compile(r'\{\s*"?0"?\s*:[^{}]*\}')
"""An object with a number for each byte, as JSON shows typed arrays of JavaScript."""
_KEY = re.compile(r'(?:^|,)\s*"?\d+"?\s*:')
_NUMBER = re.compile(
    r"(?P<sign>-?)(?:0[xX](?P<hex>[0-9a-fA-F]{1,2})|0[bB](?P<binary>[01]{1,8})|(?P<plain>\d{1,3}))"
    r"(?:_?[uUiI]8|[uUlL]{1,2})?"
)
_LEAST, _MOST = -128, 255


def strings(text: str) -> list[Piece] | None:
    """Return the bytes of a text with escapes: of its literals, or of all of it without quotes."""
    if not _BYTE_ESCAPE.search(text) or _POSTGRES.fullmatch(text.strip()):
        return None
    literals = list(_LITERAL.finditer(text))
    if literals and not _BYTE_ESCAPE.search(_LITERAL.sub("", text)):
        return [Piece(b"".join(map(_content, literals)))]
    bare = text.strip()
    return [Piece(unescaped(bare))] if bare.isascii() else None


def _content(literal: re.Match[str]) -> bytes:
    inner = literal["double"] if literal["double"] is not None else literal["single"]
    return unescaped(inner, zero_alone=bool(literal["prefix"]))


def unescaped(text: str, *, zero_alone: bool = False) -> bytes:
    """Return the bytes inside a literal; with `zero_alone`, no digit after `\\0` belongs to it.

    That is so in literals with a `b` in front: Rust has no octal escapes, and Python writes none.
    """
    escape = _ESCAPE_WITHOUT_OCTAL if zero_alone else _ESCAPE
    byte_letters = text.encode("utf-8", "surrogateescape").decode("latin-1")
    return escape.sub(_meant, byte_letters).encode("latin-1")


def _meant(escape: re.Match[str]) -> str:
    """Return the byte of an escape as a letter, "" for a line continuation."""
    if digits := escape["hex"] or escape["unicode"] or escape["braced"]:
        return chr(int(digits, 16))
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    if escape["line"] is not None:
        return ""
    return _LETTERS.get(escape["letter"], escape["letter"])


def lists(text: str) -> list[Piece] | None:
    """Return the bytes of the lists in a text, a piece each, or of a bare list with commas."""
    plain = _NUMBERED.sub(_values, _CASTS.sub("", _COMMENTS.sub(" ", text)))
    for body in _BODIES:
        found = [numbers for inside in body.findall(plain) if (numbers := numbers_of(inside))]
        if found:
            return [Piece(bytes(each)) for each in found]
    bare = numbers_of(plain.strip().rstrip(";"))
    return [Piece(bytes(bare))] if bare and len(bare) > 1 else None


def _values(found: re.Match[str]) -> str:
    """Return the values of an object with numbered keys, as a list."""
    return f"[{_KEY.sub(',', found[0].strip('{}'))}]"


def numbers_of(text: str) -> Sequence[int] | None:
    """Return the bytes of numbers with commas or blanks between them, None for any other text."""
    tokens = [token for token in re.split(r"[\s,;]+", text) if token]
    found = [_NUMBER.fullmatch(token.rstrip(")")) for token in tokens]
    if not tokens or not all(found):
        return None
    values = [_value(each) for each in found if each]
    if not all(_LEAST <= value <= _MOST for value in values):
        return None
    return [value & 0xFF for value in values]


def _value(number: re.Match[str]) -> int:
    sign = -1 if number["sign"] else 1
    if number["hex"]:
        return sign * int(number["hex"], 16)
    return sign * (int(number["binary"], 2) if number["binary"] else int(number["plain"]))
