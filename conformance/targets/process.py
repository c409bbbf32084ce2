"""A program on three pipes, read within bounds of size and time.

The target may do anything: write without end, never read, leave children behind, ignore signals,
eat memory. So its memory is limited before its first instruction (a shell sets the limit and then
becomes the program: code between fork and exec would not be safe beside threads), it leads a
session of its own that is killed whole, and one loop serves its three pipes without blocking: what
waits to be sent, what it answers, and its stderr, of which only the end is kept. As neither side
ever waits for the other to read, both may write much. Only time spent waiting here counts against
the target: a slow reader of its answers costs it nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import resource
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from conformance.targets.crashes import SIGN_BYTES, from_crash, sign_of_crash
from conformance.targets.errors import CommandNotFound, shorten
from conformance.testee_protocol import MAX_LINE_BYTES

STDERR_TAIL_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_POLL_S = 0.02
"""The pause between checks if the program ended: a child of it may hold its pipes open."""
_LAST_WORDS_S = 2.0
"""The time that a program may take to end after it closed its stdout."""
_LAST_WORDS_BYTES = 4 * 1024 * 1024
_LINES_AT_ONCE = 16
"""Lines that are written together: each write wakes the program, which has enough to do."""
_TERM_GRACE_S = 0.5

MOST_FILES = 1024
"""File handles that a program may have open at once, where it is not allowed fewer anyway."""

_SET_LIMITS = (
    f"ulimit -c 0; ulimit -n {MOST_FILES} 2>/dev/null; "
    'test "$1" = - || ulimit -d "$1"; shift; exec "$@"'
)


class Ended(Exception):
    """The program ended, or closed its stdout, without another line. The text says how.

    `error` names the signal or the status, and is "" where it did not end; `status` is that of a
    program that ended by itself.
    """

    def __init__(self, text: str, error: str, status: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.error = error
        self.status = status


class Silent(Exception):
    """No line came within the time."""


class LineTooLong(Exception):
    """More than MAX_LINE_BYTES came without a newline."""


class Process:
    """A started program. `send` and `receive` whole lines, then `finish` or `kill` it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        memory_mib: int | None = None,
    ) -> None:
        """Start `command`. `memory_mib` limits its data segment. Raises CommandNotFound."""
        if cwd is not None and not Path(cwd).is_dir():
            raise CommandNotFound(f"there is no folder {cwd} to start {command[:1]} in")
        self._popen = subprocess.Popen(
            [*_limits(memory_mib), executable(command, cwd, env), *command[1:]],
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._owner = os.getpid()
        self._group_killed = False
        _running.add(self)
        self._outgoing = bytearray()
        self._held = 0
        self._is_blocked = False
        self._incoming = bytearray()
        self._searched = 0
        self.reads = 0
        """The number of reads of stdout: the lines of one read were all written before it."""
        self._stderr = bytearray()
        self._crash = b""
        self._stdout_ended = False
        self._selector = selectors.PollSelector()
        self._stdin, self._stdout, self._stderr_pipe = (
            cast("IO[bytes]", pipe)
            for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )
        for pipe in (self._stdin, self._stdout, self._stderr_pipe):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr_pipe, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The process id, also that of its group and session."""
        return self._popen.pid

    @property
    def crash_shown(self) -> str:
        """The first line on stderr that shows a panic, an abort or exhausted memory."""
        return sign_of_crash(self._crash)

    @property
    def unsent(self) -> int:
        """Bytes that the program has not yet taken from us."""
        return len(self._outgoing)

    def send(self, line: bytes) -> None:
        """Queue `line`; lines are written several at a time, the last of them when we wait."""
        if self._stdin.closed:
            return
        self._outgoing += line
        self._held += 1
        if self._held >= _LINES_AT_ONCE or len(self._outgoing) >= _CHUNK_BYTES:
            self._write_held()

    def receive(self, timeout_s: float, meanwhile: Callable[[], bool] = bool) -> bytes:
        """Return the next line without its newline. Raises Ended, Silent or LineTooLong.

        `meanwhile` is called instead of waiting, until it returns False: it has no work left.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            line = self._take_line()
            if line is not None:
                return line
            if self._stdout_ended:
                raise self._ended()
            self._write_held()
            if self._serve_pipes(0) or meanwhile():
                continue
            left = deadline - time.monotonic()
            if left <= 0:
                raise Silent
            if not self._serve_pipes(min(left, _POLL_S)) and self._popen.poll() is not None:
                self._read_last_words()

    def stderr_tail(self, lines: int = 5) -> str:
        """The last lines that the program wrote to stderr."""
        self._read_stderr()
        text = self._stderr.decode("utf-8", "replace")
        kept = [line.rstrip() for line in text.splitlines() if line.strip()]
        return "\n".join(shorten(line, 300) for line in kept[-lines:])

    def finish(self, timeout_s: float) -> int | None:
        """Close stdin, as at the end of a run, and wait: the exit status, None if it stays.

        Whatever it still writes is read and dropped; `leftover` says whether there was any.
        """
        self._write_held()
        self._close_stdin()
        status = self._wait(timeout_s)
        if status is not None:
            self._read_last_words()
        return status

    @property
    def leftover(self) -> bool:
        """True if the program wrote to stdout and the output was not received."""
        return bool(self._incoming)

    def kill(self) -> None:
        """End the program and everything it started, and free the pipes. May be called again."""
        self.kill_group()
        self._popen.wait()
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr_pipe):
            with contextlib.suppress(OSError):
                pipe.close()
        _running.discard(self)

    def close(self, grace_s: float) -> None:
        """Let the program end by itself, after `grace_s` ask it to, then kill what is left."""
        try:
            if not self._group_killed and self.finish(grace_s) is None:
                self._signal_group(signal.SIGTERM)
                self.finish(_TERM_GRACE_S)
        finally:
            self.kill()

    def _take_line(self) -> bytes | None:
        end = self._incoming.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._incoming)
            if self._searched > MAX_LINE_BYTES:
                raise LineTooLong
            return None
        if end > MAX_LINE_BYTES:
            raise LineTooLong
        line = bytes(self._incoming[:end])
        del self._incoming[: end + 1]
        self._searched = 0
        return line

    def _serve_pipes(self, timeout_s: float) -> bool:
        """Move what can be moved; whether anything came on stdout."""
        came = False
        for key, _ in self._selector.select(timeout_s):
            if key.fileobj is self._stdin:
                self._write()
                if not self._outgoing:
                    self._is_blocked = False
                    self._unregister(self._stdin)
            elif key.fileobj is self._stderr_pipe:
                self._read_stderr()
            else:
                came = self._read_stdout()
        return came

    def _write_held(self) -> None:
        """Write as far as the program takes it now, and the rest whenever we wait."""
        self._held = 0
        if self._outgoing and not self._is_blocked:
            self._write()
            if self._outgoing:
                self._is_blocked = True
                self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def _write(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin.fileno(), self._outgoing)]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # its death, if it is one, shows on stdout
            self._close_stdin()

    def _close_stdin(self) -> None:
        self._outgoing.clear()
        self._unregister(self._stdin)
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _read_stdout(self) -> bool:
        chunk = _read(self._stdout)
        if chunk == b"":
            self._stdout_ended = True
            self._unregister(self._stdout)
        if chunk:
            self._incoming += chunk
            self.reads += 1
        return bool(chunk)

    def _read_stderr(self) -> None:
        if self._stderr_pipe.closed:
            return
        for _ in range(_LAST_WORDS_BYTES // _CHUNK_BYTES):
            chunk = _read(self._stderr_pipe)
            if not chunk:
                if chunk == b"":
                    self._unregister(self._stderr_pipe)
                return
            self._stderr += chunk
            if not self._crash:
                self._crash = from_crash(bytes(self._stderr[-len(chunk) - SIGN_BYTES :]))
            elif len(self._crash) < STDERR_TAIL_BYTES:  # a runtime writes a line in pieces
                self._crash += chunk
            del self._stderr[:-STDERR_TAIL_BYTES]

    def _read_last_words(self) -> None:
        """Take what is left in the pipes of a program that ended, then look at them no more."""
        self.kill_group()
        for _ in range(_LAST_WORDS_BYTES // _CHUNK_BYTES):
            if self._stdout_ended or not self._read_stdout():
                break
        self._stdout_ended = True

    def _wait(self, timeout_s: float) -> int | None:
        """Return the exit status, None if the time is over. Lines that come are dropped."""
        deadline = time.monotonic() + timeout_s
        while self._popen.poll() is None and (left := deadline - time.monotonic()) > 0:
            self._serve_pipes(min(left, _POLL_S))
            del self._incoming[:-1]  # bounded, yet not forgotten
        return self._popen.returncode

    def _ended(self) -> Ended:
        status = self._wait(_LAST_WORDS_S)
        if status is None:
            return Ended("closed its stdout and did not end", "")
        if status >= 0:
            return Ended(f"exited with status {status}", f"exit-{status}", status)
        name = _signal_name(-status)
        return Ended(f"killed by {name}", name)

    def _unregister(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(KeyError, ValueError):  # not registered; already closed
            self._selector.unregister(pipe)

    def kill_group(self) -> None:
        """End the program and everything it started, whatever thread receives of it.

        Once only: a group is gone after it, and its number may become another's.
        """
        if not self._group_killed:
            self._group_killed = True
            self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: int) -> None:
        """Reach what the program started too. In a fork of ours it is not ours to end."""
        if os.getpid() == self._owner:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)


def _limits(memory_mib: int | None) -> list[str]:
    """Return the words in front of a command that limit its memory (MiB) and core dumps."""
    kib = "-" if memory_mib is None else str(_allowed_kib(memory_mib))
    return ["/bin/sh", "-c", _SET_LIMITS, "sh", kib]


def _allowed_kib(memory_mib: int) -> int:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = memory_mib * 1024
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard // 1024)


def executable(
    command: Sequence[str], cwd: str | Path | None, env: Mapping[str, str] | None
) -> str:
    """Return the path of `command`'s program, to tell a missing program from one that fails.

    Raises CommandNotFound.
    """
    if not command or not command[0]:
        raise CommandNotFound("the command to start is empty", "name a program after --")
    name = command[0]
    if os.sep in name:
        path = Path(cwd or ".", name).absolute()
        if not path.is_file():
            raise CommandNotFound(f"there is no program {name}", f"looked for {path}")
        if not os.access(path, os.X_OK):
            raise CommandNotFound(f"{name} may not be executed", f"chmod +x {name}")
        return str(path)
    found = shutil.which(name, path=(os.environ if env is None else env).get("PATH"))
    if found is None:
        raise CommandNotFound(
            f"there is no program {name} on the PATH", "install it, or give its path"
        )
    return str(Path(found).absolute())


def _read(pipe: IO[bytes]) -> bytes | None:
    """Return the available bytes, b"" at the end, None if there are none yet."""
    try:
        return os.read(pipe.fileno(), _CHUNK_BYTES)
    except BlockingIOError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_running: set[Process] = set()


@atexit.register
def _kill_all() -> None:
    """Nothing that we started outlives us, also after an error or Ctrl-C."""
    for process in list(_running):
        process.kill()
