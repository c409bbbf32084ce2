"""Other protocols that may come on a broker's port, recognised by their first bytes."""

from __future__ import annotations

NONE = "not Kafka's"
"""The name of a protocol that is not recognised."""
_VERBS = (b"GET ", b"POST", b"PUT ", b"HEAD", b"HTTP", b"OPTI", b"DELE", b"PATC", b"CONN", b"PRI ")


def named(head: bytes) -> str:
    """Return the name of the protocol that a stream begins with, if it is recognised."""
    if head[:2] == b"\x16\x03":
        return "TLS"
    if head[:4] in _VERBS:
        return "HTTP"
    if head[:4] == b"SSH-":
        return "SSH"
    if head[:5] == b"PROXY" or head[:4] == b"\x0d\x0a\x0d\x0a":
        return "the PROXY protocol"
    return NONE
