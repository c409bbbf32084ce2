"""The line of a program's output that names the error by which it ended."""

from __future__ import annotations

import re

from conformance.targets.errors import shorten

_STACK = re.compile(
    r"at \S|File \"|\.\.\. \d+ |goroutine \d|Node\.js v|\^+$|\S+:\d+(?::\d+)?$|[{}]"
    r"|throw \b|raise \b|note: run with `RUST_BACKTRACE"
)
"""Lines around an error: places in a stack, and the line of source that raised it."""
_ANNOUNCED = re.compile(
    r"Exception in thread |panic: |fatal error: |thread '.*' (?:\(\d+\) )?panicked at "
)
"""The words before an error that ends a thread or program of Java, Go and Rust."""
_NAMED = re.compile(r"(?:Uncaught )?(?:[\w$]+\.)*\w*(?:Error|Exception)(?: \[\w+\])?(?::|$)")
"""The begin of a line that names an error: Python's, JavaScript's, Java's."""
_MENTIONED = re.compile(r"\w(?:Error|Exception)\b.*:")


def error_in(said: str) -> str:
    """Return the line of a program's output that says by which error it ended.

    It is the last one that announces or names an error, and no place in a stack; the last line of
    all if none does. The reason of a panic of Rust is in the line after it.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [(at, line) for at, line in enumerate(lines) if not _STACK.match(line)]
    for words in (_ANNOUNCED.match, _NAMED.match, _MENTIONED.search):
        if found := [(at, line) for at, line in told if words(line)]:
            at, line = found[-1]
            reason = lines[at + 1] if line.endswith(":") and at + 1 < len(lines) else ""
            return shorten(f"{line} {reason}")
    return shorten((told or [(0, line) for line in lines] or [(0, "")])[-1][1])
