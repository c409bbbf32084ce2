"""The contents of Apache Kafka's configuration files, for the started brokers and their clients.

An open cluster has one listener, PLAINTEXT. A secured one has SASL_SSL, SASL_PLAINTEXT and SSL,
which asks for the client's certificate, and takes its common name for that of the principal. Its
brokers talk to each other as `admin`, by PLAIN, and its authorizer refuses all that no ACL allows:
`admin` is a super user, `other` a principal without rights.

Sources: the broker and client configurations of Kafka's documentation; KIP-12, KIP-43, KIP-84,
KIP-255 (unsecured tokens), KIP-651 (PEM), KIP-801 (StandardAuthorizer).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from conformance.brokers.connection.certificates import Certificates

HOST: Final = "127.0.0.1"
CONTROLLER: Final = "CONTROLLER"
PLAINTEXT: Final = "PLAINTEXT"
SASL_PLAINTEXT: Final = "SASL_PLAINTEXT"
SASL_SSL: Final = "SASL_SSL"
SSL: Final = "SSL"
OPEN_LISTENERS: Final = (PLAINTEXT,)
SECURED_LISTENERS: Final = (SASL_SSL, SASL_PLAINTEXT, SSL)
"""The listeners for clients; each is named after its security protocol, the one to judge first."""

PLAIN: Final = "PLAIN"
SCRAM: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
OAUTHBEARER: Final = "OAUTHBEARER"
MECHANISMS: Final = (PLAIN, *SCRAM, OAUTHBEARER)
ADMIN: Final = "admin"
OTHER: Final = "other"
USERS: Final = (ADMIN, OTHER)

Ports = Mapping[int, Mapping[str, int]]
"""The port of each listener, by the id of the node; only a controller's has CONTROLLER."""

_MODULES: Final = {
    PLAIN: "plain.PlainLoginModule",
    OAUTHBEARER: "oauthbearer.OAuthBearerLoginModule",
} | dict.fromkeys(SCRAM, "scram.ScramLoginModule")


@dataclass(frozen=True)
class Secrets:
    """The certificates and passwords by which a secured cluster and its clients know each other."""

    certificates: Certificates
    passwords: Mapping[str, str] = field(
        default_factory=lambda: {user: secrets.token_hex(16) for user in USERS}, repr=False
    )

    def scram_credentials(self) -> list[str]:
        """Return arguments for Kafka's StorageTool that add the users for SCRAM."""
        return [
            argument
            for mechanism in SCRAM
            for user, password in self.passwords.items()
            for argument in ("--add-scram", f"{mechanism}=[name={user},password={password}]")
        ]


def server_properties(node: int, ports: Ports, data: Path, known: Secrets | None) -> str:
    """The configuration of one node, which keeps its log in `data`; open where none are `known`."""
    listeners = ports[node]
    clients = [name for name in listeners if name != CONTROLLER]
    voters = [f"{each}@{HOST}:{of[CONTROLLER]}" for each, of in ports.items() if CONTROLLER in of]
    properties = {
        "process.roles": "broker,controller" if CONTROLLER in listeners else "broker",
        "node.id": node,
        "listeners": ",".join(f"{name}://{HOST}:{port}" for name, port in listeners.items()),
        "advertised.listeners": ",".join(f"{name}://{HOST}:{listeners[name]}" for name in clients),
        "controller.listener.names": CONTROLLER,
        "controller.quorum.voters": ",".join(voters),
        "log.dirs": data,
        "group.initial.rebalance.delay.ms": 0,  # as in the file that Kafka is shipped with
        **_replication(len(ports)),
        **({"inter.broker.listener.name": PLAINTEXT} if known is None else _security(known)),
    }
    return _text(properties)


def sasl_properties(listener: str, mechanism: str, user: str, known: Secrets) -> str:
    """Return the properties of a client that logs in with a password, or with an unsigned token."""
    if mechanism == OAUTHBEARER:
        options = f'unsecuredLoginStringClaim_sub="{user}"'
    else:
        options = f'username="{user}" password="{known.passwords[user]}"'
    trust = _trust(known) if listener == SASL_SSL else {}
    return _text(
        {
            "security.protocol": listener,
            "sasl.mechanism": mechanism,
            "sasl.jaas.config": _login(mechanism, options),
            **trust,
        }
    )


def certificate_properties(user: str, known: Secrets) -> str:
    """A client of the listener SSL, whose certificate says who it is."""
    return _text(
        {
            "security.protocol": SSL,
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": known.certificates.clients[user],
            **_trust(known),
        }
    )


def _replication(brokers: int) -> dict[str, object]:
    """Return properties that keep topics on every broker, up to three, and allow for losing one."""
    copies = min(brokers, 3)
    kept = max(1, copies - 1)
    return {
        "default.replication.factor": copies,
        "min.insync.replicas": kept,
        "offsets.topic.num.partitions": 1,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": kept,
        "share.coordinator.state.topic.num.partitions": 1,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": kept,
    }


def _security(known: Secrets) -> dict[str, object]:
    protocols = [f"{name}:{name}" for name in SECURED_LISTENERS]
    return {
        "listener.security.protocol.map": ",".join([f"{CONTROLLER}:{SASL_PLAINTEXT}", *protocols]),
        "inter.broker.listener.name": SASL_PLAINTEXT,
        "sasl.mechanism.inter.broker.protocol": PLAIN,
        "sasl.mechanism.controller.protocol": PLAIN,
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        **_logins(CONTROLLER, [PLAIN], known),
        **_logins(SASL_PLAINTEXT, MECHANISMS, known),
        **_logins(SASL_SSL, MECHANISMS, known),
        "listener.name.controller.sasl.enabled.mechanisms": PLAIN,
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": known.certificates.broker,
        **_trust(known),
        "ssl.principal.mapping.rules": "RULE:^.*CN=([^,]+).*$/$1/,DEFAULT",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": f"User:{ADMIN}",
    }


def _logins(listener: str, mechanisms: Sequence[str], known: Secrets) -> dict[str, object]:
    """Return a listener's logins: PLAIN has them here, SCRAM finds them in the cluster's log."""
    users = "".join(f' user_{user}="{password}"' for user, password in known.passwords.items())
    options = {PLAIN: f'username="{ADMIN}" password="{known.passwords[ADMIN]}"{users}'}
    return {
        f"listener.name.{listener.lower()}.{mechanism.lower()}.sasl.jaas.config": _login(
            mechanism, options.get(mechanism, "")
        )
        for mechanism in mechanisms
    }


def _login(mechanism: str, options: str) -> str:
    return f"org.apache.kafka.common.security.{_MODULES[mechanism]} required {options};"


def _trust(known: Secrets) -> dict[str, object]:
    return {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": known.certificates.authority,
    }


def _text(properties: Mapping[str, object]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())
