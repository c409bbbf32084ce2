"""Exceptions that end a request which is not answered as asked."""

from __future__ import annotations


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
