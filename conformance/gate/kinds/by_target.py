"""The gate for each kind of target."""

from __future__ import annotations

from conformance.gate.kinds.codec import ALONE, Gate, Settings
from conformance.testee_protocol import Target


def gate_of(settings: Settings, target: Target | None = None, name: str = ALONE) -> Gate:
    """Return the gate for the target of these settings, without loading gates of other kinds."""
    if settings.client or settings.listen:
        from conformance.gate.kinds.client import ClientGate

        return ClientGate(settings, target, name)
    if settings.proxy:
        from conformance.gate.kinds.proxy import ProxyGate

        return ProxyGate(settings, target, name)
    if settings.endpoint:
        from conformance.gate.kinds.broker import BrokerGate

        return BrokerGate(settings, target, name)
    return Gate(settings, target, name)


def module_of(settings: Settings) -> str:
    """Return the name of the module of checks that pytest is to collect."""
    if settings.client or settings.listen:
        return "client"
    if settings.proxy:
        return "proxy"
    return "broker" if settings.endpoint else "codec"
