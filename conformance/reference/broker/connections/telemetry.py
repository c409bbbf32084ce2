"""GetTelemetrySubscriptions and PushTelemetry (KIP-714): the metrics that a broker wants.

By default it asks for none: a client is given an id, and an interval of five minutes.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import Cluster, Request, Value
from conformance.schema.layout import ZERO_UUID

PUSH_INTERVAL_MS = 300_000
MAX_BYTES = 1024 * 1024


class Telemetry(Cluster):
    """The handlers of the two requests."""

    def get_telemetry_subscriptions(self, request: Request) -> Value:
        """Return the metrics that a client has to send, and the interval."""
        given = request.value["clientInstanceId"]
        return {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "clientInstanceId": self.new_topic_id() if given == ZERO_UUID else given,
            "subscriptionId": 1,
            "acceptedCompressionTypes": [],
            "pushIntervalMs": PUSH_INTERVAL_MS,
            "telemetryMaxBytes": MAX_BYTES,
            "deltaTemporality": True,
            "requestedMetrics": [],
        }

    def push_telemetry(self, request: Request) -> Value:
        """Accept the metrics, and drop them."""
        del request
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE}
