"""Clients that come to grief over telemetry."""

from __future__ import annotations

from conformance.api_keys import GET_TELEMETRY_SUBSCRIPTIONS
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course
from conformance.testee_protocol import Value
from conformance.wire.errors import NullNotAllowed


class TelemetryErrorsAreOurs(ClientMutant, breaks="client-telemetry.harmless"):
    """Fails where a broker wants no telemetry."""

    def push(self, answer: Value) -> Course:
        self.check(answer["errorCode"], "the telemetry")
        yield from super().push(answer)


class SomethingIsAlwaysWanted(ClientMutant, breaks="client-telemetry.harmless"):
    """Takes the first metric that a broker wants without a thought that there may be none."""

    def push(self, answer: Value) -> Course:
        answer["requestedMetrics"][0].encode()
        yield from super().push(answer)


class ListsOfMetricsAreThere(ClientMutant, breaks="client-telemetry.null-survived"):
    """Goes through the metrics that a broker wants without a thought that they may be null."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        if api_key == GET_TELEMETRY_SUBSCRIPTIONS:
            form = self.codec.form(self.message(api_key, "Response"), version)
            try:
                self.codec.read(form, frame, 5)
            except NullNotAllowed:
                raise TypeError("null has no elements") from None
        return super().read(api_key, version, frame)
