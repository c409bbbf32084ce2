"""Which gate is for which kind of target."""

from __future__ import annotations

from conformance.gate.kinds.codec import Gate, Settings
from conformance.testee_protocol import Target


def gate_of(settings: Settings, target: Target | None = None, part: str = "main") -> Gate:
    """The gate for what these settings name. Those of other kinds are not loaded."""
    if settings.client or settings.listen:
        from conformance.gate.kinds.client import ClientGate

        return ClientGate(settings, target, part)
    if settings.proxy:
        from conformance.gate.kinds.proxy import ProxyGate

        return ProxyGate(settings, target, part)
    if settings.endpoint:
        from conformance.gate.kinds.broker import BrokerGate

        return BrokerGate(settings, target, part)
    return Gate(settings, target, part)


def module_of(settings: Settings) -> str:
    """The module of checks that pytest is to collect."""
    if settings.client or settings.listen:
        return "client"
    if settings.proxy:
        return "proxy"
    return "broker" if settings.endpoint else "codec"
