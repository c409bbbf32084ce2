"""Dumps: lines of an offset, the bytes from there on, and perhaps the same bytes as text.

xxd, hexdump, od, tcpdump and Wireshark write them. Each line is read in every way that its groups
allow, and one way has to fit all lines of a dump: each line has as many bytes as the offsets say,
which may be hex, octal or decimal. A dump begins where offsets begin anew. Indented dumps beside
unindented ones are the other side of a followed stream, whose offsets are counted separately.
Groups of several bytes are in the order that `orders` finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from conformance.pasted.orders import Orders, chosen
from conformance.pasted.piece import Piece

_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<prefix>0x)?(?P<offset>[0-9a-fA-F]{4,16})(?P<colon>:?)"
    r"(?:(?P<gap>[ \t]+)(?P<rest>\S.*?))?[ \t]*"
)
_REPEATED = re.compile(r"[ \t]*\*[ \t]*")
_REASSEMBLED = re.compile(r"[ \t]*Reassembled TCP\b.*")
_FRAMED = re.compile(r"(?P<groups>[0-9a-fA-F \t]*?)[ \t]*(?P<text>\|.*\||>.*<)")
_TOKEN = re.compile(r"\S+")
_BITS = re.compile(r"[01]{8}")
_ESCAPED_LETTERS = {
    "\\0": 0,
    "\\a": 7,
    "\\b": 8,
    "\\t": 9,
    "\\n": 10,
    "\\v": 11,
    "\\f": 12,
    "\\r": 13,
}
_HALF = 8
_WIDTH_OF_ADDRESS, _WIDTH_OF_OD = 6, 7
_BASES = (16, 8, 10)
_LONGEST_TEXT = 4096
"""The length of the longest column of text; the blanks in front of one are tried one by one."""


@dataclass
class _Line:
    """A line of a dump; `rest` is None on the last line, which has an offset alone."""

    offset: str
    rest: str | None
    repeated: bool = False
    """True if the line before is repeated for all bytes up to this one."""


@dataclass
class _Dump:
    """Lines with increasing offsets, and what all have: indent, a prefix or a colon."""

    indent: str
    prefixed: bool
    colon: bool
    lines: list[_Line] = field(default_factory=list)
    skipped: bool = False

    @property
    def has_bytes(self) -> bool:
        """True if a line has more than an offset.

        Six digits before a blank may be anything, so that a dump of od is recognised only by a
        second line.
        """
        is_one = len(self.lines) == 1 and len(self.lines[0].offset) == _WIDTH_OF_ADDRESS
        return any(line.rest is not None for line in self.lines) and (self.colon or not is_one)


def read(text: str) -> list[Piece] | None:
    """Return the bytes of each dump in a text, None if there is no dump or one can't be read."""
    dumps = [dump for dump in _dumps(text) if not dump.skipped and dump.has_bytes]
    found = [piece for dump in dumps if (piece := _piece(dump))]
    if not dumps or len(found) < len(dumps):
        return None
    indents = {len(dump.indent) for dump in dumps}
    sided = len(indents) > 1
    ends = ["peer 1" if len(dump.indent) > min(indents) else "peer 0" for dump in dumps]
    sides = ends if sided else [""] * len(dumps)
    return [replace(piece, side=side) for piece, side in zip(found, sides, strict=True)]


def _dumps(text: str) -> Iterator[_Dump]:
    """Yield the dumps of a text, in order. Lines of another kind end a dump."""
    latest: _Dump | None = None
    skipped = repeated = False
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if _REPEATED.fullmatch(line) and latest:
            repeated = True
        elif match and _is_dumped(match):
            if latest is None or not _goes_on(latest, match):
                if latest:
                    yield latest
                latest = _Dump(match["indent"], bool(match["prefix"]), bool(match["colon"]))
                latest.skipped = skipped
                skipped = False
            rest = match["rest"] and match["gap"] + match["rest"]
            latest.lines.append(_Line(match["offset"], rest, repeated))
            repeated = False
        elif latest:
            yield latest
            latest = None
        if not match and line.strip():
            skipped = bool(_REASSEMBLED.fullmatch(line))
    if latest:
        yield latest


def _is_dumped(match: re.Match[str]) -> bool:
    """True if a line belongs to a dump, and is not merely hex digits."""
    if match["prefix"] or match["colon"]:
        return bool(match["colon"])
    width = len(match["offset"])
    if match["rest"] is None:
        return width >= 6
    return width in (_WIDTH_OF_ADDRESS, _WIDTH_OF_OD) or len(match["gap"]) >= 2


def _goes_on(dump: _Dump, match: re.Match[str]) -> bool:
    """True if a line may belong to the same dump as the line before it."""
    return match["indent"] == dump.indent and int(match["offset"], 16) > int(
        dump.lines[-1].offset, 16
    )


def _piece(dump: _Dump) -> Piece | None:
    """Return the bytes of a dump by the first way of reading that fits, None if none does."""
    for way in _WITH_COLON if dump.colon else _WITHOUT_COLON:
        piece = _ordered(dump, way) if isinstance(way, _Groups) else _alone(dump, way)
        if piece is not None:
            return piece
    return None


def _alone(dump: _Dump, way: _Way) -> Piece | None:
    data = _in_any_base(dump.lines, way)
    return None if data is None else Piece(data)


def _ordered(dump: _Dump, groups: _Groups) -> Piece | None:
    """Return the bytes of groups in the order that the text shows, else in the usual one."""
    for shown in (True, False):
        low, high = (
            _in_any_base(dump.lines, groups.way(low_first=low_first, shown=shown))
            for low_first in (True, False)
        )
        if low is not None or high is not None:
            rests = [line.rest for line in dump.lines if line.rest]
            size = groups.size or len(rests[0].split()[0]) // 2
            orders = Orders(low, high, size, groups.low_first, shown)
            return chosen(orders, rests[-1], is_certain=dump.prefixed)
    return None


def _in_any_base(lines: Sequence[_Line], way: _Way) -> bytes | None:
    """Return the bytes of lines read in one way, None if offsets fit in no base."""
    return next((data for base in _BASES if (data := _by(lines, way, base)) is not None), None)


def _by(lines: Sequence[_Line], way: _Way, base: int) -> bytes | None:
    """Return the bytes of lines read in one way, None if offsets of this base do not fit."""
    try:
        offsets = [int(line.offset, base) for line in lines]
    except ValueError:
        return None
    out, row = bytearray(), b""
    for index, line in enumerate(lines):
        at = offsets[index] - offsets[0]
        if line.repeated and row:
            out += row * ((at - len(out)) // len(row))
        if at != len(out):
            return None
        if line.rest is None:
            continue
        is_open = index + 1 == len(lines) or lines[index + 1].repeated
        size = None if is_open else offsets[index + 1] - offsets[index]
        fitting = _fitting(way, line.rest, size)
        if fitting is None:
            return None
        row = fitting
        out += row
    return bytes(out)


def _fitting(way: _Way, rest: str, size: int | None) -> bytes | None:
    """Return the `size` bytes of a line (None if unknown); None if the line does not fit.

    A word at the end may have been filled up with zeros.
    """
    for data in way.read(rest):
        if size is None or len(data) == size:
            return data
        if 0 < len(data) - size < way.word and not any(data[size:]):
            return data[:size]
    return None


class _Way(NamedTuple):
    """A way to read the bytes after an offset; it may yield several readings, likeliest first."""

    read: Callable[[str], Iterator[bytes]]
    word: int = 1


class _Groups(NamedTuple):
    """Groups of digits of one base, which a tool prints in the order of their bytes or backwards.

    `size` is the number of bytes of a group, 0 if it has two digits for each byte. `low_first`
    means that tools usually print them backwards, so that the low byte comes first.
    """

    pattern: str
    base: int = 16
    size: int = 0
    low_first: bool = False

    def way(self, *, low_first: bool, shown: bool) -> _Way:
        """Return a way to read groups in one order; with `shown`, a column of text must agree."""

        def read_line(rest: str) -> Iterator[bytes]:
            unshown = []
            for groups, tail in self._split(rest):
                data = b"".join(self._value(group, low_first) for group in groups)
                if _is_text(tail, data):
                    yield data
                else:
                    unshown.append(data)
            if not shown:
                yield from unshown[:1]

        return _Way(read_line, self.size or 1)

    def _value(self, group: str, low_first: bool) -> bytes:
        size = self.size or len(group) // 2
        return int(group, self.base).to_bytes(size, "little" if low_first else "big")

    def _split(self, rest: str) -> Iterator[tuple[list[str], str]]:
        """Yield the groups and the text of a line, for each way in which it can be split.

        Where a word and a text look alike, both splits are yielded; a text in bars is always a
        text.
        """
        matches = re.compile(self.pattern).fullmatch
        framed = _FRAMED.fullmatch(rest) if rest.endswith(("|", "<")) else None
        if framed and all(map(matches, framed["groups"].split())):
            yield framed["groups"].split(), f" {framed['text'][1:-1]}"
            return
        tokens = list(_TOKEN.finditer(rest))
        leading = next((i for i, each in enumerate(tokens) if not matches(each[0])), len(tokens))
        if self.size and leading < len(tokens):
            return
        for number in range(leading, leading - 1 if self.size else 0, -1):
            yield [each[0] for each in tokens[:number]], rest[tokens[number - 1].end() :]


def _is_text(tail: str, data: bytes) -> bool:
    """True if a column shows bytes as text: printable ones as they are, others as any mark."""
    if len(tail) > _LONGEST_TEXT:
        return False
    blanks = len(tail) - len(tail.lstrip(" \t"))
    for begin in range(1, blanks + 1):
        shown = tail[begin:]
        halves = shown[:_HALF] + shown[_HALF + 1 :] if shown[_HALF : _HALF + 1] == " " else shown
        if any(_shows(each, data) for each in (shown, halves)):
            return True
    return False


def _shows(shown: str, data: bytes) -> bool:
    if len(shown) > len(data) or data[len(shown) :].strip(b" "):  # editors strip blanks alone
        return False
    return all(
        letter == chr(byte) if 0x20 <= byte < 0x7F else not letter.isalnum()
        for letter, byte in zip(shown, data, strict=False)
    )


def _of_tokens(pattern: str, value: Callable[[str], bytes], word: int = 1) -> _Way:
    """Return a way to read a line if all its words match a pattern; `value` gives their bytes."""
    matches = re.compile(pattern).fullmatch

    def read_line(rest: str) -> Iterator[bytes]:
        tokens = rest.split()
        if all(map(matches, tokens)):
            try:
                yield b"".join(map(value, tokens))
            except (ValueError, OverflowError):
                return

    return _Way(read_line, word)


def _bits(rest: str) -> Iterator[bytes]:
    """Yield the bytes of groups of eight bits in front of a column of text."""
    groups = [each[0] for each in _TOKEN.finditer(rest)]
    bits = [each for each in groups if _BITS.fullmatch(each)]
    for number in range(len(bits), 0, -1):
        if groups[:number] == bits[:number]:
            yield bytes(int(each, 2) for each in bits[:number])


def _letter(token: str) -> bytes:
    """Return a byte as `od -c` writes it. Raises ValueError."""
    if token in _ESCAPED_LETTERS:
        return bytes([_ESCAPED_LETTERS[token]])
    return bytes([int(token, 8)]) if len(token) == 3 else token.encode("ascii")


def _letters(rest: str) -> Iterator[bytes]:
    """Yield the bytes of columns of four letters, of which a blank one is a space."""
    padded = " " * (-len(rest) % 4) + rest
    columns = [padded[at : at + 4] for at in range(0, len(padded), 4)]
    if not all(column[0] == " " for column in columns):
        return
    try:
        yield b"".join(_letter(column.strip() or " ") for column in columns)
    except (ValueError, OverflowError):
        return


_WITH_COLON: tuple[_Way | _Groups, ...] = (_Groups(r"(?:[0-9a-fA-F]{2})+"), _Way(_bits))
_WITHOUT_COLON: tuple[_Way | _Groups, ...] = (
    *(_Groups(rf"[0-9a-fA-F]{{{2 * size}}}", 16, size, low_first=True) for size in (2, 4, 8)),
    _Groups(r"[0-9a-fA-F]{2}"),
    _of_tokens(r"[0-7]{3}", lambda token: bytes([int(token, 8)])),
    _Groups(r"[01][0-7]{5}", 8, 2, low_first=True),
    _of_tokens(r"-?\d{1,3}", lambda token: bytes([int(token) & 0xFF])),
    _Way(_letters),
)
"""Ways to read lines without a colon.

Their words are those of hexdump and od, whose low byte comes first on nearly all machines.
"""
