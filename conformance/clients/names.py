"""Clients by their names: our own, its mutants, and the drivers of released ones."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from conformance.clients.mutants import client_mutants
from conformance.clients.program import ACTION, BOOTSTRAP
from conformance.targets import registry
from conformance.targets.errors import TargetNotFound

REFERENCE = "reference"
MUTANT = "mutant"


class Commands(Mapping[str, tuple[str, ...]]):
    """The commands of clients by their names, each made, and built, when it is asked for.

    So that a client that can't be had keeps no other from being judged. To look one up raises as
    `command_of` does.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if name not in self._names:
            raise KeyError(name)
        return command_of(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def command_of(name: str) -> tuple[str, ...]:
    """The command that starts a client; the driver of a released one is built if it is not yet.

    `name@version` is another version than its newest. Raises TargetNotFound, ToolchainMissing and
    BuildFailed.
    """
    kind, _, which = name.partition(":")
    if name == REFERENCE:
        return sys.executable, "-m", "conformance.reference.client.program", ACTION, BOOTSTRAP
    if kind == MUTANT and which in client_mutants():
        return sys.executable, "-m", "conformance.clients.mutants", ACTION, BOOTSTRAP, which
    driver, _, version = name.partition("@")
    if driver in registry.names(registry.CLIENTS):
        return _driver(driver, version or None)
    drivers = ", ".join(registry.names(registry.CLIENTS))
    raise TargetNotFound(
        f"no client {name!r} is known",
        f"{REFERENCE} is, {MUTANT}:NAME, {drivers}, or a command with {BOOTSTRAP} in it behind --",
    )


def _driver(name: str, version: str | None) -> tuple[str, ...]:
    adapter, version = registry.find(name, version, registry.CLIENTS)
    registry.build(adapter, version)
    return tuple(registry.start_command(adapter, version))
