"""The errors that users see when something outside of our control goes wrong.

Every such error is one clear line, the remedy, and the exit code that the command line ends with.
Errors about bytes are not here: those are findings about a target, and live in
`conformance.wire.errors` with an offset and a field path.
"""

from __future__ import annotations

from collections.abc import Iterable

BROKEN_RULE = 1
"""Exit code: a rule was broken, and the failure was not known."""
USAGE = 2
"""Exit code: wrong usage or configuration."""
UNREACHABLE = 3
"""Exit code: the target could not be reached, started or kept alive, or nothing was judged."""
UNCONFIRMED = 4
"""Exit code: something was suspicious, and could neither be confirmed nor ruled out."""
INTERRUPTED = 130
"""Exit code: interrupted."""


_GRAVEST_FIRST = (INTERRUPTED, UNREACHABLE, USAGE, BROKEN_RULE, UNCONFIRMED, 0)


def gravest(codes: Iterable[int]) -> int:
    """Return the exit code of several runs: the most important one."""
    return min(codes, key=_GRAVEST_FIRST.index)


class ConformanceError(Exception):
    """A failure that a user can mend: `message` states it, `hint` has the remedy."""

    exit_code = USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class NothingSelected(ConformanceError):
    """The selection exists, and nothing of it can be judged."""

    exit_code = UNREACHABLE
