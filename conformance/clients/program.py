"""A client as a program: started once a visit, with an address, and ended if it does not end.

A driver is a program that gets an action, and whose last line names the outcome: `ok`, or `error`
with a description, or `unsupported` if the client has no such action. One that ends without any of
them, by an exception that it could have caught, has shown an error; if it ends in another way, it
has crashed, unless it never says `error` (`clients.driver_errors`). Any other program is judged by
its exit status, and by what `crashes` sees. Its output is read within bounds, and it is killed with
all processes that it started.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, cast

from conformance.targets.crashes import (
    out_of_memory,
    sign_of_crash,
    signal_told_by,
    was_raised,
)
from conformance.targets.error_lines import error_in
from conformance.targets.errors import CommandNotFound, shorten
from conformance.targets.process import Ended as Exited
from conformance.targets.process import LineTooLong, Process, Silent, executable
from conformance.targets.watch import Watch

BOOTSTRAP = "{bootstrap}"
ACTION = "{action}"
"""Replaced in a command by the client's action, as BOOTSTRAP is by HOST:PORT."""
RELEASE = "KAFKA_RELEASE"
"""The environment variable for the release of the brokers, if the application knows it."""
TOPIC = "KAFKA_TOPIC"
"""The environment variable for the topic, if that is not `events`."""
USER, PASSWORD = "KAFKA_USER", "KAFKA_PASSWORD"
"""The environment variables for user and password, for logins by PLAIN and SCRAM."""
DRIVER_TIMEOUT = "DriverTimeout"
"""The first word of the error of a driver that gave up before its client did."""
MOST_LINES = 100_000
_LOOK_S = 0.1
"""The interval between looks at its memory, in seconds; shorter peaks may be missed."""
_MIB = 1024 * 1024
_LINES_OF_A_TRACE = 500
_STATUS_OF_AN_EXCEPTION = 1

Outcome = Literal["ok", "error", "unsupported", "crashed", "hung", "unlimited", "untold"]
"""ok: the program says that it got what it wanted. error: it says that it did not, and ended by
itself. unsupported: it says that its client does not do this at all. crashed: something else than
its own course ended it. hung: it had to be ended. unlimited: it had to be ended, and would take as
long with a broker that never answers, or with one that does nothing wrong. untold: it was started
elsewhere.
"""


@dataclass(frozen=True, slots=True)
class VisitEnded:
    """The end of a client's program: the outcome that it stated, and its cost.

    `text` are its last words, all of them after `ok`, `peak_mib` the most memory that it was seen
    to hold. `is_silent` marks a driver that ended by its own course, without any of the words for
    outcomes.
    """

    outcome: Outcome
    text: str = ""
    seconds: float = 0.0
    peak_mib: float = 0.0
    is_silent: bool = False


class Stopped(Exception):
    """The run is over, and so no program is started."""


class ClientProgram:
    """A client's command line, with `{bootstrap}` in it, and `{action}` where it knows several.

    Raises CommandNotFound where there is no such program, or no place for the address.
    """

    def __init__(self, command: Sequence[str], *, memory_mib: int | None = None) -> None:
        if not any(BOOTSTRAP in word for word in command):
            raise CommandNotFound(
                f"the command has no place for the broker's address: {' '.join(command)}",
                f"write {BOOTSTRAP} where it belongs",
            )
        executable(command, None, None)
        self._command = command
        self._memory_mib = memory_mib
        self._running: set[Process] = set()
        self._changing = Lock()
        self._is_stopped = False

    def stop(self) -> None:
        """End every run of it, with all that it started, and let no other begin.

        Visits go on in threads of their own, which an interruption of the main one does not reach.
        """
        with self._changing:
            self._is_stopped = True
            for process in self._running:
                process.kill_group()

    @property
    def takes_actions(self) -> bool:
        """True if the command has a place for an action."""
        return any(ACTION in word for word in self._command)

    def visit(
        self,
        bootstrap: str,
        action: str,
        timeout_s: float,
        has_come: Callable[[], bool] = lambda: True,
        settings: Mapping[str, str] | None = None,
    ) -> VisitEnded:
        """Run it once, to its end or to the end of its time. Raises CommandNotFound.

        Its time begins when it `has_come`, and its start may take as long: several start at once.
        It gets the `settings` in its environment. Raises Stopped once a stop was asked for.
        """
        words = [
            word.replace(BOOTSTRAP, bootstrap).replace(ACTION, action) for word in self._command
        ]
        env = {**os.environ, **settings} if settings else None
        process = self._started(words, env)
        watch = Watch(process.pid)
        began = time.monotonic()
        try:
            run = _Run(process, _Peak(watch), self.takes_actions)
            outcome, text = run.outcome(timeout_s, has_come)
            seconds, peak_mib = time.monotonic() - began, run.peak.bytes / _MIB
            return VisitEnded(outcome, text, seconds, peak_mib, run.is_silent)
        finally:
            process.kill()
            watch.close()
            with self._changing:
                self._running.discard(process)

    def _started(self, words: Sequence[str], env: Mapping[str, str] | None) -> Process:
        with self._changing:
            if self._is_stopped:
                raise Stopped
            process = Process(words, env=env, memory_mib=self._memory_mib)
            self._running.add(process)
            return process


class _Peak:
    """The most memory seen, in bytes."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.bytes = 0

    def look(self) -> None:
        self.bytes = max(self.bytes, self._watch.resident())


class _Run:
    """One run of a program: what it says, and how it ends."""

    def __init__(self, process: Process, peak: _Peak, is_driver: bool) -> None:
        self._process = process
        self.peak = peak
        self._is_driver = is_driver
        self._last = b""
        self._crash_shown = ""
        self.is_silent = False

    def outcome(self, timeout_s: float, has_come: Callable[[], bool]) -> tuple[Outcome, str]:
        """Return the outcome and its text; the time limit runs from when it `has_come`."""
        is_there = False
        until = time.monotonic() + timeout_s * 2
        for _ in range(MOST_LINES):
            if not is_there and has_come():
                is_there = True
                until = time.monotonic() + timeout_s
            left = until - time.monotonic()
            try:
                if left <= 0:
                    raise Silent
                self._hear(self._process.receive(min(left, _LOOK_S)))
            except Silent:
                if left <= 0:
                    return "hung", f"it was ended after {timeout_s:.3g} s{self._said()}"
            except LineTooLong:
                return "hung", "it writes without end"
            except Exited as exited:
                return self._ended(exited)
            finally:
                self.peak.look()
        return "hung", f"it wrote more than {MOST_LINES} lines"

    def _hear(self, line: bytes) -> None:
        if line.strip():
            self._last = line
            self._crash_shown = self._crash_shown or sign_of_crash(line)

    def _said(self) -> str:
        """Return a clause on the outcome that a driver stated before it hung, or ""."""
        word, _ = self._word()
        return f", though it had said `{word}`" if word else ""

    def _word(self) -> tuple[str, str]:
        """Return the outcome that a driver states, and its text; "" if it states none."""
        last = self._last.decode("utf-8", "replace").split(maxsplit=1)
        word, why, *_ = (*last, "", "")
        if not self._is_driver or word not in ("ok", "error", "unsupported"):
            return "", ""
        return word, why.strip() if word == "ok" else shorten(why)

    def _ended(self, exited: Exited) -> tuple[Outcome, str]:
        """The outcome of a program that ended by itself."""
        last = error_in(self._process.stderr_tail(_LINES_OF_A_TRACE))
        if not exited.error:
            return "hung", exited.text
        if exited.error.startswith("SIG"):
            return "crashed", ": ".join(filter(None, (exited.text, self._crash() or last)))
        judge = self._of_driver if self._is_driver else self._of_program
        return judge(exited, last)

    def _of_driver(self, exited: Exited, last: str) -> tuple[Outcome, str]:
        word, why = self._word()
        if word == "error" and out_of_memory(why):
            return "crashed", why
        shown = self._crash()
        if word and not (word == "ok" and exited.status and shown):
            return cast("Outcome", word), why
        self.is_silent = not (word or shown or signal_told_by(exited.status))
        text = f"{exited.text} without `ok`, `error` or `unsupported`" if not word else exited.text
        is_error = self.is_silent and self._raised(exited)
        return "error" if is_error else "crashed", ": ".join(filter(None, (text, shown or last)))

    def _raised(self, exited: Exited) -> bool:
        """True if it ended by an exception that it could have caught."""
        trace = self._process.stderr_tail(_LINES_OF_A_TRACE)
        return exited.status == _STATUS_OF_AN_EXCEPTION and was_raised(trace)

    def _of_program(self, exited: Exited, last: str) -> tuple[Outcome, str]:
        if not exited.status:
            return "ok", ""
        told = signal_told_by(exited.status)
        if shown := self._crash() or (told and f"as a shell tells of {told}"):
            return "crashed", f"{exited.text}: {shown}"
        said = shorten(self._last.decode("utf-8", "replace")).removeprefix("error ")
        return "error", last or said or exited.text

    def _crash(self) -> str:
        return self._crash_shown or self._process.crash_shown
