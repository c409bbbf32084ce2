"""Proxies with one defect each, to show that every rule of dialogues catches its defects."""

from __future__ import annotations

from functools import cache

from conformance.modules import import_all
from conformance.proxies.mutants.mutant import ProxyMutant


@cache
def proxy_mutants() -> dict[str, type[ProxyMutant]]:
    """Return every mutant by its name, module by module."""
    import_all(__name__, __path__)
    return {mutant.__name__: mutant for mutant in ProxyMutant.known if mutant.breaks}


__all__ = ["ProxyMutant", "proxy_mutants"]
