"""A client as a program: started once a visit, told where to go, and ended if it does not end.

What it says on stdout is what a driver says of the outcome: its last line is `ok`, or `error` and
whatever is worth telling, or `unsupported` where the client has no such action. A program that says
none of them is judged by its exit status. It is read within bounds and killed with all that it
started.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.targets.errors import CommandNotFound, shorten
from conformance.targets.process import Ended as Exited
from conformance.targets.process import LineTooLong, Process, Silent, executable
from conformance.targets.watch import Watch

BOOTSTRAP = "{bootstrap}"
ACTION = "{action}"
"""What in a command is replaced, by HOST:PORT and by what the client is to do."""
MOST_LINES = 100_000
_LOOK_S = 0.1
"""How often its memory is looked at, so that what is held for less may be missed."""
_MIB = 1024 * 1024

Outcome = Literal["ok", "error", "unsupported", "crashed", "hung", "untold"]
"""ok: the program says that it got what it wanted. error: it says that it did not, and ended by
itself. unsupported: it says that its client does not do this at all. crashed: a signal ended it.
hung: it had to be ended. untold: somebody else started it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a client's program ended: what it said of the outcome, and what it cost.

    `text` are its last words, `peak_mib` the most memory that it was seen to hold.
    """

    outcome: Outcome
    text: str = ""
    seconds: float = 0.0
    peak_mib: float = 0.0


class ClientProgram:
    """A client's command line, with `{bootstrap}` in it, and `{action}` where it knows several.

    Raises CommandNotFound where there is no such program, or no place for the address.
    """

    def __init__(
        self, command: Sequence[str], *, timeout_s: float, memory_mib: int | None = None
    ) -> None:
        if not any(BOOTSTRAP in word for word in command):
            raise CommandNotFound(
                f"the command has no place for the broker's address: {' '.join(command)}",
                f"write {BOOTSTRAP} where it belongs",
            )
        executable(command, None, None)
        self._command = command
        self._timeout_s = timeout_s
        self._memory_mib = memory_mib

    @property
    def takes_actions(self) -> bool:
        """Whether it can be told what to do."""
        return any(ACTION in word for word in self._command)

    def visit(
        self, bootstrap: str, action: str, has_come: Callable[[], bool] = lambda: True
    ) -> Ended:
        """Run it once, to its end or to the end of its time. Raises CommandNotFound.

        Its time begins when it `has_come`, and to start it may take as long: several do at once.
        """
        words = [
            word.replace(BOOTSTRAP, bootstrap).replace(ACTION, action) for word in self._command
        ]
        process = Process(words, memory_mib=self._memory_mib)
        watch = Watch(process.pid)
        began = time.monotonic()
        try:
            outcome, text = self._outcome(process, has_come, peak := _Peak(watch))
            return Ended(outcome, text, time.monotonic() - began, peak.bytes / _MIB)
        finally:
            process.kill()
            watch.close()

    def _outcome(
        self, process: Process, has_come: Callable[[], bool], peak: _Peak
    ) -> tuple[Outcome, str]:
        last = b""
        is_there = False
        until = time.monotonic() + self._timeout_s * 2
        for _ in range(MOST_LINES):
            if not is_there and has_come():
                is_there = True
                until = time.monotonic() + self._timeout_s
            left = until - time.monotonic()
            try:
                if left <= 0:
                    raise Silent
                line = process.receive(min(left, _LOOK_S))
                last = line if line.strip() else last
            except Silent:
                peak.look()
                if left <= 0:
                    return "hung", f"it was ended after {self._timeout_s:g} s"
            except LineTooLong:
                return "hung", "it writes without end"
            except Exited as exited:
                return _told(last.decode("utf-8", "replace").strip(), exited, process)
            peak.look()
        return "hung", f"it wrote more than {MOST_LINES} lines"


class _Peak:
    """The most memory seen, in bytes."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.bytes = 0

    def look(self) -> None:
        self.bytes = max(self.bytes, self._watch.resident())


def _told(last: str, exited: Exited, process: Process) -> tuple[Outcome, str]:
    """The outcome of a program that ended by itself."""
    word, rest, *_ = (*last.split(maxsplit=1), "", "")
    match word:
        case "ok":
            return "ok", ""
        case "error" | "unsupported":
            return word, shorten(rest)
    said = shorten(process.stderr_tail(1)) or exited.text
    if exited.error.startswith("SIG"):
        return "crashed", f"{exited.text}: {said}" if said != exited.text else said
    return ("ok", "") if exited.text.endswith("status 0") else ("error", said)
