"""The display of what a run waits for on a terminal: a build, a start, a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Says = Callable[[str], None]
_says: list[Says] = [lambda _: None]
_waits: list[str] = []


def say_by(says: Says) -> None:
    """Set the function that displays what is waited for; it gets "" at the end of a wait."""
    _says[0] = says


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Display what is waited for; a wait within another is displayed as long as it lasts."""
    _waits.append(what)
    _says[0](what)
    try:
        yield
    finally:
        _waits.pop()
        _says[0](_waits[-1] if _waits else "")
