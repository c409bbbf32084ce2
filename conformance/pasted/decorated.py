"""Dumps with marks around their lines, as plain dumps.

Mails and issues quote lines by `>`, `docker compose` puts the name of a service in front of them
and loggers the time, Netty and hexyl draw a table around a dump, and gdb names addresses and
prefixes each number by `0x`. A text is changed only if all its lines have the mark. Terminal
colours and no-break spaces of web pages are removed anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUOTED = re.compile(r"[ \t]*>[ \t]?(?P<line>.*)")
_SERVICE = re.compile(r"[\w.-]+[ \t]+\|[ \t](?P<line>.*)")
_OFFSET = r"(?:[0-9a-f]{8}(?::|[ \t])|0x[0-9a-f]{4}:)"
_LOGGED = re.compile(rf"(?!{_OFFSET})\S.*?[ \t](?P<line>{_OFFSET}[ \t]+[0-9a-f]{{2}}.*)")
"""A line of a dump that begins with no offset: a group in its midst may look like one."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_HEXYL_RULER = re.compile(r"[ \t]*[┌├└][─┬┼┴]+[┐┤┘][ \t]*")
_HEXYL = re.compile(r"[ \t]*│(?P<offset>[0-9a-f]{8}|\*) *│(?P<hex>[ 0-9a-f┊]*)│.*")
_RULER = re.compile(r"[ \t]*(?:\+[-+]+\+|\|[ 0-9a-f]+\|)[ \t]*")
_NETTY = re.compile(r"[ \t]*\|(?P<offset>[0-9a-f]{8})\|(?P<hex>[ 0-9a-f]+)(?P<text>\|.*\|)[ \t]*")
_GDB = re.compile(
    r"[ \t]*0x(?P<offset>[0-9a-f]+)(?:[ \t]+<[^>]*>)?:"
    r"(?P<numbers>(?:[ \t]+0x(?:[0-9a-f]{16}|[0-9a-f]{8}|[0-9a-f]{4}|[0-9a-f]{2}))+)[ \t]*"
)


def plain(text: str) -> str:
    """Return the dump in a text without the marks of its lines; any other text as it is."""
    text = _COLOUR.sub("", text.replace("\u00a0", " "))
    for mark in (_QUOTED, _SERVICE, _LOGGED):
        text = _unmarked(text, mark)
    lines = text.splitlines()
    if "│" in text:
        return _of_hexyl(lines) or text
    netty = [found for line in lines if (found := _NETTY.fullmatch(line))]
    if netty:
        rows = (f"{each['offset']}  {each['hex'].strip()}  {each['text']}" for each in netty)
        others = (line for line in lines if not (_NETTY.fullmatch(line) or _RULER.fullmatch(line)))
        return text if any(map(str.strip, others)) else "\n".join(rows)
    gdb = [_GDB.fullmatch(line) for line in lines if line.strip()]
    if gdb and all(gdb):
        rows = (f"{each['offset']:0>16}  {_bare(each['numbers'])}" for each in gdb if each)
        return "\n".join(rows)
    return text


def _of_hexyl(lines: Sequence[str]) -> str:
    """Return the lines of a table of hexyl as those of a plain dump, "" for any other text."""
    rows = [line for line in lines if line.strip() and not _HEXYL_RULER.fullmatch(line)]
    found = [_HEXYL.fullmatch(line) for line in rows]
    if not all(found):
        return ""
    shown = ((each["offset"], each["hex"].replace("┊", " ").strip()) for each in found if each)
    return "\n".join(offset if offset == "*" else f"{offset}  {digits}" for offset, digits in shown)


def _unmarked(text: str, mark: re.Pattern[str]) -> str:
    found = [mark.fullmatch(line) for line in text.splitlines() if line.strip()]
    if not found or not all(found):
        return text
    return "\n".join(each["line"] for each in found if each)


def _bare(numbers: str) -> str:
    return " ".join(each.removeprefix("0x") for each in numbers.split())
