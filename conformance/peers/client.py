"""The reference client: keeps every rule that a client has to, and does no I/O.

What it does is a generator: it yields steps for whoever holds its connections, and is sent what
was heard. It meets a broker as Apache Kafka's clients do: ApiVersions first on every connection,
then Metadata, then what it was asked for, each in the highest version that both sides have. To
misbehave, a client overrides one method.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, ClassVar

from conformance.dialogue import Hear, Heard, Send
from conformance.peers import errors
from conformance.peers.played import Ranges
from conformance.protocol import Value
from conformance.reference import PlainCodec, ReferenceCodec
from conformance.schema.filling import filled
from conformance.schema.layout import ZERO_UUID
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.schema.releases import definitions
from conformance.wire.errors import DecodeError
from conformance.wire.frames import API_VERSIONS

PRODUCE, FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR = 0, 1, 2, 3, 10
DESCRIBE_GROUPS, CREATE_TOPICS, INIT_PRODUCER_ID, SUBSCRIPTIONS, PUSH = 15, 19, 22, 71, 72
TOPIC = "events"
BATCHES_SINCE = 4
LAST_BY_NAME = 12
"""The last version of Produce and of Fetch that has names of topics; later ones have ids."""
PASSING = frozenset({5, 6, 14, 15, 16})
"""No leader yet, another leader, and a coordinator that is not ready, not there or elsewhere."""
CONTROL = 0x20
BATCH_HEAD = 12
MAGIC_AT = 16
"""Where a batch, and a message before there were batches, says what it is."""
MESSAGE_HEAD = struct.Struct(">qiIbb")
TIMESTAMP_BYTES = 8
COMPRESSION = 0x07
LEAST = 26
"""The bytes of a message of magic 0 that has neither key nor value; no batch is smaller."""
FETCH_WAIT_S = 0.4
SIZE_BYTES = 4
MOST_BYTES = 64 * 1024 * 1024

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Open:
    """Leave the connection, if there is one, and open one to this address, None the first."""

    address: Address | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Keep so many MiB of memory from now on, in place of what was kept before."""

    mib: int


Step = Open | Wait | Hold | Send | Hear
Course = Generator[Step, Heard | None, None]
Asking = Generator[Step, Heard | None, Value]
Trying = Generator[Step, Heard | None, int]


class Failed(Exception):
    """The client could not do what it was asked for, and says why."""


class Lost(Exception):
    """A connection on which nothing more will come."""


class Client:
    """One client, to do one thing and leave. `bootstrap` is where it is told to begin.

    `versions` are those that it speaks of each API, `attempts` how often it tries what may be
    tried again, with `backoff_s` between, longer each time, and `again` how often it begins anew
    where a connection is lost in the midst of it. `reading_s` is how long it waits for a record.
    """

    name = "kafka-conformance-client"
    software_version = "0.1"
    versions: ClassVar[Ranges] = {
        0: (3, 13),
        1: (0, 18),
        2: (1, 10),
        3: (0, 13),
        10: (0, 6),
        15: (0, 6),
        18: (0, 5),
        19: (2, 7),
        22: (0, 5),
        71: (0, 0),
        72: (0, 0),
    }
    attempts = 4
    again = 2
    backoff_s = 0.1
    patience_s = 3.0
    reading_s = 8.0

    def __init__(self) -> None:
        self.codec: PlainCodec = ReferenceCodec()
        self.served: dict[int, tuple[int, int]] = {}
        self.unread = bytearray()
        self._numbers = count(1)

    def run(self, action: str) -> Course:
        """Do it. Raises Failed."""
        for attempt in range(1, self.again + 1):
            try:
                yield from self.connect(None)
                yield from self.actions()[action]()
            except Lost as lost:
                why = str(lost)
                yield Wait(self.backoff(attempt))
            else:
                return
        raise Failed(why)

    def actions(self) -> Mapping[str, Any]:
        """What it can be asked to do."""
        return {
            "topics": self.topics,
            "groups": self.groups,
            "create": self.create,
            "produce": self.produce,
            "consume": self.consume,
        }

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
        answer = yield from self.metadata()
        self.check(answer.get("errorCode", errors.NONE), "the cluster")

    def metadata(self) -> Asking:
        """All topics of the cluster; version 0 has no other word for all than none."""
        version = self.version_of(METADATA)
        every: list[Value] | None = None if version else []
        wanted = {"topics": every, "allowAutoTopicCreation": False}
        answer = yield from self.ask(METADATA, version, wanted)
        if not answer["brokers"]:
            raise Failed("the cluster has no brokers")
        return answer

    def groups(self) -> Course:
        """Describe two groups, each where it is looked after."""
        yield from self.metadata()
        for key in ("group-a", "group-b"):
            yield from self.trying(partial(self.describe, key), f"the group {key}")

    def describe(self, key: str) -> Generator[Step, Heard | None, int]:
        """Describe one group where it is looked after now; the error code of the group."""
        found = yield from self.coordinators(["group-a", "group-b"])
        coordinator = found[key]
        if coordinator["errorCode"]:
            return int(coordinator["errorCode"])
        yield from self.connect((coordinator["host"], coordinator["port"]))
        version = self.version_of(DESCRIBE_GROUPS)
        answer = yield from self.ask(DESCRIBE_GROUPS, version, {"groups": [key]})
        code = next((each["errorCode"] for each in answer["groups"] if each["groupId"] == key), -1)
        return errors.NONE if code == errors.GROUP_ID_NOT_FOUND else int(code)

    def trying(self, once: Callable[[], Trying], what: str) -> Course:
        """Do it until it has no error that passes. Raises Failed."""
        code = errors.NONE
        for attempt in range(1, self.attempts + 1):
            code = yield from once()
            if code not in self.passing():
                break
            yield Wait(self.backoff(attempt))
            yield from self.connect(None)
        self.check(code, what)

    def passing(self) -> frozenset[int]:
        """The errors that another attempt may not meet any more."""
        return PASSING

    def coordinators(self, keys: list[str]) -> Generator[Step, Heard | None, dict[str, Value]]:
        """Who looks after each group: one request for all from version 4 on, else one for each."""
        version = self.version_of(FIND_COORDINATOR)
        if version < BATCHES_SINCE:
            wanted = [{"key": key} for key in keys]
            answers = yield from self.ask_all(FIND_COORDINATOR, version, wanted)
            found = [{**each, "key": key} for key, each in zip(keys, answers, strict=True)]
        else:
            answer = yield from self.ask(FIND_COORDINATOR, version, {"coordinatorKeys": keys})
            found = answer["coordinators"]
        by_key = {each["key"]: each for each in found}
        missing = [key for key in keys if key not in by_key]
        if missing:
            raise Failed(f"no coordinator is told of {', '.join(missing)}")
        return by_key

    def create(self) -> Course:
        """Create a topic."""
        version = self.version_of(CREATE_TOPICS)
        topic = {"name": "made-by-a-client", "numPartitions": 1, "replicationFactor": 1}
        answer = yield from self.ask(CREATE_TOPICS, version, {"topics": [topic], "timeoutMs": 5000})
        for each in answer["topics"]:
            self.check(each["errorCode"], f"the topic {each['name']}")

    def produce(self) -> Course:
        """Write one record."""
        yield from self.report()
        yield from self.trying(self.write, f"the topic {TOPIC}")

    def write(self) -> Generator[Step, Heard | None, int]:
        """Write to whoever leads now; the error code of the partition."""
        topic_id = yield from self.reach_leader()
        producer = yield from self.producer()
        if producer["errorCode"]:
            return int(producer["errorCode"])
        version = self.version_with(PRODUCE, topic_id)
        records = base64.b64encode(self.batch(producer)).decode()
        data = {"index": 0, "records": records}
        topic = {"name": TOPIC, "topicId": topic_id, "partitionData": [data]}
        wanted = {"acks": -1, "timeoutMs": 3000, "topicData": [topic]}
        answer = yield from self.ask(PRODUCE, version, wanted)
        codes = [
            each["errorCode"] for item in answer["responses"] for each in item["partitionResponses"]
        ]
        return codes[0] if codes else -1

    def producer(self) -> Asking:
        """Our id as a producer, where brokers give some: none is as good, but for duplicates."""
        if INIT_PRODUCER_ID not in self.served:
            return {"errorCode": errors.NONE, "producerId": -1, "producerEpoch": -1}
        version = self.version_of(INIT_PRODUCER_ID)
        wanted = {"transactionalId": None, "transactionTimeoutMs": 60_000}
        return (yield from self.ask(INIT_PRODUCER_ID, version, wanted))

    def batch(self, producer: Value) -> bytes:
        """The record, in a batch of its own."""
        return self.codec.write(self.codec.form(RECORD_BATCH, MAGIC), self.batch_value(producer))

    def batch_value(self, producer: Value) -> Value:
        """The same as a value."""
        value = self.codec.form(RECORD_BATCH, MAGIC).layout.default_value()
        record = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "headers": []}
        value["records"] = [{**record, "key": "aw==", "value": "dg=="}]
        if producer["producerId"] >= 0:
            value |= {key: producer[key] for key in ("producerId", "producerEpoch")}
            value["baseSequence"] = 0
        return value

    def consume(self) -> Course:
        """Read one record, from the begin of the topic."""
        yield from self.report()
        yield from self.trying(self.read_topic, f"the topic {TOPIC}")

    def read_topic(self) -> Generator[Step, Heard | None, int]:
        """Read from whoever leads now until a record comes; the error code of the partition."""
        topic_id = yield from self.reach_leader()
        partition = {"partitionIndex": 0, "timestamp": -2}
        wanted = {"replicaId": -1, "topics": [{"name": TOPIC, "partitions": [partition]}]}
        answer = yield from self.ask(LIST_OFFSETS, self.version_of(LIST_OFFSETS), wanted)
        begin = answer["topics"][0]["partitions"][0]
        offset, waited_s = begin["offset"], 0.0
        if begin["errorCode"]:
            return int(begin["errorCode"])
        while waited_s < self.reading_s:
            found = yield from self.fetch(topic_id, offset)
            if found["errorCode"]:
                return int(found["errorCode"])
            records, following = self.records_in(found["records"], offset)
            if records:
                return errors.NONE
            if following == offset:
                yield Wait(self.backoff_s)
                waited_s += self.backoff_s + FETCH_WAIT_S
            offset = following
        raise Failed(f"no record came within {self.reading_s:g} s")

    def fetch(self, topic_id: str, offset: int) -> Asking:
        """What the partition has from an offset on."""
        version = self.version_with(FETCH, topic_id)
        partition = {"partition": 0, "fetchOffset": offset, "partitionMaxBytes": 1 << 20}
        topic = {"topic": TOPIC, "topicId": topic_id, "partitions": [partition]}
        wanted = {
            "replicaId": -1,
            "maxWaitMs": int(FETCH_WAIT_S * 1000),
            "minBytes": 1,
            "maxBytes": 1 << 20,
            "topics": [topic],
        }
        answer = yield from self.ask(FETCH, version, wanted)
        self.check(answer.get("errorCode", errors.NONE), "the fetch")
        found: list[Value] = [each for item in answer["responses"] for each in item["partitions"]]
        return found[0] if found else {"errorCode": errors.NONE, "records": None}

    def records_in(self, records: str | None, offset: int) -> tuple[list[Value], int]:
        """The records from an offset on, and the offset behind them. Raises Failed."""
        raw = base64.b64decode(records or "")
        found: list[Value] = []
        while (size := self.whole_batch(raw)) is not None:
            batch = self.read_batch(raw[:size])
            raw = raw[size:]
            found += self.given(batch, offset)
            offset = max(offset, self.behind(batch))
        return found, offset

    def read_batch(self, data: bytes) -> Value:
        """A batch, or a message of before there were batches as one. Raises Failed."""
        if data[MAGIC_AT] < MAGIC:
            return self.read_message(data)
        try:
            batch, _ = self.codec.read(self.codec.form(RECORD_BATCH, MAGIC), data)
        except DecodeError as error:
            raise Failed(f"a batch that can't be read: {error}") from None
        return batch

    def read_message(self, data: bytes) -> Value:
        """A message of magic 0 or 1 as a batch of one record; compressed ones are refused."""
        offset, _, checksum, magic, attributes = MESSAGE_HEAD.unpack_from(data)
        at = MESSAGE_HEAD.size + (TIMESTAMP_BYTES if magic == 1 else 0)
        if checksum != zlib.crc32(data[MAGIC_AT:]) or attributes & COMPRESSION:
            raise Failed(f"a message of magic {magic} that can't be read")
        try:
            key, at = self.read_text(data, at)
            value, _ = self.read_text(data, at)
        except struct.error:
            raise Failed(f"a message of magic {magic} that ends early") from None
        record: Value = {"offsetDelta": 0, "key": key, "value": value, "headers": []}
        return {"baseOffset": offset, "lastOffsetDelta": 0, "attributes": 0, "records": [record]}

    def read_text(self, data: bytes, at: int) -> tuple[str | None, int]:
        """A key or value of a message, as a record has it, and where it ends."""
        (length,) = struct.unpack_from(">i", data, at)
        at += SIZE_BYTES
        if length < 0:
            return None, at
        return base64.b64encode(data[at : at + length]).decode(), at + length

    def whole_batch(self, raw: bytes) -> int | None:
        """The bytes of the first batch, None where it is not all there. Raises Failed."""
        if len(raw) < BATCH_HEAD:
            return None
        size = BATCH_HEAD + struct.unpack_from(">i", raw, 8)[0]
        if size < LEAST:
            raise Failed(f"a batch of {size} bytes")
        return size if size <= len(raw) else None

    def behind(self, batch: Value) -> int:
        """The offset behind a batch, whatever is left of its records."""
        return int(batch["baseOffset"] + batch["lastOffsetDelta"] + 1)

    def given(self, batch: Value, offset: int) -> list[Value]:
        """The records that the user gets."""
        if batch["attributes"] & CONTROL:
            return []
        return [
            each for each in batch["records"] if batch["baseOffset"] + each["offsetDelta"] >= offset
        ]

    def reach_leader(self) -> Generator[Step, Heard | None, str]:
        """Go to who leads the topic; the topic's id. Raises Failed."""
        answer = yield from self.metadata()
        topic = next((each for each in answer["topics"] if each["name"] == TOPIC), None)
        if topic is None:
            raise Failed(f"there is no topic {TOPIC}")
        leader = next((each["leaderId"] for each in topic["partitions"]), -1)
        for node in answer["brokers"]:
            if node["nodeId"] == leader:
                yield from self.connect((node["host"], node["port"]))
                return str(topic.get("topicId", ZERO_UUID))
        raise Failed(f"nobody leads the topic {TOPIC}")

    def version_with(self, api_key: int, topic_id: str) -> int:
        """The version to speak of a topic in: by its name where its id is not known."""
        version = self.version_of(api_key)
        if topic_id != ZERO_UUID:
            return version
        low, _ = self.common(api_key, self.served[api_key])
        if low > LAST_BY_NAME:
            raise Failed("the topic has no id, and the broker knows it by none else")
        return min(version, LAST_BY_NAME)

    def report(self) -> Course:
        """Ask what the broker wants to know of us, where it wants to (KIP-714), and tell it."""
        if SUBSCRIPTIONS not in self.served:
            return
        try:
            answer = yield from self.ask(SUBSCRIPTIONS, 0, {"clientInstanceId": ZERO_UUID})
            yield from self.push(answer)
        except Lost:
            yield from self.connect(None)

    def push(self, answer: Value) -> Course:
        """What the broker wants to know, of a client that counts nothing."""
        if not answer["errorCode"] and answer["requestedMetrics"] and PUSH in self.served:
            told = {key: answer[key] for key in ("clientInstanceId", "subscriptionId")}
            yield from self.ask(PUSH, 0, {**told, "metrics": ""})

    def check(self, code: int, what: str) -> None:
        """Raise Failed for any error, known or not."""
        if code != errors.NONE:
            raise Failed(f"{what}: error {code}")

    # Frames

    def take(self, piece: bytes) -> None:
        """Whatever a connection gave, which may be less than an answer, or several."""
        self.unread += piece

    def next_answer(self) -> Heard | None:
        """The next answer that is all there, or that can't be; None where more has to come."""
        if len(self.unread) < SIZE_BYTES:
            return None
        size = self.answer_size()
        if not SIZE_BYTES <= size <= MOST_BYTES:
            return Heard("flood", text=f"an answer of {size} bytes")
        if len(self.unread) < SIZE_BYTES + size:
            return None
        frame = bytes(self.unread[SIZE_BYTES : SIZE_BYTES + size])
        del self.unread[: SIZE_BYTES + size]
        return Heard("reply", frame)

    def answer_size(self) -> int:
        """The size of the next answer, as it says."""
        return int(struct.unpack_from(">i", self.unread)[0])

    def end_of_line(self) -> Heard:
        """What the end of a connection means, after what came on it."""
        return Heard("reset" if self.unread else "closed")

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
        return self.answer_to(number, (yield from self.hear()))

    def hear(self) -> Generator[Step, Heard | None, Heard]:
        """Wait for an answer, as long as it is worth it."""
        heard = yield Hear(self.patience_s)
        assert heard is not None
        return heard

    def ask_all(
        self, api_key: int, version: int, wanted: Sequence[Mapping[str, Any]]
    ) -> Generator[Step, Heard | None, list[Value]]:
        """Several requests at once, and the bodies of their answers. Raises Lost."""
        numbers = [next(self._numbers) for _ in wanted]
        frames = [
            self.frame(api_key, version, number, each)
            for number, each in zip(numbers, wanted, strict=True)
        ]
        yield Send(b"".join(frames))
        bodies = []
        for number in numbers:
            frame = self.answer_to(number, (yield from self.hear()))
            bodies.append(self.read(api_key, version, frame))
        return bodies

    def answer_to(self, number: int, heard: Heard) -> bytes:
        """The frame that answers a request. Raises Lost."""
        if heard.kind != "reply":
            raise Lost(f"{heard.kind} instead of an answer")
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
