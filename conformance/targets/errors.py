"""Errors between naming a target and the end of its run, and the last line of a program's log,
which they quote.

There is one type for each step of a target's life, in order, each with its cause and its remedy:

    named      TargetNotFound     no adapter, version or codec object of that name
               BadManifest        an adapter's adapter.toml lacks something or has it wrong
    built      ToolchainMissing   a program that the adapter's build needs is not installed
               BuildFailed        the build ended with an error
    started    CommandNotFound    the program to start does not exist
               TargetNotStarted   it ended, or stayed silent, before it answered `hello`
    introduced BadHello           its answer to `hello` breaks the testee protocol
    asked      TargetLost         it can't be kept alive, or gives no answer that can be read

The reaction of a target to a single request is never an error here but an `Outcome`, crashes
included: the run goes on, and the judge decides what it means.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from typing import IO

from conformance.errors import UNREACHABLE, USAGE, ConformanceError


class TargetError(ConformanceError):
    """Any failure to find, build, start or keep a target."""


class TargetNotFound(TargetError):
    """Nothing has the name that was given."""

    exit_code = USAGE


class BadManifest(TargetError):
    """An `adapter.toml` that can not be used."""

    exit_code = USAGE


class ToolchainMissing(TargetError):
    """A program that building an adapter needs is not on the PATH."""

    exit_code = UNREACHABLE


class BuildFailed(TargetError):
    """The build of an adapter ended with an error, or not at all."""

    exit_code = UNREACHABLE


class CommandNotFound(TargetError):
    """The program to start does not exist, or may not be executed."""

    exit_code = USAGE


class TargetNotStarted(TargetError):
    """The program ended, or did not answer `hello` in time."""

    exit_code = UNREACHABLE


class BadHello(TargetError):
    """The answer to `hello` breaks the testee protocol."""

    exit_code = UNREACHABLE


class TargetLost(TargetError):
    """The target worked once, and can not be brought to answer any more."""

    exit_code = UNREACHABLE


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for the names closest to `name`, or "" where none is close."""
    close = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(repr(match) for match in close)}?" if close else ""


def shorten(text: str, limit: int = 120) -> str:
    """`text` on one line, cut to `limit` characters: what a target wrote may be of any size."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


_LAST_BYTES = 2048


def last_line(log: IO[bytes]) -> str:
    """Its last line, read without moving the place where it writes."""
    size = os.fstat(log.fileno()).st_size
    end = os.pread(log.fileno(), _LAST_BYTES, max(0, size - _LAST_BYTES))
    lines = end.decode("utf-8", "replace").split("\n")
    return next((shorten(line, 300) for line in reversed(lines) if line.strip()), "nothing")
