"""The begin of every connection of a client: ApiVersions (KIP-35, KIP-511)."""

from __future__ import annotations

import struct
from typing import ClassVar

from conformance import error_codes
from conformance.api_keys import API_VERSIONS
from conformance.reference.broker.releases import Ranges
from conformance.reference.client.frames import ClientFrames
from conformance.reference.client.steps import Address, Asking, Course, Failed, Lost, Open, Wait
from conformance.reference.client.versions import SPOKEN
from conformance.testee_protocol import Value


class Greeting(ClientFrames):
    """Connections whose served versions are known. `versions` are those that the client speaks.

    `attempts` is how often it tries again, with `backoff_s` between, longer each time.
    """

    software_version = "0.1"
    versions: ClassVar[Ranges] = SPOKEN
    attempts = 4
    backoff_s = 0.1

    def __init__(self) -> None:
        super().__init__()
        self.served: dict[int, tuple[int, int]] = {}

    def connect(self, address: Address | None) -> Course:
        """Open a connection and learn the versions served on it; try again if it is lost."""
        for attempt in range(self.attempts):
            if attempt:
                yield Wait(self.backoff(attempt))
            try:
                yield Open(address)
                yield from self.greet()
            except Lost as lost:
                why = str(lost)
            else:
                return
        raise Failed(f"no connection after {self.attempts} attempts: {why}")

    def backoff(self, attempt: int) -> float:
        """Return the seconds before the next attempt."""
        return float(self.backoff_s * 2 ** (attempt - 1))

    def greet(self) -> Course:
        """Ask for the versions, from the highest down until the broker knows the one asked."""
        version = self.versions[API_VERSIONS][1]
        while True:
            answer = yield from self.ask_versions(version)
            code = answer["errorCode"]
            if code == error_codes.UNSUPPORTED_VERSION:
                version = self.next_version(version, answer)
                continue
            if code != error_codes.NONE:
                raise Failed(f"ApiVersions v{version} is answered with error {code}")
            self.take_ranges(answer["apiKeys"])
            return

    def ask_versions(self, version: int) -> Asking:
        """Send one ApiVersions, and return its answer, in whatever version that is."""
        wanted = {"clientSoftwareName": self.name, "clientSoftwareVersion": self.software_version}
        frame = yield from self.exchange(API_VERSIONS, version, wanted)
        answer = self.read_versions(version, frame)
        yield from self.throttle(answer)
        return answer

    def read_versions(self, version: int, frame: bytes) -> Value:
        """Return the body of an answer to ApiVersions; with error 35 it is of version 0."""
        read_as = (
            0 if self.error_at_its_begin(frame) == error_codes.UNSUPPORTED_VERSION else version
        )
        return self.read(API_VERSIONS, read_as, frame)

    def error_at_its_begin(self, frame: bytes) -> int:
        """Return the error code, which is at the same place in all versions of this answer."""
        return int(struct.unpack_from(">h", frame, 4)[0]) if len(frame) >= 6 else 0

    def next_version(self, version: int, answer: Value) -> int:
        """Return the version to ask with after `version` was refused. Raises Failed."""
        hint = self.hint(answer)
        if hint is None:
            following = 0
        else:
            low, high = self.common(API_VERSIONS, hint)
            if low > high:
                raise Failed("no version of ApiVersions is known to both sides")
            following = high
        if following >= version:
            raise Failed(f"ApiVersions v{version} is refused, and v{following} is offered instead")
        return following

    def hint(self, answer: Value) -> tuple[int, int] | None:
        """Return the range of ApiVersions itself in a refusal, None without one."""
        for entry in answer["apiKeys"]:
            if entry["apiKey"] == API_VERSIONS:
                return entry["minVersion"], entry["maxVersion"]
        return None

    def take_ranges(self, entries: list[Value]) -> None:
        """Store the versions that this connection's broker serves, of APIs the client speaks."""
        self.served = {
            each["apiKey"]: (each["minVersion"], each["maxVersion"])
            for each in entries
            if self.is_usable(each)
        }

    def is_usable(self, entry: Value) -> bool:
        """True if the client speaks this API, and the range is valid."""
        return entry["apiKey"] in self.versions and 0 <= entry["minVersion"] <= entry["maxVersion"]

    def common(self, api_key: int, served: tuple[int, int]) -> tuple[int, int]:
        """Return the versions that both sides have; none if the low one is above the high one."""
        low, high = self.versions[api_key]
        return max(low, served[0]), min(high, served[1])

    def version_of(self, api_key: int) -> int:
        """Return the highest version that both sides have. Raises Failed."""
        if api_key not in self.served:
            raise Failed(f"the broker has no api key {api_key}")
        low, high = self.common(api_key, self.served[api_key])
        if low > high:
            raise Failed(f"no version of api key {api_key} is known to both sides")
        return high
