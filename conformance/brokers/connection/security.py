"""The security of connections to a broker: TLS, the principal's login and mechanism, and unsigned
bearer tokens for OAUTHBEARER (KIP-255; RFC 7515, appendix A.5).

Security is given in the words of existing clients: the properties that Apache Kafka's own tools
take (`--command-config`), and those of librdkafka. Other properties in a file are skipped; a
security property that is not supported here is refused, with a hint on what to do instead.

Kafka's login module makes an unsigned token of the claims that it gets as options. Such a token
proves nothing, and is meant for development. Ours lives for a day, so that no run outlives it.
"""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from conformance.brokers.connection.security_properties import BadSecurity, Properties, text_of

_CLAIM = "unsecuredLogin"
LIFETIME_S = 24 * 3600


def unsecured_token(options: Mapping[str, str]) -> str:
    """The token that these options of the login module describe, empty where they don't.

    Raises BadSecurity.
    """
    claims: dict[str, object] = {}
    for name, value in options.items():
        kind, _, claim = name.removeprefix(_CLAIM).partition("_")
        if not name.startswith(_CLAIM) or not claim:
            continue
        try:
            match kind:
                case "StringClaim":
                    claims[claim] = value
                case "NumberClaim":
                    claims[claim] = float(value)
                case "ListClaim":
                    claims[claim] = value[1:].split(value[0]) if value else []
        except ValueError:
            raise BadSecurity(f"{name} is no number", "write one as in 3600") from None
    if not claims:
        return ""
    now = time.time()
    claims |= {"iat": now, "exp": now + LIFETIME_S}
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def subject_of(token: str) -> str:
    """Return the subject of a token, if it can be read without its issuer; else empty."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        subject = claims["sub"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return subject if isinstance(subject, str) else ""


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
OAUTHBEARER = "OAUTHBEARER"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", OAUTHBEARER)
HIDDEN = "it repeats the secret, which is not shown"
_PEM = "-----BEGIN "
_NAME_CHECK = "ssl.endpoint.identification.algorithm"


@dataclass(frozen=True, slots=True)
class Security:
    """The connection settings of one principal. `tls` None is plaintext, no `mechanism` is no
    login.

    `password` is that of a user, or the token of OAUTHBEARER. `subject` is that of the certificate
    that `tls` shows, None if it has none. `note` names the properties that were skipped.
    """

    tls: ssl.SSLContext | None = field(default=None, repr=False)
    subject: str | None = None
    mechanism: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    note: str = field(default="", compare=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the security settings in a client's properties file. Raises BadSecurity."""
        properties = Properties.read(path)
        properties.check_names()
        protocol = (properties.get("security.protocol") or "PLAINTEXT").upper()
        if protocol not in PROTOCOLS:
            raise BadSecurity(
                f"security.protocol in {path} is none that there is",
                f"there are {', '.join(PROTOCOLS)}",
            )
        mechanism, username, password = "", "", ""
        if protocol.startswith("SASL_"):
            mechanism = _mechanism(properties)
            username, password = _credentials(properties, mechanism)
        tls, subject = _tls(properties) if protocol.endswith("SSL") else (None, None)
        passed_over = properties.meaningless()
        note = f"of no meaning here, in {path}: {', '.join(passed_over)}" if passed_over else ""
        return cls(tls, subject, mechanism, username, password, note)

    @property
    def principal(self) -> str:
        """Return the principal, as Kafka's ACLs name it; empty if only the broker knows it.

        Kafka takes the whole subject of a certificate, unless it has rules for names.
        """
        name = self.username if self.mechanism else self.subject
        return f"User:{name}" if name else ""

    def hide(self, text: str) -> str:
        """Return a text of the broker, or HIDDEN if it repeats the secret."""
        return HIDDEN if self.password and self.password in text else text


def listener(path: Path) -> ssl.SSLContext:
    """Return the TLS context of a played broker, from a broker's properties. Raises BadSecurity."""
    properties = Properties.read(path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if _load_certificate(context, properties) is None:
        raise BadSecurity(
            f"{path} names no certificate to show",
            "set ssl.keystore.location to a file in PEM with key and certificate",
        )
    if properties.get("ssl.client.auth") == "required":
        context.load_verify_locations(cadata=_authorities(properties))
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _mechanism(properties: Properties) -> str:
    found = properties.get("sasl.mechanism", "sasl.mechanisms")
    if found in MECHANISMS:
        return found
    what = f"sasl.mechanism {found} is not supported" if found else "sasl.mechanism is not set"
    raise BadSecurity(f"{what} in {properties.path}", f"set one of {', '.join(MECHANISMS)}")


def _credentials(properties: Properties, mechanism: str) -> tuple[str, str]:
    """Return user and password, or the subject of a token and the token. Raises BadSecurity."""
    options = properties.jaas_options()
    if mechanism == OAUTHBEARER:
        token = properties.get("sasl.oauthbearer.token") or unsecured_token(options)
        if not token:
            raise BadSecurity(
                f"{OAUTHBEARER} has no token in {properties.path}",
                "fetch one, and name it as sasl.oauthbearer.token=${file:PATH}",
            )
        if not token.isascii() or not token.isprintable() or " " in token:
            raise BadSecurity("sasl.oauthbearer.token is no token", "is it the right file?")
        return subject_of(token), token
    username = properties.get("sasl.username") or options.get("username", "")
    password = properties.get("sasl.password") or options.get("password", "")
    if not username or not password:
        missing = "user" if not username else "password"
        raise BadSecurity(
            f"{mechanism} has no {missing} in {properties.path}",
            "set sasl.jaas.config, or sasl.username and sasl.password",
        )
    if "\0" in username + password:
        raise BadSecurity("a user or a password has no zero byte", "is it the right file?")
    return username, password


def _tls(properties: Properties) -> tuple[ssl.SSLContext, str | None]:
    """The context of a client, and the subject of its certificate. Raises BadSecurity."""
    context = _trusting(_authorities(properties), properties.path)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # brokers' own authorities rarely are so strict
    if properties.has(_NAME_CHECK) and properties.get(_NAME_CHECK).lower() in ("", "none"):
        context.check_hostname = False
    if properties.get("enable.ssl.certificate.verification").lower() == "false":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context, _load_certificate(context, properties)


def _trusting(authorities: str, path: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=authorities or None)
    except (ssl.SSLError, ValueError):
        raise BadSecurity(
            f"the certificates to trust that {path} names can not be read",
            "they have to be certificates in PEM",
        ) from None


def _authorities(properties: Properties) -> str:
    """The certificates to trust, empty for those of the system. Raises BadSecurity."""
    written_out = properties.get("ssl.truststore.certificates", "ssl.ca.pem")
    if written_out:
        return written_out
    location = properties.get("ssl.truststore.location")
    if location:
        return _pem(properties, "ssl.truststore", location)
    location = properties.get("ssl.ca.location")
    if not location or location == "probe":
        return ""
    return text_of(Path(location), f"{location}, which ssl.ca.location names,")


def _pem(properties: Properties, store: str, location: str) -> str:
    """Return the content of a Java store, if it is in PEM. Raises BadSecurity."""
    kind = properties.get(f"{store}.type").upper()
    if kind not in ("", "PEM"):
        raise _no_pem(f"{store}.type {kind}", store)
    text = _text_or_nothing(location, f"{location}, which {store}.location names,")
    if _PEM not in text:
        raise _no_pem(f"{store}.location {location}, which is not in PEM,", store)
    return text


def _text_or_nothing(location: str, what: str) -> str:
    """The text of a file, nothing where it is there and no text."""
    try:
        return text_of(Path(location), what)
    except BadSecurity:
        if Path(location).is_file():
            return ""
        raise


def _no_pem(what: str, store: str) -> BadSecurity:
    return BadSecurity(
        f"{what} is not supported",
        f"export it by `openssl pkcs12 -nodes -in STORE -out FILE.pem`, after keytool made"
        f" PKCS12 of a JKS, and set {store}.type=PEM",
    )


def _load_certificate(context: ssl.SSLContext, properties: Properties) -> str | None:
    """Load the client's certificate, and return its subject. Raises BadSecurity."""
    from cryptography.x509 import load_pem_x509_certificate

    password = properties.get("ssl.key.password", "ssl.keystore.password")
    with tempfile.TemporaryDirectory(prefix="kafka-conformance-") as folder:
        certificate, key = _certificate(properties, Path(folder))
        if not certificate:
            return None
        try:
            context.load_cert_chain(certificate, key or None, password=lambda: password)
            shown = load_pem_x509_certificate(Path(certificate).read_bytes())
        except (OSError, ValueError) as error:
            why = "no such file" if isinstance(error, FileNotFoundError) else "it can not be read"
            raise BadSecurity(
                f"the client's certificate or key that {properties.path} names: {why}",
                "are both in PEM, do they belong together, and is ssl.key.password right?",
            ) from None
    return shown.subject.rfc4514_string()


def _certificate(properties: Properties, folder: Path) -> tuple[str, str]:
    """Return the files of certificate and key; inline values are written into the folder."""
    store = properties.get("ssl.keystore.location")
    if store:
        _pem(properties, "ssl.keystore", store)
        return store, ""
    certificate = properties.get("ssl.certificate.location")
    key = properties.get("ssl.key.location")
    chain = properties.get("ssl.keystore.certificate.chain", "ssl.certificate.pem")
    if not certificate and chain:
        both = folder / "client.pem"  # the folder is ours alone
        both.write_text(f"{chain}\n{properties.get('ssl.keystore.key', 'ssl.key.pem')}\n", "utf-8")
        return str(both), ""
    return certificate, key
