"""The cause of a TLS failure, from the error and from probes: one line, and what to do about it.

A handshake ends in many ways that look alike from here. So if the error does not show the cause,
the port itself is probed, on a connection of its own: whether it speaks Kafka in plaintext.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress

from conformance.brokers.connection.address import Address
from conformance.brokers.connection.greeting import GREETING, answers_greeting
from conformance.brokers.connection.security import Security
from conformance.errors import UNREACHABLE
from conformance.targets.errors import TargetError, shorten

PROBE_S = 2.0
"""The most seconds for a probe of the protocol on a port, unless the run's patience is shorter."""
TRUST = "set ssl.truststore.location (PEM) or ssl.ca.location to the authority that signed it"
_NAMES = frozenset({62, 64})
_DATES = {9: "is not valid yet", 10: "has expired"}
_SELF_SIGNED = frozenset({18, 19})
_WANTS_CERTIFICATE = ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "HANDSHAKE_FAILURE")
"""The alerts by which OpenSSL and Java refuse a client that shows none."""


IS_IT_TLS = "is it a port of TLS, in version 1.2 or newer?"


class TlsFailed(TargetError):
    """A peer answers, and the connection can not be secured."""

    exit_code = UNREACHABLE


def in_words(error: OSError) -> str:
    """Return the text of a socket's error, without the place in Python's sources that TLS adds."""
    if isinstance(error, ssl.SSLError) and error.reason:
        return f"TLS: {error.reason.replace('_', ' ').lower()}"
    return shorten(error.strerror or str(error) or type(error).__name__)


def handshake_failed(
    address: Address, timeout_s: float, security: Security | None, error: Exception
) -> TlsFailed:
    """Return an error that says why there is no TLS connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _distrusted(address, error)
    if not isinstance(error, OSError):
        return TlsFailed(
            f"{address}: {address.host!r} is no name that TLS can check",
            "take the name that the broker's certificate has",
        )
    refused = certificate_refused(address, security, error)
    if refused:
        return refused
    if not _is_alert(error) and speaks_kafka(address, timeout_s):
        return TlsFailed(
            f"{address} speaks Kafka in plaintext, and TLS was asked for",
            "set security.protocol=PLAINTEXT or SASL_PLAINTEXT, or take the port of TLS",
        )
    if isinstance(error, TimeoutError):
        return TlsFailed(
            f"{address} does not finish the handshake of TLS in time",
            "is it a port of TLS, and is --timeout long enough?",
        )
    seen = in_words(error)
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError):
        seen = "it hangs up"
    return TlsFailed(
        f"{address} does not take up TLS: {seen}", IS_IT_TLS + asks_for_certificate(security)
    )


def certificate_refused(
    address: Address, security: Security | None, error: OSError | None
) -> TlsFailed | None:
    """Return the error of a broker that refuses our certificate; None for any other error.

    In TLS 1.3 it comes only after our end of the handshake, while we listen for an answer.
    """
    if error is None or not _is_alert(error) or security is None:
        return None
    reason = getattr(error, "reason", "")
    if security.subject is None and reason.endswith(_WANTS_CERTIFICATE):
        if reason.endswith("HANDSHAKE_FAILURE"):
            return TlsFailed(
                f"{address} refuses the handshake of TLS, and no certificate was shown to it",
                "if it demands one of clients, set ssl.keystore.location (PEM)"
                " or ssl.certificate.location and ssl.key.location",
            )
        return TlsFailed(
            f"{address} demands a certificate of its clients, and none was given",
            "set ssl.keystore.location (PEM) or ssl.certificate.location and ssl.key.location",
        )
    if security.subject is not None and ("CERT" in reason or reason.endswith("UNKNOWN_CA")):
        return TlsFailed(
            f"{address} refuses the client's certificate: {in_words(error)}",
            "is it signed by an authority that the broker trusts, and still valid?",
        )
    return None


def asks_for_certificate(security: Security | None) -> str:
    """Return a hint on certificates, if TLS is spoken and we showed none."""
    if security is None or security.tls is None or security.subject is not None:
        return ""
    return " Does it demand a certificate of its clients?"


def speaks_kafka(address: Address, timeout_s: float) -> bool:
    """True if a broker answers on a fresh connection in plaintext."""
    received = b""
    with suppress(OSError), _probing(address, timeout_s) as line:
        line.sendall(GREETING)
        while len(received) < 8 and (chunk := line.recv(64)):
            received += chunk
    return answers_greeting(received[4:])


def speaks_tls(address: Address, timeout_s: float) -> bool:
    """True if a fresh connection takes up TLS, trusted or not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with _probing(address, timeout_s) as line, context.wrap_socket(line):
            return True
    except OSError as error:
        return _is_alert(error)


def _probing(address: Address, timeout_s: float) -> socket.socket:
    limit = min(timeout_s, PROBE_S)
    line = socket.create_connection((address.host, address.port), limit)
    line.settimeout(limit)
    return line


def _is_alert(error: OSError) -> bool:
    """True if the peer refused with a TLS alert."""
    return isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or "")


def _distrusted(address: Address, error: ssl.SSLCertVerificationError) -> TlsFailed:
    code = error.verify_code
    if code in _NAMES:
        return TlsFailed(
            f"the certificate of {address} is for another host",
            "take a name that it has, or set ssl.endpoint.identification.algorithm= (empty)",
        )
    if code in _DATES:
        return TlsFailed(f"the certificate of {address} {_DATES[code]}", "renew it")
    if code in _SELF_SIGNED:
        return TlsFailed(
            f"the certificate of {address} is self-signed, or its authority is not known here",
            TRUST,
        )
    return TlsFailed(
        f"the certificate of {address} is not trusted: {shorten(error.verify_message)}", TRUST
    )
