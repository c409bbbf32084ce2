"""Proxies that the suite starts itself, and ends when they have been judged."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from conformance.brokers.connection.address import Address
from conformance.brokers.started.ports import free_ports
from conformance.proxies.mutants import proxy_mutants
from conformance.proxies.mutants.mutant import USERS
from conformance.proxies.place import ProxyPlace
from conformance.proxies.secured import MUTANT, SECURED
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.server import Tls, serving_proxy
from conformance.reference.proxy.translation import USUAL
from conformance.targets.errors import TargetLost, TargetNotFound, TargetNotStarted
from conformance.targets.last_words import last_line
from conformance.targets.registry import (
    PROXIES,
    build,
    built_folder,
    find,
    names,
    start_command,
    started_as,
)
from conformance.waiting import waiting

REFERENCE = "reference"
HOST = "127.0.0.1"
START_S = 60.0
END_S = 10.0
"""Seconds that a killed program may take to end."""
_POLL_S = 0.05


class Started(Protocol):
    """A proxy that runs, with the control over it."""

    @property
    def address(self) -> Address:
        """Its address for clients."""
        ...

    def alive(self) -> bool:
        """True if it runs."""
        ...

    def restart(self) -> None:
        """Start it again. Raises TargetError."""
        ...


def rewritten_by(name: str) -> tuple[str, ...]:
    """Return the declared changes of a proxy that is started by its name."""
    if name.startswith(MUTANT) and (mutant := proxy_mutants().get(name.removeprefix(MUTANT))):
        return mutant.rewrites
    plain, version = started_as(name, PROXIES)
    return (find(plain, kind=PROXIES)[0].rewrites if version else ()) or USUAL


@contextmanager
def started(
    place: ProxyPlace, brokers: Mapping[int, tuple[str, int]], tls: Tls = (None, None)
) -> Iterator[Started]:
    """Yield a proxy in front of these brokers: our own, a mutant, a bundled one, or a command.

    Our own changes what `place` declares; `tls` is that of our own. Raises TargetError.
    """
    ours = _ours(place)
    if ours is not None:
        with serving_proxy(ours, brokers, tls) as (host, port):
            yield _OurOwn(Address(host, port))
        return
    command, folder = (place.command, None) if place.command else _bundled_command(place.start)
    with tempfile.TemporaryFile() as log:
        program = _Program(command, brokers, folder, log, place.start or command[0])
        try:
            yield program
        finally:
            program.end()


class _OurOwn:
    """A proxy in this process, which ends with it."""

    def __init__(self, address: Address) -> None:
        self.address = address

    def alive(self) -> bool:
        return True

    def restart(self) -> None:
        """Do nothing: no frame ends it."""


class _Program:
    """A proxy that is a program of its own."""

    def __init__(
        self,
        command: Sequence[str],
        brokers: Mapping[int, tuple[str, int]],
        folder: Path | None,
        log: IO[bytes],
        name: str,
    ) -> None:
        host, port = brokers[1]
        self.address = Address(HOST, free_ports(1 + len(brokers), HOST)[0])
        given = {"{listen}": str(self.address), "{upstream}": f"{host}:{port}"}
        self._command = [_filled(word, given) for word in command]
        self._folder, self._log, self._name = folder, log, name
        self._start()

    def alive(self) -> bool:
        return self._process.poll() is None

    def restart(self) -> None:
        """Start it again at its address. Raises TargetLost and TargetNotStarted."""
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
                socket.create_connection((self.address.host, self.address.port), 1).close()
                return
            time.sleep(_POLL_S)
        self.end()
        raise TargetNotStarted(
            f"{self._name} does not listen at {self.address} within {START_S:g} s",
            f"the last that it wrote: {last_line(self._log)}",
        )


def _filled(word: str, given: Mapping[str, str]) -> str:
    for name, value in given.items():
        word = word.replace(name, value)
    return word


def _ours(place: ProxyPlace) -> Proxy | None:
    """Return a proxy of our own, None if none has this name."""
    name = place.start
    if name in (REFERENCE, SECURED):
        users = USERS if name == SECURED else None
        return Proxy({}, rewrites=place.rewrites, users=users)
    mutant = proxy_mutants().get(name.removeprefix(MUTANT)) if name.startswith(MUTANT) else None
    return mutant({}, said=place.rewrites) if mutant else None


def _bundled_command(name: str) -> tuple[Sequence[str], Path | None]:
    """Return the command of a bundled proxy, after building it, and the folder that it runs in."""
    plain, version = started_as(name, PROXIES)
    if not version:
        known = ", ".join([REFERENCE, SECURED, f"{MUTANT}NAME", *names(PROXIES)])
        raise TargetNotFound(f"no proxy {name!r} can be started", f"known: {known}")
    adapter, version = find(plain, version, PROXIES)
    build(adapter, version)
    return start_command(adapter, version), built_folder(adapter, version)
