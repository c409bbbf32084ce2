"""A few messages whose bytes were worked out by hand from their definitions.

What an adapter is first compared with must not come from a codec, ours included: a mistake that
both share would not show. So these are the messages whose every byte can be written down with a
reason, in the versions that codecs most often have. All frames are from client "smoke" with
correlation id 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from conformance.codecs.testee.answers import READS
from conformance.testee_protocol import Op, Request

TextKind = Literal["int64", "uuid", "bytes"]
"""The kinds that JSON has no type for, so that adapters write them in forms of their own."""


@dataclass(frozen=True)
class WorkedExample:
    """A message: its bytes and its value, and those of the header before it in a frame.

    `kinds` names the fields of the value whose JSON form is a convention.
    """

    message: str
    version: int
    body: bytes
    value: dict[str, Any]
    header_bytes: bytes = b""
    header: dict[str, Any] | None = None
    kinds: Mapping[str, TextKind] = field(default_factory=dict)

    def request(self, op: Op, *, int64_as_text: bool = False) -> Request:
        """Return a request for `op`; with `int64_as_text`, 64-bit integers are decimal strings."""
        if op in READS:
            data = self.frame if is_framed(op) else self.body
            return Request(op=op, message=self.message, version=self.version, bytes=data)
        return Request(
            op=op,
            message=self.message,
            version=self.version,
            value=self._with_texts() if int64_as_text else self.value,
            header=self._header_to_write() if is_framed(op) else None,
        )

    @property
    def frame(self) -> bytes:
        """Return header and message, without the length before them."""
        return self.header_bytes + self.body

    def fits(self, op: Op) -> bool:
        """True if `op` applies to messages like this one."""
        if is_framed(op) and self.header is None:
            return False
        if op.endswith("-request"):
            return self.message.endswith("Request")
        return self.message.endswith("Response") if op.endswith("-response") else True

    def _with_texts(self) -> dict[str, Any]:
        texts: dict[str, Any] = self._with_text("", self.value)
        return texts

    def _with_text(self, name: str, value: Any) -> Any:
        """Return the value of a name with int64 as text, at any depth; the name decides."""
        if isinstance(value, dict):
            return {inner: self._with_text(inner, item) for inner, item in value.items()}
        if isinstance(value, list):
            return [self._with_text(name, item) for item in value]
        return str(value) if self.kinds.get(name) == "int64" else value

    def _header_to_write(self) -> dict[str, Any]:
        header = self.header or {}
        return {key: header[key] for key in ("correlationId", "clientId") if key in header}


def is_framed(op: Op) -> bool:
    """True if `op` is on a message with its header."""
    return op.endswith(("-request", "-response"))


def _request(
    message: str, api_key: int, version: int, body: str, value: dict[str, Any]
) -> WorkedExample:
    """A request with header version 1."""
    prefix = api_key.to_bytes(2, "big") + version.to_bytes(2, "big")
    return WorkedExample(
        message=message,
        version=version,
        body=bytes.fromhex(body),
        value=value,
        header_bytes=prefix + bytes.fromhex("00000007 0005 736d6f6b65"),
        header={
            "requestApiKey": api_key,
            "requestApiVersion": version,
            "correlationId": 7,
            "clientId": "smoke",
        },
    )


def _flexible(fact: WorkedExample) -> WorkedExample:
    """Return the example with header version 2, which adds an empty tag section (KIP-482)."""
    return replace(fact, header_bytes=fact.header_bytes + b"\0")


def _response(message: str, version: int, body: str, value: dict[str, Any]) -> WorkedExample:
    """Return an example of a response with header version 0."""
    return WorkedExample(
        message, version, bytes.fromhex(body), value, b"\0\0\0\7", {"correlationId": 7}
    )


FACTS: tuple[WorkedExample, ...] = (
    # topics: one of int32, name: 16-bit length and "a"
    _request("MetadataRequest", 3, 1, "00000001 0001 61", {"topics": [{"name": "a"}]}),
    _request("MetadataRequest", 3, 0, "00000001 0001 61", {"topics": [{"name": "a"}]}),
    # the same, then allowAutoTopicCreation: true
    _request(
        "MetadataRequest",
        3,
        4,
        "00000001 0001 61 01",
        {"topics": [{"name": "a"}], "allowAutoTopicCreation": True},
    ),
    # two compact strings, length + 1 in one byte, and an empty tag section
    _flexible(
        _request(
            "ApiVersionsRequest",
            18,
            3,
            "02 78 02 31 00",
            {"clientSoftwareName": "x", "clientSoftwareVersion": "1"},
        )
    ),
    _request("ApiVersionsRequest", 18, 0, "", {}),
    # key: 16-bit length and "g1"
    _request("FindCoordinatorRequest", 10, 0, "0002 6731", {"key": "g1"}),
    # the same, then keyType: 0, a group
    _request("FindCoordinatorRequest", 10, 1, "0002 6731 00", {"key": "g1", "keyType": 0}),
    # groupId "g1", generationId 5, memberId "m"
    _request(
        "HeartbeatRequest",
        12,
        0,
        "0002 6731 00000005 0001 6d",
        {"groupId": "g1", "generationId": 5, "memberId": "m"},
    ),
    # errorCode 0; one key: ApiVersions, lowest 0, highest 3
    _response(
        "ApiVersionsResponse",
        0,
        "0000 00000001 0012 0000 0003",
        {"errorCode": 0, "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 3}]},
    ),
    # the same, then throttleTimeMs 1
    _response(
        "ApiVersionsResponse",
        1,
        "0000 00000001 0012 0000 0003 00000001",
        {
            "errorCode": 0,
            "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 3}],
            "throttleTimeMs": 1,
        },
    ),
    # the same in compact form: one key is length 2, an empty tag section behind the key and the end
    _response(
        "ApiVersionsResponse",
        3,
        "0000 02 0012 0000 0003 00 00000001 00",
        {
            "errorCode": 0,
            "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 3}],
            "throttleTimeMs": 1,
        },
    ),
    # errorCode 15, node -1, host "", port -1
    _response(
        "FindCoordinatorResponse",
        0,
        "000f ffffffff 0000 ffffffff",
        {"errorCode": 15, "nodeId": -1, "host": "", "port": -1},
    ),
    _response("HeartbeatResponse", 0, "001b", {"errorCode": 27}),
    # one topic "a", no user data
    WorkedExample(
        "ConsumerProtocolSubscription",
        0,
        bytes.fromhex("00000001 0001 61 ffffffff"),
        {"topics": ["a"], "userData": None},
    ),
    # topics: null, which asks for all of them
    _request("MetadataRequest", 3, 1, "ffffffff", {"topics": None}),
    # transactionalId null, transactionTimeoutMs 60000
    _request(
        "InitProducerIdRequest",
        22,
        0,
        "ffff 0000ea60",
        {"transactionalId": None, "transactionTimeoutMs": 60000},
    ),
    # throttleTimeMs 0, errorCode 0, producerId 2^53 + 1 (which no double holds), producerEpoch 2
    replace(
        _response(
            "InitProducerIdResponse",
            0,
            "00000000 0000 0020000000000001 0002",
            {
                "throttleTimeMs": 0,
                "errorCode": 0,
                "producerId": 2**53 + 1,
                "producerEpoch": 2,
            },
        ),
        kinds={"producerId": "int64"},
    ),
    # 32-bit length and four bytes, whose base64 has both signs and padding
    replace(
        _request("SaslAuthenticateRequest", 36, 0, "00000004 fbfffe00", {"authBytes": "+//+AA=="}),
        kinds={"authBytes": "bytes"},
    ),
    # 16 bytes and an empty tag section
    replace(
        _flexible(
            _request(
                "GetTelemetrySubscriptionsRequest",
                71,
                0,
                "fbfffe00 00000000 00000000 00000001 00",
                {"clientInstanceId": "-__-AAAAAAAAAAAAAAAAAQ"},
            )
        ),
        kinds={"clientInstanceId": "uuid"},
    ),
    # baseOffset 0, then 69 bytes. Epoch -1, magic 2, CRC-32C of all behind it (counted a bit at a
    # time), attributes 0, last offset 1, times 1000 and 2000, no producer (-1, -1, -1), two
    # records. The first is of 8 bytes, which is 10 in zig-zag: attributes, both deltas 0, "k", "v",
    # no header. The second is of 10: deltas 1000 (d00f) and 1, a key that is null, a value of no
    # bytes, and one header "h" whose value is "v".
    WorkedExample(
        "RecordBatch",
        2,
        bytes.fromhex(
            "0000000000000000 00000046 ffffffff 02 5c777bde 0000 00000001"
            "00000000000003e8 00000000000007d0 ffffffffffffffff ffff ffffffff 00000002"
            "10 00 00 00 02 6b 02 76 00"
            "16 00 d00f 02 01 00 02 02 68 02 76"
        ),
        {
            "baseOffset": 0,
            "partitionLeaderEpoch": -1,
            "attributes": 0,
            "lastOffsetDelta": 1,
            "baseTimestamp": 1000,
            "maxTimestamp": 2000,
            "producerId": -1,
            "producerEpoch": -1,
            "baseSequence": -1,
            "records": [
                {
                    "attributes": 0,
                    "timestampDelta": 0,
                    "offsetDelta": 0,
                    "key": "aw==",
                    "value": "dg==",
                    "headers": [],
                },
                {
                    "attributes": 0,
                    "timestampDelta": 1000,
                    "offsetDelta": 1,
                    "key": None,
                    "value": "",
                    "headers": [{"key": "h", "value": "dg=="}],
                },
            ],
        },
        kinds={
            "baseOffset": "int64",
            "baseTimestamp": "int64",
            "maxTimestamp": "int64",
            "producerId": "int64",
            "timestampDelta": "int64",
            "value": "bytes",
        },
    ),
)
"""Known messages, the most telling first."""
