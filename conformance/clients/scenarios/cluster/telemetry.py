"""Telemetry (KIP-714): what a client asks by itself, and must not come to grief over."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.clients.scenarios.actions import PLAYED, TELEMETRY
from conformance.clients.scenarios.answers.error_codes import UNKNOWN
from conformance.clients.scenarios.judging import all_of, bears
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import succeeds, survives
from conformance.reference.broker.cluster import Batch, Request, Value
from conformance.reference.broker.releases import FOR_CLIENTS, stored_versions
from conformance.schema.layout import Form

SUBSCRIPTIONS = "GetTelemetrySubscriptions"
AT_ONCE_MS = 100
_WITH_TELEMETRY = {
    **PLAYED,
    **stored_versions(names={key: FOR_CLIENTS[key] for key in TELEMETRY}),
}


class _Asks(Rewrites, about="GetTelemetrySubscriptionsRequest", action="produce"):
    """Serves telemetry."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = _WITH_TELEMETRY


_HARMLESS = {"client-telemetry.harmless": succeeds}


class NothingSubscribed(_Asks):
    """Answers a client that offers telemetry with lists that are empty."""

    decides: ClassVar = _HARMLESS


class _Wants(_Asks, is_known=False, action="consume"):
    """Wants some metrics, ten times a second, and has a record once they were pushed.

    So a client that pushes does so before its program ends. For one that does not, the record comes
    after some Fetches.
    """

    decides: ClassVar = _HARMLESS

    wanted: ClassVar[list[str]]
    waits = 15

    def get_telemetry_subscriptions(self, request: Request) -> Value:
        answer = super().get_telemetry_subscriptions(request)
        return {**answer, "pushIntervalMs": AT_ONCE_MS, "requestedMetrics": self.wanted}

    def push_telemetry(self, request: Request) -> Value:
        self.waits = 0
        return super().push_telemetry(request)

    def records(self) -> list[Batch]:
        return [] if self.waits else super().records()

    def fetch(self, request: Request) -> Value:
        body = super().fetch(request)
        self.waits = max(0, self.waits - 1)
        return body

    def fetch_delay_s(self, request: Request, body: Value) -> float:
        """Return a short delay: requests after a Fetch are read once it is answered."""
        return min(super().fetch_delay_s(request, body), AT_ONCE_MS / 1000)


class EverythingSubscribed(_Wants):
    """Wants all metrics of a client that offers telemetry, ten times a second."""

    wanted: ClassVar = [""]  # the prefix of all


class OthersSubscribed(_Wants):
    """Wants metrics of a consumer that only a producer has."""

    wanted: ClassVar = ["org.apache.kafka.producer."]


class NobodysSubscribed(_Wants):
    """Wants metrics that no client has."""

    wanted: ClassVar = ["a.metric.of.nobody", "another"]


class SubscriptionRefused(_Asks):
    """Answers a client that offers telemetry with an error code that nobody knows."""

    decides: ClassVar = _HARMLESS

    def get_telemetry_subscriptions(self, request: Request) -> Value:
        return {**super().get_telemetry_subscriptions(request), "errorCode": UNKNOWN}


class SubscriptionOfNull(_Asks):
    """Answers a client that offers telemetry with null in place of both lists."""

    decides: ClassVar = {"client-telemetry.null-survived": all_of(survives, bears)}

    def frame(self, form: Form, frame: bytes) -> bytes:
        """Each list is one byte where it is empty, which is 1, and 0 where it is null."""
        before, between = 4 + 1 + 4 + 2 + 16 + 4, 4 + 4 + 1
        first, second = before, before + 1 + between
        return frame[:first] + b"\0" + frame[first + 1 : second] + b"\0" + frame[second + 1 :]
