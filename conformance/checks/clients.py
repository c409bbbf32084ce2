"""Clients by their names: our own, its mutants, and the drivers of released ones."""

from __future__ import annotations

import sys

from conformance.mutants.clients import client_mutants
from conformance.targets import registry
from conformance.targets.client import ACTION, BOOTSTRAP
from conformance.targets.errors import TargetNotFound

REFERENCE = "reference"
MUTANT = "mutant"


def command_of(name: str) -> tuple[str, ...]:
    """The command that starts a client; the driver of a released one is built if it is not yet.

    `name@version` is another version than its newest. Raises TargetNotFound, ToolchainMissing and
    BuildFailed.
    """
    kind, _, which = name.partition(":")
    if name == REFERENCE:
        return sys.executable, "-m", "conformance.peers.client_program", ACTION, BOOTSTRAP
    if kind == MUTANT and which in client_mutants():
        return sys.executable, "-m", "conformance.mutants.clients", ACTION, BOOTSTRAP, which
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
