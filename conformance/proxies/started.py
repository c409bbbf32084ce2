"""Proxies that the suite starts itself, and ends when they have been judged."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from conformance.brokers.connection.address import Address
from conformance.brokers.started.command import HOST, LISTEN, ListeningProgram
from conformance.brokers.started.ports import free_ports
from conformance.proxies.mutants import proxy_mutants
from conformance.proxies.mutants.mutant import USERS
from conformance.proxies.place import ProxyPlace
from conformance.proxies.security import MUTANT, SECURED
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.server import Tls, serving_proxy
from conformance.reference.proxy.translation import USUAL
from conformance.targets.errors import TargetNotFound, shorten
from conformance.targets.registry import (
    PROXIES,
    build,
    built_folder,
    find,
    names,
    start_command,
    started_as,
)

REFERENCE = "reference"
MOST_LOG_BYTES = 256 * 1024
"""The most of a log that is searched for the reason of an end."""
_OF_THE_END = re.compile(
    r"panicked at|\bpanic: |memory allocation of|out ?of ?memory|bad_alloc|segmentation|fatal", re.I
)
"""The words of programs that end by a fault."""


class Started(Protocol):
    """A proxy that runs, with the control over it."""

    @property
    def address(self) -> Address:
        """Its address for clients."""
        ...

    def alive(self) -> bool:
        """True if it runs."""
        ...

    def ended(self, patience_s: float) -> bool:
        """True if it ends within this time."""
        ...

    def restart(self) -> None:
        """Start it again. Raises TargetError."""
        ...

    def last_words(self) -> str:
        """Return the last that it wrote about its end, "" if it wrote nothing."""
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

    def ended(self, patience_s: float) -> bool:
        del patience_s
        return False

    def restart(self) -> None:
        """Do nothing: no frame ends it."""

    def last_words(self) -> str:
        return ""


class _Program(ListeningProgram):
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
        self._begin = 0
        self.address = Address(HOST, free_ports(1 + len(brokers), HOST)[0])
        given = {LISTEN: str(self.address), "{upstream}": f"{host}:{port}"}
        words = [_filled(word, given) for word in command]
        super().__init__(words, self.address, log, name, folder)

    def ended(self, patience_s: float) -> bool:
        """True if it ends within this time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience_s)
        return not self.alive()

    def restart(self) -> None:
        """Start it again. Raises TargetLost and TargetNotStarted."""
        self._begin = os.fstat(self._log.fileno()).st_size
        super().restart()

    def last_words(self) -> str:
        """Return the line of its log that says why it ended, "" without one."""
        log = self._log.fileno()
        size = os.fstat(log).st_size
        begin = max(self._begin, size - MOST_LOG_BYTES)
        lines = os.pread(log, size - begin, begin).decode("utf-8", "replace").splitlines()
        found = [line.strip() for line in lines if _OF_THE_END.search(line)]
        return shorten(found[0], 200) if found else ""


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
