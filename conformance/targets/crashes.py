"""Tell errors from crashes, for a program that is watched from outside.

A program has crashed if something other than its own code ended it: a signal, a panic or an abort
of its runtime, or exhausted memory. An uncaught exception is none of these: programs in Python,
Java and JavaScript report an error that way, with a status that is not 0.
"""

from __future__ import annotations

import re
import signal
from typing import Final

from conformance.targets.errors import shorten

_EXHAUSTED: Final = (
    rb"\b(?:MemoryError|OutOfMemoryError|bad_alloc|JavaScript heap out of memory)\b",
    rb"\bArray buffer allocation failed\b",
    rb"^memory allocation of \d+ bytes failed",
)
_PANICS: Final = (
    rb"^panic: ",
    rb"^fatal error: (?:runtime|out of memory|all goroutines|concurrent|stack overflow|unexpected)",
    rb"^thread '.*' (?:\(\d+\) )?(?:panicked at|has overflowed its stack)",
    rb"^(?:terminate called|libc\+\+abi: terminating)",
    rb"^Fatal Python error: ",
    rb"^# A fatal error has been detected by the Java Runtime Environment",
)
_UNCAUGHT: Final = (
    rb"Traceback \(most recent call last\):$",
    rb'^  File "[^"\n]+", line \d+, in ',
    rb'^Exception in thread "main" (?!java\.lang\.StackOverflowError\b)',
)
"""The output of Python and Java for an exception in the main thread, which a caller could catch."""
_SIGN: Final = re.compile(b"|".join((*_PANICS, *_EXHAUSTED)), re.M)
_RAISED: Final = re.compile(b"|".join(_UNCAUGHT), re.M)
_MEMORY: Final = re.compile(b"|".join(_EXHAUSTED), re.M)
_PANICKED: Final = re.compile(r"panicked at \S+:$")
_OF_CARGO: Final = re.compile(r"(?<=panicked at )\S*?[/\\]registry[/\\]src[/\\][^/\\\s]+[/\\]")
SIGN_BYTES: Final = 256
"""No sign is longer than this: who reads in pieces looks at so much of the last one again."""
_FATAL: Final = ("SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGSYS")
_SHELL: Final = {128 + signal.Signals[name].value: name for name in _FATAL}


def sign_of_crash(said: bytes) -> str:
    """The first line of what a program wrote that shows a panic, an abort or exhausted memory.

    A panic of Rust has its place in one line, without the folder of who built it, and what went
    wrong in the next.
    """
    line, _, more = from_crash(said).decode("utf-8", "replace").partition("\n")
    place = _OF_CARGO.sub("registry/", line.strip())
    reason = more.partition("\n")[0] if _PANICKED.search(place) else ""
    return shorten(f"{place} {reason}")


def out_of_memory(said: str) -> bool:
    """True if an error's name or text says that memory was exhausted."""
    return _MEMORY.search(said.encode()) is not None


def was_raised(said: str) -> bool:
    """True if the end of a program's output shows an exception that a `catch` could have taken.

    JavaScript is left out: an exception in a callback, which no code can catch, looks the same
    there.
    """
    return _RAISED.search(said.encode()) is not None


def signal_told_by(status: int) -> str:
    """Return the signal that a shell's exit status stands for, "" if it is none that kills."""
    return _SHELL.get(status, "")


def from_crash(said: bytes) -> bytes:
    """Return a program's output from the line on that shows a crash, b"" if none does."""
    found = _SIGN.search(said)
    return said[said.rfind(b"\n", 0, found.start()) + 1 :] if found else b""
