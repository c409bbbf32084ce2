"""The reference broker: keeps every rule that a broker of its release has to, and does no I/O.

It stores topics, configs, ACLs and quotas, batches, and where it is made so groups, what they
commit, producers and transactions. A session cuts the bytes of a connection into requests and asks
the broker; each request's handler is the method that is named after it. To misbehave, a broker or
session overrides one method.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from conformance.reference.broker.admin.acls import Acls
from conformance.reference.broker.admin.elections import Elections
from conformance.reference.broker.admin.log_dirs import LogDirs
from conformance.reference.broker.admin.quotas import Quotas
from conformance.reference.broker.admin.topics import Topics
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.connections.telemetry import Telemetry
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.groups.classic import ClassicGroups
from conformance.reference.broker.groups.coordinators import Coordinators
from conformance.reference.broker.groups.kept_transactions import KeptTransactions
from conformance.reference.broker.groups.share_groups import ShareGroups
from conformance.reference.broker.groups.sharing import SharingConsumers
from conformance.reference.broker.groups.told import ToldGroups
from conformance.reference.broker.missing_entities import Nothing
from conformance.reference.broker.node import Node
from conformance.reference.broker.records.isolation import Isolation
from conformance.reference.broker.records.producers import Producers
from conformance.reference.broker.releases import NAMES, PLAYED, stored_versions
from conformance.reference.codec import LenientCodec, PlainCodec, ReferenceCodec

_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
HANDLERS = {key: _WORD.sub("_", name).lower() for key, name in NAMES.items()}
"""The method that answers a request, by api key."""


class Broker(
    Topics,
    Producers,
    SharingConsumers,
    ShareGroups,
    Isolation,
    KeptTransactions,
    Acls,
    Elections,
    LogDirs,
    Coordinators,
    ToldGroups,
    ClassicGroups,
    Telemetry,
    Quotas,
    Nothing,
    Node,
):
    """A broker that serves `versions`, by default all of the newest stored release.

    `release` is the stored release whose definitions its messages are read by. All other settings
    are those of `Cluster`.
    """

    sessions: ClassVar[type[Session]] = Session

    def __init__(
        self,
        versions: Mapping[int, tuple[int, int]] | None = None,
        release: str = "",
        **settings: Any,
    ) -> None:
        super().__init__(versions=versions or stored_versions(release), **settings)
        self.reads: PlainCodec = LenientCodec(release)
        self.writes: PlainCodec = ReferenceCodec(release)

    def session(self) -> Session:
        """Return a new connection's session."""
        return self.sessions(self)

    def handle(self, request: Request) -> Value:
        """Return the body of the answer. Raises Hangup without a handler."""
        handler: Callable[[Request], Value] | None = getattr(self, HANDLERS[request.api_key], None)
        if handler is None:
            raise Hangup
        return handler(request)


def play(kafka: str, broker: type[Broker] = Broker, **settings: Any) -> Broker:
    """Return a broker that plays a release, by its name in `PLAYED`. Raises KeyError."""
    played = PLAYED[kafka]
    settings = {"features": played.features, **settings}
    return broker(played.ranges, played.definitions, **settings)
