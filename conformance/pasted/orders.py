"""The order in which a dump prints the bytes of a group: forwards or backwards.

`xxd -e` prints each group backwards, as a little-endian machine would have the number, and aligns
an incomplete one to the right; od and hexdump print words as their machine has them, nearly always
little-endian. A column of text has the bytes in their order. If nothing shows the order, the usual
one is taken, and the other is kept as the alternative.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conformance.pasted.piece import Piece

_LEAST_NOTED = 4
"""The smallest group with a note: smaller ones in byte order are the default of xxd and tcpdump."""


class Orders(NamedTuple):
    """The bytes of a dump in both orders, None for an order that does not fit.

    `size` is that of a group. `low_first` says which order is usual, `shown` that a column of text
    was compared with them.
    """

    low: bytes | None
    high: bytes | None
    size: int
    low_first: bool
    shown: bool


def chosen(found: Orders, last: str, *, is_certain: bool) -> Piece | None:
    """Return the bytes in the right order, with a note on an assumption about the order.

    `is_certain` means that nothing needs to be assumed. `last` is the last line after its offset.
    """
    usual, other = (found.low, found.high) if found.low_first else (found.high, found.low)
    if usual is None and other is None:
        return None
    size = found.size
    if usual is not None and (usual == other or is_certain):
        return Piece(usual)
    if usual is None or other is None:
        data, low_first = (
            (other, not found.low_first) if usual is None else (usual, found.low_first)
        )
        proof = "the text" if found.shown else "the last group"
        return Piece(data or b"", note=_note(size, low_first, proof) if low_first else "")
    if not found.low_first and _is_to_the_right(last, size):
        return Piece(other, note=_note(size, True, "the place of the last group"))
    if not found.low_first and size < _LEAST_NOTED:
        return Piece(usual, other=other)
    return Piece(usual, note=_assumed(size, found.low_first), other=other)


def _note(size: int, low_first: bool, proof: str) -> str:
    return f"groups of {size} bytes, {_order(low_first)}, as {proof} shows"


def _assumed(size: int, low_first: bool) -> str:
    tools = (
        "as od and hexdump print them on a little-endian machine"
        if low_first
        else "as printed (xxd -e prints each backwards)"
    )
    return f"groups of {size} bytes are taken {_order(low_first)}, {tools}: nothing shows the order"


def _order(low_first: bool) -> str:
    return "low byte first" if low_first else "high byte first"


def _is_to_the_right(last: str, size: int) -> bool:
    """True if the last group of a line is not full, and stands where a full one would end."""
    full = rf"[0-9a-fA-F]{{{2 * size}}}"
    group = re.match(rf" (?:{full} )*(?P<blanks> *)(?P<digits>[0-9a-fA-F]+) ", last)
    if group is None or len(group["digits"]) >= 2 * size:
        return False
    return len(group["blanks"]) + len(group["digits"]) == 2 * size
