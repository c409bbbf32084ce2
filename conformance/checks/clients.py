"""Clients by their names: our own, its mutants, and the drivers of released ones."""

from __future__ import annotations

import sys

from conformance.mutants.clients import client_mutants
from conformance.targets.client import ACTION, BOOTSTRAP
from conformance.targets.errors import TargetNotFound

REFERENCE = "reference"
MUTANT = "mutant"


def command_of(name: str) -> tuple[str, ...]:
    """The command that starts a client. Raises TargetNotFound."""
    kind, _, which = name.partition(":")
    if name == REFERENCE:
        return sys.executable, "-m", "conformance.peers.client_program", ACTION, BOOTSTRAP
    if kind == MUTANT and which in client_mutants():
        return sys.executable, "-m", "conformance.mutants.clients", ACTION, BOOTSTRAP, which
    raise TargetNotFound(
        f"no client {name!r} is known",
        f"{REFERENCE} is, {MUTANT}:NAME, or a command with {BOOTSTRAP} in it behind --",
    )
