"""Text of targets made harmless for the form that shows it.

The name of a target and the text of its errors may hold anything. Before it goes into a form that
another program reads, each character that could mean something there is escaped: markup of Markdown
and HTML, commands of a build service, characters that XML cannot hold, and those that are invisible
or that turn the direction of a line.
"""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]()#!|~<>&@$:])")
_FENCES = re.compile(r"`{3,}")
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def seen(text: str) -> str:
    """Return a text with unprintable characters as numbers, except ends of lines and tabs."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else _number(sign) for sign in text)


def one_line(text: str) -> str:
    """Return a text as `seen` does, with ends of lines and runs of blanks as one blank."""
    return " ".join(seen(text).split())


def markdown(text: str) -> str:
    """Return Markdown that shows this text within a line, in a table as well."""
    return _MARKUP.sub(_entity, one_line(text))


def heading(text: str) -> str:
    """Return Markdown that shows this text as a heading: without links and HTML."""
    return text.replace("](", "]\\(").replace("<", "\\<")


def code(text: str) -> str:
    """Return a line of Markdown that shows this text as code, in a table as well."""
    return f"<code>{markdown(text)}</code>"


def fenced(text: str, language: str = "text") -> str:
    """Return a block of code in a fence that is longer than any inside it."""
    inside = seen(text)
    longest = max((len(fence) for fence in _FENCES.findall(inside)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{inside}\n{fence}"


def workflow_data(text: str) -> str:
    """Return the message of a workflow command of GitHub: all its lines, and no command inside."""
    return seen(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str) -> str:
    """Return a property of a workflow command: colons and commas are separators there."""
    return workflow_data(text).replace(":", "%3A").replace(",", "%2C")


def xml(text: str) -> str:
    """Return text that XML 1.0 can hold; the writer of the XML escapes the markup."""
    return _NOT_XML.sub(lambda found: _number(found[0]), seen(text))


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _number(sign: str) -> str:
    code_point = ord(sign)
    if code_point < 0x100:
        return f"\\x{code_point:02x}"
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"
