"""Proxies with one defect each, to show that every rule of dialogues catches its defects."""

from __future__ import annotations

from functools import cache

from conformance.mutants import by_name
from conformance.proxies.mutants.mutant import ProxyMutant


@cache
def proxy_mutants() -> dict[str, type[ProxyMutant]]:
    """Return every mutant by its name, module by module."""
    return by_name(ProxyMutant, __name__, __path__)


__all__ = ["ProxyMutant", "proxy_mutants"]
