"""A program that a user's command starts at a given address, and that can be started again.

It is ready when it takes connections there. The program and its child processes end with the run.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from conformance.brokers.connection.address import Address
from conformance.brokers.started.ports import free_ports
from conformance.targets.errors import TargetLost, TargetNotFound, TargetNotStarted, last_line
from conformance.waiting import waiting

LISTEN = "{listen}"
"""The placeholder in a command for the HOST:PORT at which its program is to listen."""
HOST = "127.0.0.1"
START_S = 60.0
END_S = 10.0
"""Seconds within which a killed program has to be gone."""
_POLL_S = 0.05


class ListeningProgram:
    """A program that listens at an address. Raises TargetNotStarted and TargetLost."""

    def __init__(
        self,
        command: Sequence[str],
        listens: Address,
        log: IO[bytes],
        name: str,
        folder: Path | None = None,
    ) -> None:
        self._command = list(command)
        self._listens = listens
        self._log = log
        self._name = name
        self._folder = folder
        self._start()

    def alive(self) -> bool:
        """True if the program runs."""
        return self._process.poll() is None

    def restart(self) -> None:
        """Start it again at its address. Raise TargetLost or TargetNotStarted if it does not."""
        self.end()
        self._start()

    def end(self) -> None:
        """Kill it, and all processes that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.communicate(timeout=END_S)

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,
            )
        except OSError as error:
            raise TargetNotStarted(
                f"{self._command[0]}: {error.strerror}", "is the command right?"
            ) from None
        with waiting(f"starting {self._name}"):
            self._wait()

    def _wait(self) -> None:
        """Wait until it listens. Raises TargetLost and TargetNotStarted."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if not self.alive():
                raise TargetLost(
                    f"{self._name} ended with status {self._process.returncode}",
                    f"the last that it wrote: {last_line(self._log)}",
                )
            with suppress(OSError):
                socket.create_connection((self._listens.host, self._listens.port), 1).close()
                return
            time.sleep(_POLL_S)
        self.end()
        raise TargetNotStarted(
            f"{self._name} does not listen at {self._listens} within {START_S:g} s",
            f"the last that it wrote: {last_line(self._log)}",
        )


class CommandedBroker(ListeningProgram):
    """A broker that a command of the user's starts."""

    config: Path | None = None
    other: Path | None = None

    def __init__(self, command: Sequence[str], log: IO[bytes]) -> None:
        listens = Address(HOST, free_ports(1, HOST)[0])
        self.address = str(listens)
        words = [word.replace(LISTEN, self.address) for word in command]
        super().__init__(words, listens, log, command[0])

    def stop(self, node: int) -> None:
        """Refuse: it is one broker. Raises TargetNotFound."""
        raise TargetNotFound(f"{self._name} runs as one broker; {node} can not end alone")

    def start(self, node: int) -> None:
        """Refuse, as `stop` does. Raises TargetNotFound."""
        raise TargetNotFound(f"{self._name} runs as one broker; {node} can not start alone")


@contextmanager
def running_command(command: Sequence[str]) -> Iterator[CommandedBroker]:
    """Start a broker by a command with {listen} in it, and end it after the `with`.

    Raises TargetNotStarted and TargetLost.
    """
    with tempfile.TemporaryFile() as log:
        broker = CommandedBroker(command, log)
        try:
            yield broker
        finally:
            broker.end()
