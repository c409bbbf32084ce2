"""The reference client: keeps every rule that a client has to, and does no I/O.

What it does is a generator: it yields steps for whoever holds its connections, and is sent what
was heard. It meets a broker as Apache Kafka's clients do: ApiVersions first on every connection,
then Metadata, then what it was asked for, each in the highest version that both sides have. To
misbehave, a client overrides one method.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from conformance.dialogue import Hear, Heard, Send
from conformance.peers import errors
from conformance.peers.played import Ranges
from conformance.protocol import Value
from conformance.reference import PlainCodec, ReferenceCodec
from conformance.schema.filling import filled
from conformance.schema.releases import definitions
from conformance.wire.errors import DecodeError
from conformance.wire.frames import API_VERSIONS

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Open:
    """Leave the connection, if there is one, and open one to this address, None the first."""

    address: Address | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for so many seconds."""

    seconds: float


Step = Open | Wait | Send | Hear
Course = Generator[Step, Heard | None, None]
Asking = Generator[Step, Heard | None, Value]


class Failed(Exception):
    """The client could not do what it was asked for, and says why."""


class Lost(Exception):
    """A connection on which nothing more will come."""


class Client:
    """One client, to do one thing and leave. `bootstrap` is where it is told to begin.

    `versions` are those that it speaks of each API, `attempts` how often it tries what may be
    tried again, with `backoff_s` between, longer each time.
    """

    name = "kafka-conformance-client"
    software_version = "0.1"
    versions: ClassVar[Ranges] = {
        3: (0, 13),
        10: (0, 6),
        15: (0, 6),
        18: (0, 5),
        19: (2, 7),
    }
    attempts = 4
    backoff_s = 0.1
    patience_s = 3.0

    def __init__(self) -> None:
        self.codec: PlainCodec = ReferenceCodec()
        self.served: dict[int, tuple[int, int]] = {}
        self._numbers = count(1)

    def run(self, action: str) -> Course:
        """Do it. Raises Failed."""
        try:
            yield from self.connect(None)
            yield from self.actions()[action]()
        except Lost as lost:
            raise Failed(str(lost)) from None

    def actions(self) -> Mapping[str, Any]:
        """What it can be asked to do."""
        return {"topics": self.topics, "groups": self.groups, "create": self.create}

    # Greeting (KIP-35, KIP-511)

    def connect(self, address: Address | None) -> Course:
        """Open a connection and learn what is served on it; try again where it is lost."""
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
        """Seconds before the next attempt."""
        return float(self.backoff_s * 2 ** (attempt - 1))

    def greet(self) -> Course:
        """Ask for the versions, from the highest down until the broker knows the one asked."""
        version = self.versions[API_VERSIONS][1]
        while True:
            answer = yield from self.ask_versions(version)
            code = answer["errorCode"]
            if code == errors.UNSUPPORTED_VERSION:
                version = self.next_version(version, answer)
                continue
            if code != errors.NONE:
                raise Failed(f"ApiVersions v{version} is answered with error {code}")
            self.take_ranges(answer["apiKeys"])
            return

    def ask_versions(self, version: int) -> Asking:
        """One ApiVersions and its answer, whatever version that has."""
        wanted = {"clientSoftwareName": self.name, "clientSoftwareVersion": self.software_version}
        frame = yield from self.exchange(API_VERSIONS, version, wanted)
        return self.read_versions(version, frame)

    def read_versions(self, version: int, frame: bytes) -> Value:
        """The body of an answer to ApiVersions; with error 35 it is of version 0."""
        read_as = 0 if self.error_at_its_begin(frame) == errors.UNSUPPORTED_VERSION else version
        return self.read(API_VERSIONS, read_as, frame)

    def error_at_its_begin(self, frame: bytes) -> int:
        """The error code, which stands in one place in all versions of this answer."""
        return int(struct.unpack_from(">h", frame, 4)[0]) if len(frame) >= 6 else 0

    def next_version(self, version: int, answer: Value) -> int:
        """The version to ask with after `version` was refused. Raises Failed."""
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
        """The range of ApiVersions itself in a refusal, None where there is none."""
        for entry in answer["apiKeys"]:
            if entry["apiKey"] == API_VERSIONS:
                return entry["minVersion"], entry["maxVersion"]
        return None

    def take_ranges(self, entries: list[Value]) -> None:
        """Know from now on what this connection's broker serves, of what the client speaks."""
        self.served = {
            each["apiKey"]: (each["minVersion"], each["maxVersion"])
            for each in entries
            if self.is_usable(each)
        }

    def is_usable(self, entry: Value) -> bool:
        """Whether the client speaks this API, and the range is one."""
        return entry["apiKey"] in self.versions and 0 <= entry["minVersion"] <= entry["maxVersion"]

    def common(self, api_key: int, served: tuple[int, int]) -> tuple[int, int]:
        """The versions that both sides have; none where the low one is above the high one."""
        low, high = self.versions[api_key]
        return max(low, served[0]), min(high, served[1])

    def version_of(self, api_key: int) -> int:
        """The highest version that both sides have. Raises Failed."""
        if api_key not in self.served:
            raise Failed(f"the broker has no api key {api_key}")
        low, high = self.common(api_key, self.served[api_key])
        if low > high:
            raise Failed(f"no version of api key {api_key} is known to both sides")
        return high

    # What it can do

    def topics(self) -> Course:
        """List all topics."""
        yield from self.metadata()

    def metadata(self) -> Asking:
        """All topics of the cluster; version 0 has no other word for all than none."""
        version = self.version_of(3)
        every: list[Value] | None = None if version else []
        wanted = {"topics": every, "allowAutoTopicCreation": False}
        return (yield from self.ask(3, version, wanted))

    def groups(self) -> Course:
        """Describe two groups, each where it is looked after."""
        yield from self.metadata()
        for key, address in (yield from self.coordinators(["group-a", "group-b"])).items():
            yield from self.connect(address)
            version = self.version_of(15)
            answer = yield from self.ask(15, version, {"groups": [key]})
            for group in answer["groups"]:
                self.check(group["errorCode"], f"the group {key}")

    def coordinators(self, keys: list[str]) -> Generator[Step, Heard | None, dict[str, Address]]:
        """Who looks after each group: one request for all from version 4 on, else one for each."""
        version = self.version_of(10)
        if version < 4:
            found = []
            for key in keys:
                answer = yield from self.ask(10, version, {"key": key})
                found.append({**answer, "key": key})
        else:
            answer = yield from self.ask(10, version, {"coordinatorKeys": keys})
            found = answer["coordinators"]
        for each in found:
            self.check(each["errorCode"], f"the coordinator of {each['key']}")
        by_key = {each["key"]: (each["host"], each["port"]) for each in found}
        missing = [key for key in keys if key not in by_key]
        if missing:
            raise Failed(f"no coordinator is told of {', '.join(missing)}")
        return by_key

    def create(self) -> Course:
        """Create a topic."""
        version = self.version_of(19)
        topic = {"name": "made-by-a-client", "numPartitions": 1, "replicationFactor": 1}
        answer = yield from self.ask(19, version, {"topics": [topic], "timeoutMs": 5000})
        for each in answer["topics"]:
            self.check(each["errorCode"], f"the topic {each['name']}")

    def check(self, code: int, what: str) -> None:
        """Raise Failed for any error, known or not."""
        if code != errors.NONE:
            raise Failed(f"{what}: error {code}")

    # Frames

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        """One request and the body of its answer. Raises Lost and Failed."""
        frame = yield from self.exchange(api_key, version, wanted)
        return self.read(api_key, version, frame)

    def exchange(
        self, api_key: int, version: int, wanted: Mapping[str, Any]
    ) -> Generator[Step, Heard | None, bytes]:
        """One request, and the frame that answers it. Raises Lost."""
        number = next(self._numbers)
        yield Send(self.frame(api_key, version, number, wanted))
        heard = yield Hear(self.patience_s)
        assert heard is not None
        if heard.kind != "reply":
            raise Lost(f"{heard.kind} instead of an answer to api key {api_key}")
        self.check_number(number, heard.frame)
        return heard.frame

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """A request with its length."""
        form = self.codec.form(self.message(api_key, "Request"), version)
        header = {"correlationId": number, "clientId": self.name}
        full = {"requestApiKey": api_key, "requestApiVersion": version, **header}
        body = self.codec.write(form, filled(form.layout, wanted))
        data = self.codec.write(self.codec.header_form(form), full) + body
        return struct.pack(">i", len(data)) + data

    def check_number(self, number: int, frame: bytes) -> None:
        """Raise Lost where the answer is to something else."""
        if frame[:4] != struct.pack(">i", number):
            raise Lost("the answer has another correlation id")

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        """The body of an answer. Raises Lost where it is none."""
        form = self.codec.form(self.message(api_key, "Response"), version)
        try:
            _, offset = self.codec.read(self.codec.header_form(form), frame)
            value, _ = self.codec.read(form, frame, offset)
        except DecodeError as error:
            raise Lost(f"an answer that can't be read: {error}") from None
        return value

    def message(self, api_key: int, kind: str) -> str:
        """The name of a request or response."""
        return definitions().requests[api_key].removesuffix("Request") + kind
