"""What a run waits for, said where somebody watches: a build, a start, a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Says = Callable[[str], None]
_says: list[Says] = [lambda _: None]
_waits: list[str] = []


def say_by(says: Says) -> None:
    """Have it said by this, which is given "" when nothing is waited for any more."""
    _says[0] = says


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is waited for; a wait within another is said as long as it lasts."""
    _waits.append(what)
    _says[0](what)
    try:
        yield
    finally:
        _waits.pop()
        _says[0](_waits[-1] if _waits else "")
