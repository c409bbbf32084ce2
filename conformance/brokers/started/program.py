"""A broker that is a program of its own: an adapter under `adapters/brokers/` that starts one.

Its program prints HOST:PORT on a line when it is ready, and ends at the end of its stdin: so it
lives no longer than the process that started it, even where that is killed. It runs in an empty
folder, where it may keep what it holds. One whose start command takes a `{port}` can be started
again at the address that it had; of any other, a death is the end.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from conformance.brokers.connection.address import Address, BadAddress
from conformance.targets.errors import TargetLost, TargetNotFound, TargetNotStarted, last_line
from conformance.targets.registry import (
    BROKERS,
    Adapter,
    build,
    find,
    names,
    start_command,
    started_as,
    takes_port,
)
from conformance.waiting import waiting

START_TIMEOUT_S = 30.0
_MOST_ADDRESS_BYTES = 1024
_NO_PROGRAM = "kafka"
"""Apache Kafka is started by `conformance.brokers.started.kafka`: it has to be configured."""


class Program:
    """A running broker, which needs no credentials. Raises TargetNotStarted."""

    config: Path | None = None
    other: Path | None = None

    def __init__(self, adapter: Adapter, version: str, folder: Path, log: IO[bytes]) -> None:
        self._adapter = adapter
        self._version = version
        self._folder = folder
        self._log = log
        self.address = self._start(0)

    def alive(self) -> bool:
        """True if the program runs."""
        return self._process.poll() is None

    def restart(self) -> None:
        """Start it again at its address. Raises TargetLost and TargetNotStarted."""
        if not takes_port(self._adapter):
            status = self._process.poll()
            ended = "runs" if status is None else f"ended with {status}"
            raise TargetLost(
                f"{self._adapter.name} {ended}; started again, it would have another address",
                f"leave out what ended it; the last it wrote to stderr: {last_line(self._log)}",
            )
        self.end()
        self.address = self._start(Address.parse(self.address).port)

    def stop(self, node: int) -> None:
        """Refuse: it is one broker. Raises TargetNotFound."""
        raise TargetNotFound(f"{self._adapter.name} runs as one broker; {node} can not end alone")

    def start(self, node: int) -> None:
        """Refuse, as `stop` does. Raises TargetNotFound."""
        raise TargetNotFound(f"{self._adapter.name} runs as one broker; {node} can not start alone")

    def end(self) -> None:
        """Kill it, and whatever it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def _start(self, port: int) -> str:
        """Start it and wait for its address; `port` 0 is whichever is free."""
        self._process = subprocess.Popen(
            start_command(self._adapter, self._version, port),
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,
            start_new_session=True,
        )
        try:
            said = _first_line(self._process)
            return str(Address.parse(said))
        except BadAddress:
            self.end()
            raise TargetNotStarted(
                f"{self._adapter.name} did not start: {said or 'nothing'} where HOST:PORT is due",
                f"the last it wrote to stderr: {last_line(self._log)}",
            ) from None
        except BaseException:
            self.end()
            raise


def name_and_version(what: str) -> tuple[str, str]:
    """Of a broker that is a program, whether `what` names a version or not; else `what` and ""."""
    return (what, "") if what.partition(":")[0] == _NO_PROGRAM else started_as(what, BROKERS)


def programs() -> list[str]:
    """The names of the brokers that are programs: all there are but Apache Kafka."""
    return [name for name in names(BROKERS) if name != _NO_PROGRAM]


@contextmanager
def running_program(name: str, version: str = "") -> Iterator[Program]:
    """The broker of `adapters/brokers/NAME`, of one of its versions; gone behind the `with`.

    Raises TargetNotFound, ToolchainMissing, BuildFailed and TargetNotStarted.
    """
    if name not in programs():
        raise TargetNotFound(
            f"no broker {name!r} can be started", f"known: {', '.join(programs())}"
        )
    adapter, version = find(name, version or None, BROKERS)
    build(adapter, version)
    with (
        tempfile.TemporaryDirectory(
            prefix="kafka-conformance-", ignore_cleanup_errors=True
        ) as folder,
        tempfile.TemporaryFile() as log,
    ):
        with waiting(f"starting {name} {version}"):
            program = Program(adapter, version, Path(folder), log)
        try:
            yield program
        finally:
            program.end()


def _first_line(process: subprocess.Popen[bytes]) -> str:
    """Return the first line of its stdout, or the part that came in time; "" if none did."""
    assert process.stdout is not None
    said = bytearray()
    end = time.monotonic() + START_TIMEOUT_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while b"\n" not in said and len(said) < _MOST_ADDRESS_BYTES:
            if not selector.select(max(0.0, end - time.monotonic())):
                break
            chunk = os.read(process.stdout.fileno(), _MOST_ADDRESS_BYTES)
            if not chunk:
                break
            said += chunk
    return said.decode("utf-8", "replace").partition("\n")[0].strip()
