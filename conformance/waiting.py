"""What a run waits for, said where somebody watches: a build, a start, a comparison."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

Shows = Callable[[str], AbstractContextManager[Any]]
_shows: list[Shows] = [nullcontext]


def show_with(shows: Shows) -> None:
    """Have it shown by this: a context that lasts as long as the wait does."""
    _shows[0] = shows


def waiting(what: str) -> AbstractContextManager[Any]:
    """A context in which it is said what is waited for; one at a time."""
    return _shows[0](what)
