"""Exceptions that end a request which is not answered as asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Refused(Exception):
    """A request, or one entry of it, is answered with an error."""

    def __init__(self, code: int, message: str | None = None) -> None:
        super().__init__(message or str(code))
        self.code = code
        self.message = message


class Unanswered(Exception):
    """The request was served, and gets no answer."""


class Hangup(Exception):
    """The connection is closed, and the request not answered."""


class Waits(Exception):
    """The answer depends on what other clients do first; the connection reads no more until then.

    `then` returns the answer, or raises this again.
    """

    def __init__(self, then: Callable[[], dict[str, Any]]) -> None:
        super().__init__()
        self.then = then
