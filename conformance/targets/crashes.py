"""Where an error ends and a crash begins, for a program that is watched from outside.

A program has crashed where something else than its own course ended it: a signal, a panic or an
abort of its runtime, or memory that is used up. An exception that nobody caught is none of these:
programs in Python, Java and JavaScript report an error that way, with a status that is not 0.
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
"""What Python and Java write of one in the main thread, which its caller could have caught."""
_SIGN: Final = re.compile(b"|".join((*_PANICS, *_EXHAUSTED)), re.M)
_RAISED: Final = re.compile(b"|".join(_UNCAUGHT), re.M)
_MEMORY: Final = re.compile(b"|".join(_EXHAUSTED), re.M)
SIGN_BYTES: Final = 256
"""No sign is longer than this: who reads in pieces looks at so much of the last one again."""
_FATAL: Final = ("SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGSYS")
_SHELL: Final = {128 + signal.Signals[name].value: name for name in _FATAL}


def sign_of_crash(said: bytes) -> str:
    """The first line of what a program wrote that shows a panic, an abort or exhausted memory."""
    line, _, _ = from_crash(said).partition(b"\n")
    return shorten(line.decode("utf-8", "replace").strip())


def out_of_memory(said: str) -> bool:
    """Whether an error's name or text says that memory was used up."""
    return _MEMORY.search(said.encode()) is not None


def was_raised(said: str) -> bool:
    """Whether the end of what a program wrote shows an exception that a `catch` could have taken.

    JavaScript is not asked: one of a callback, which nobody can catch, looks alike there.
    """
    return _RAISED.search(said.encode()) is not None


def signal_told_by(status: int) -> str:
    """The signal that a shell tells of by its own exit status, "" where it is none that kills."""
    return _SHELL.get(status, "")


def from_crash(said: bytes) -> bytes:
    """What a program wrote from the line on that shows a crash, b"" where none does."""
    found = _SIGN.search(said)
    return said[said.rfind(b"\n", 0, found.start()) + 1 :] if found else b""
