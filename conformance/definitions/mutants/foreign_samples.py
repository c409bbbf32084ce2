"""A few definitions that Kafka 4.3.1 has too, in each of the forms, with names of our own."""

from __future__ import annotations

RELEASE = "4.3.1"

ENUMS = """\
// What a heartbeat may be answered.
Answer int16 (
  0: FINE
  // To be asked again.
  15: COORDINATOR_NOT_AVAILABLE
)
"""

KMSG = """\
// A request of four fields.
HeartbeatRequest => key 12, max version 4, flexible v4+, group coordinator
  Group: string
  // Which rebalance it was.
  Generation: int32
  MemberID: string
  InstanceID: nullable-string // v3+

HeartbeatResponse =>
  ThrottleMillis(2) // v1+
  ErrorCode: enum-Answer

ApiVersionsRequest => key 18, max version 4, flexible v3+
  SoftwareName: string // v3+
  SoftwareVersion: string // v3+

FeatureRange => not top level, no encoding, flexible v0+
  Name: string
  MinVersion: int16
  MaxVersion: int16

ApiVersionsResponse =>
  ErrorCode: int16
  Keys: [=>]
    Key: int16
    Oldest: int16
    Newest: int16
  ThrottleMillis(2) // v1+
  Supported: [FeatureRange] // tag 0
  Epoch: int64(-1) // tag 1
  Finalized: [=>] // tag 2
    Name: string
    Max: int16
    Min: int16
  ZkReady: bool // tag 3

BrokerHeartbeatRequest => key 63, max version 0, flexible v0+
  Broker: int32
  Epoch: int64(-1)
  Offset: int64
  WantFence: bool
  WantShutdown: bool

BrokerHeartbeatResponse =>
  ThrottleMillis
  ErrorCode: int16
  CaughtUp: bool
  Fenced: bool(true)
  ShallStop: bool

// What stands in a log, with its version before it.
EndTxnMarker => not top level, with version field
  Version: int16
  Epoch: int32

// What Kafka has no definition of.
Header => not top level
  Key: varint-string
  Value: varint-bytes
"""

KAFKA = {
    "HeartbeatRequest.json": """\
{
  "apiKey": 12, "type": "request", "name": "HeartbeatRequest",
  "validVersions": "0-4",
  "flexibleVersions": "4+",
  "fields": [
    { "name": "Group", "type": "string", "versions": "0+" },
    { "name": "Generation", "type": "int32", "versions": "0+" },
    { "name": "Member", "type": "string", "versions": "0+" },
    { "name": "Instance", "type": "string", "versions": "3+", "nullableVersions": "3+" }
  ]
}
""",
    "ApiVersionsResponse.json": """\
{
  "apiKey": 18, "type": "response", "name": "ApiVersionsResponse",
  "validVersions": "0-4", "flexibleVersions": "3+",
  "fields": [
    { "name": "Error", "type": "int16", "versions": "0+" },
    { "name": "Keys", "type": "[]Key", "versions": "0+", "fields": [
      { "name": "Key", "type": "int16", "versions": "0+" },
      { "name": "Oldest", "type": "int16", "versions": "0+" },
      { "name": "Newest", "type": "int16", "versions": "0+" }
    ]},
    { "name": "Throttle", "type": "int32", "versions": "1+" },
    { "name": "Supported", "type": "[]Range", "versions": "3+", "tag": 0, "taggedVersions": "3+",
      "fields": [
        { "name": "Name", "type": "string", "versions": "3+" },
        { "name": "Min", "type": "int16", "versions": "3+" },
        { "name": "Max", "type": "int16", "versions": "3+" }
    ]},
    { "name": "Epoch", "type": "int64", "versions": "3+", "tag": 1, "taggedVersions": "3+",
      "default": "-1" },
    { "name": "Finalized", "type": "[]Level", "versions": "3+", "tag": 2, "taggedVersions": "3+",
      "fields": [
        { "name": "Name", "type": "string", "versions": "3+" },
        { "name": "Max", "type": "int16", "versions": "3+" },
        { "name": "Min", "type": "int16", "versions": "3+" }
    ]},
    { "name": "ZkReady", "type": "bool", "versions": "3+", "tag": 3, "taggedVersions": "3+" }
  ]
}
""",
    "BrokerHeartbeatRequest.json": """\
{
  "apiKey": 63, "type": "request", "name": "BrokerHeartbeatRequest",
  "validVersions": "0-2", "flexibleVersions": "0+",
  "fields": [
    { "name": "Broker", "type": "int32", "versions": "0+" },
    { "name": "Epoch", "type": "int64", "versions": "0+" },
    { "name": "Offset", "type": "int64", "versions": "0+" },
    { "name": "Fence", "type": "bool", "versions": "0+" },
    { "name": "Stop", "type": "bool", "versions": "0+" },
    { "name": "Gone", "type": "[]uuid", "versions": "1+", "tag": 0, "taggedVersions": "1+" },
    { "name": "Cordoned", "type": "[]uuid", "versions": "2+", "tag": 1, "taggedVersions": "2+",
      "nullableVersions": "2+", "default": "null" }
  ]
}
""",
}
