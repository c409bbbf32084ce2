"""Codecs that harm whoever runs them, as `hardening:Name`, or line by line by `speaks.py`.

Each is the reference on MetadataRequest but for what its docstring says.
"""

import itertools
import os
from typing import Any

from conformance.reference.codec import ReferenceCodec


class Right(ReferenceCodec):
    name = "right"

    def hello(self):
        return {**super().hello(), "messages": {"MetadataRequest": [0, 13]}}


class Reserves(Right):
    """Makes room for as many topics as the input announces: up to 16 GiB."""

    def decode(self, message, version, data):
        if version < 9:
            [None] * int.from_bytes(data[:4], "big", signed=True)
        return super().decode(message, version, data)


class ReservesModestly(Right):
    """Reserves no more than 256 MiB, which the machine has, and gives it back."""

    def decode(self, message, version, data):
        if version < 9:
            bytes(max(0, min(2**28, int.from_bytes(data[:4], "big", signed=True))))
        return super().decode(message, version, data)


class Counts(Right):
    """Goes through as many tags as are announced, also where nothing is left to read."""

    def decode(self, message, version, data):
        try:
            return super().decode(message, version, data)
        except Exception as error:
            if "2147483647 tagged fields" in str(error):
                for _ in itertools.count():
                    pass
            raise


class Recurses(Right):
    """Reads an element by reading the elements before it."""

    def decode(self, message, version, data):
        def element(number):
            return element(number - 1) + 1 if number > 0 else 0

        if version < 9:
            element(int.from_bytes(data[:4], "big", signed=True))
        return super().decode(message, version, data)


class Flaky(Right):
    """Reads null topics as empty ones, every other time."""

    calls = 0

    def decode(self, message, version, data):
        value, remaining = super().decode(message, version, data)
        if value["topics"] is None:
            self.calls += 1
            return {**value, "topics": [] if self.calls % 2 else None}, remaining
        return value, remaining


class LeaksFiles(Right):
    """Opens a file with each call and closes none."""

    kept: tuple[Any, ...] = ()

    def decode(self, message, version, data):
        self.kept += (os.open(os.devnull, os.O_RDONLY),)
        return super().decode(message, version, data)


class Grows(Right):
    """Keeps 1 MiB of each call."""

    kept: tuple[Any, ...] = ()

    def decode(self, message, version, data):
        self.kept += (b"x" * 2**20,)
        return super().decode(message, version, data)


class _Unfit(Right):
    """Reads null topics as what no value can hold."""

    topics: Any = None

    def decode(self, message, version, data):
        value, remaining = super().decode(message, version, data)
        return (value if value["topics"] else {**value, "topics": self.topics}), remaining


class NotANumber(_Unfit):
    topics = float("nan")


class HalfASurrogate(_Unfit):
    topics = "\ud800"


class TooWide(_Unfit):
    topics = 2**64


class Nul(_Unfit):
    """Text that JSON carries: it is wrong, and no more than that."""

    topics = "a\0b"
