"""One edit of a sample each: the rule that it breaks, and where the finding has to stand."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.definitions.mutants.foreign_samples import KAFKA, KMSG
from conformance.schema.finding import NOT_UNDERSTOOD

DSL = "12_some"
"""The file of franz-go's form that the sample stands in."""


@dataclass(frozen=True)
class Foreign:
    """`old`, which stands once in the sample, becomes `new`; the finding is at `at`, else `new`."""

    rule: str
    file: str
    old: str
    new: str
    place: str = ""
    at: str = ""

    @property
    def name(self) -> str:
        """The name of its form's importer."""
        return "kmsg" if self.file == DSL else "kafka"

    @property
    def says(self) -> str:
        return f"`{' '.join(self.old.split())}` becomes `{' '.join(self.new.split())}`"

    @property
    def text(self) -> str:
        sample = KMSG if self.file == DSL else KAFKA[self.file]
        assert sample.count(self.old) == 1, f"{self.old!r} has to stand there once"
        return sample.replace(self.old, self.new)

    @property
    def line(self) -> int:
        """The line of the finding, counted from 1."""
        at = self.at or self.new
        assert self.text.count(at) == 1, f"{at!r} has to stand there once"
        return self.text.count("\n", 0, self.text.index(at)) + 1


HEART, APIS, BROKER = KAFKA
_BEAT, _ANSWER = "HeartbeatRequest => key 12", "ApiVersionsResponse =>"
_API_KEY, _VALID = "apiKey", "validVersions"
_FIELDS = '"fields": [\n    { "name": "Error"'
_UNKNOWN = "PingRequest => key 999, max version 0\n  At: int64\n\nPingResponse =>\n  At: int64\n\n"

MUTANTS = (
    # What can't be read.
    Foreign(NOT_UNDERSTOOD, DSL, "Group: string", "Group string"),
    Foreign(NOT_UNDERSTOOD, DSL, "Generation: int32", "Generation: int31"),
    Foreign(NOT_UNDERSTOOD, DSL, "max version 0", "newest version 0"),
    Foreign(NOT_UNDERSTOOD, DSL, "    Key: int16", "      Key: int16"),
    Foreign(NOT_UNDERSTOOD, DSL, "int64(-1) // tag 1", "int64(none) // tag 1"),
    Foreign(NOT_UNDERSTOOD, HEART, '"int32"', '"int31"', "Generation"),
    Foreign(NOT_UNDERSTOOD, HEART, '  "fields": [\n    {', '  "fields": [\n    {,', at="    {,"),
    # Whose message it is.
    Foreign("foreign.same-api-key", DSL, "key 63,", "key 64,", _API_KEY),
    Foreign("foreign.same-api-key", DSL, "key 18, max", "key 17, max", _API_KEY),
    Foreign("foreign.same-api-key", HEART, '"apiKey": 12', '"apiKey": 13', _API_KEY),
    Foreign("foreign.same-api-key", APIS, '"apiKey": 18', '"apiKey": 81', _API_KEY),
    # Its fields.
    Foreign("foreign.same-fields", DSL, "Generation: int32", "Generation: int64", "Generation"),
    Foreign("foreign.same-fields", DSL, "    Oldest: int16\n", "", "Keys", at="Keys: "),
    Foreign(
        "foreign.same-fields",
        DSL,
        "// v3+\n\nHeart",
        "// v2+\n\nHeart",
        "InstanceID",
        at="InstanceID",
    ),
    Foreign(
        "foreign.same-fields",
        DSL,
        "\n  Epoch: int32",
        "\n  Epoch: varint",
        "Epoch",
        at="Epoch: varint",
    ),
    Foreign("foreign.same-fields", HEART, '"int32"', '"int16"', "Generation"),
    Foreign(
        "foreign.same-fields",
        APIS,
        '"Throttle", "type": "int32", "versions": "1+"',
        '"Throttle", "type": "int32", "versions": "2+"',
        at=_FIELDS,
    ),
    # Whether it is flexible.
    Foreign("foreign.same-flexibility", DSL, "flexible v4+, group", "flexible v3+, group"),
    Foreign(
        "foreign.same-flexibility",
        DSL,
        "max version 0, flexible v0+",
        "max version 0",
        at="BrokerHeartbeatRequest =>",
    ),
    Foreign(
        "foreign.same-flexibility", HEART, '"flexibleVersions": "4+"', '"flexibleVersions": "3+"'
    ),
    Foreign(
        "foreign.same-flexibility",
        HEART,
        '"Member", "type": "string",',
        '"Member", "type": "string", "flexibleVersions": "none",',
        "Member",
    ),
    # Its tags.
    Foreign("foreign.same-tags", DSL, "int64(-1) // tag 1", "int32(-1) // tag 1", "Epoch"),
    Foreign("foreign.same-tags", DSL, "    Max: int16", "    Max: int32", "Finalized.Max"),
    Foreign(
        "foreign.same-tags",
        DSL,
        "ShallStop: bool",
        "ShallStop: bool\n  Mine: int8 // tag 0",
        "Mine",
        at="Mine",
    ),
    Foreign("foreign.same-tags", APIS, '"bool"', '"int16"', "ZkReady", at='"ZkReady"'),
    Foreign(
        "foreign.same-tags",
        HEART,
        '"versions": "3+", "nullableVersions": "3+" }',
        '"versions": "3+", "nullableVersions": "3+" },\n    { "name": "Mine", "type": "int8",'
        ' "versions": "4+", "tag": 0, "taggedVersions": "4+" }',
        "Mine",
        at='"Mine"',
    ),
    Foreign(
        "foreign.tag-versions",
        DSL,
        "WantShutdown: bool",
        "WantShutdown: bool\n  Gone: [uuid] // tag 0",
        "Gone",
        at="Gone",
    ),
    Foreign(
        "foreign.tag-versions",
        DSL,
        "max version 0, flexible v0+\n",
        "max version 0, flexible v0+\n  Cordoned: nullable[uuid] // tag 1\n",
        "Cordoned",
        at="Cordoned",
    ),
    Foreign(
        "foreign.tag-versions",
        BROKER,
        '"[]uuid", "versions": "1+", "tag": 0, "taggedVersions": "1+"',
        '"[]uuid", "versions": "0+", "tag": 0, "taggedVersions": "0+"',
        "Gone",
    ),
    Foreign(
        "foreign.tag-versions",
        BROKER,
        '"[]uuid", "versions": "2+", "tag": 1, "taggedVersions": "2+",\n'
        '      "nullableVersions": "2+"',
        '"[]uuid", "versions": "1+", "tag": 1, "taggedVersions": "1+",\n'
        '      "nullableVersions": "1+"',
        "Cordoned",
    ),
    Foreign("foreign.tags-covered", DSL, "  ZkReady: bool // tag 3\n", "", at=_ANSWER),
    Foreign("foreign.tags-covered", DSL, "  Epoch: int64(-1) // tag 1\n", "", at=_ANSWER),
    Foreign(
        "foreign.tags-covered",
        APIS,
        ']},\n    { "name": "ZkReady", "type": "bool",'
        ' "versions": "3+", "tag": 3, "taggedVersions": "3+" }',
        "]}",
        at=_FIELDS,
    ),
    Foreign(
        "foreign.tags-covered",
        BROKER,
        '"[]uuid", "versions": "1+", "tag": 0, "taggedVersions": "1+"',
        '"[]uuid", "versions": "2+", "tag": 0, "taggedVersions": "2+"',
        at='"fields": [',
    ),
    # What may be null.
    Foreign(
        "foreign.same-nullability",
        DSL,
        "InstanceID: nullable-string",
        "InstanceID: string",
        "InstanceID",
    ),
    Foreign(
        "foreign.same-nullability",
        DSL,
        "nullable-string // v3+",
        "nullable-string-v4+ // v3+",
        "InstanceID",
    ),
    Foreign(
        "foreign.same-nullability",
        HEART,
        ', "nullableVersions": "3+"',
        "",
        "Instance",
        at='"Instance"',
    ),
    Foreign(
        "foreign.same-nullability",
        HEART,
        '"nullableVersions": "3+"',
        '"nullableVersions": "4+"',
        "Instance",
    ),
    Foreign(
        "foreign.no-other-nulls", DSL, "MemberID: string", "MemberID: nullable-string", "MemberID"
    ),
    Foreign("foreign.no-other-nulls", DSL, "Keys: [=>]", "Keys: nullable-v1+[=>]", "Keys"),
    Foreign(
        "foreign.no-other-nulls",
        HEART,
        '"Group", "type": "string", "versions": "0+"',
        '"Group", "type": "string", "versions": "0+", "nullableVersions": "0+"',
        "Group",
    ),
    Foreign(
        "foreign.no-other-nulls",
        APIS,
        '"Keys", "type": "[]Key",',
        '"Keys", "type": "[]Key", "nullableVersions": "3+",',
        "Keys",
    ),
    # What is left out of the bytes.
    Foreign("foreign.same-defaults", DSL, "int64(-1) // tag 1", "int64 // tag 1", "Epoch"),
    Foreign("foreign.same-defaults", DSL, "bool // tag 3", "bool(true) // tag 3", "ZkReady"),
    Foreign(
        "foreign.same-defaults", APIS, '"default": "-1"', '"default": "0"', "Epoch", at='"Epoch"'
    ),
    Foreign(
        "foreign.same-defaults",
        APIS,
        '"type": "bool",',
        '"type": "bool", "default": "true",',
        "ZkReady",
    ),
    # Which versions there are.
    Foreign(
        "foreign.versions-known", DSL, "key 12, max version 4", "key 12, max version 5", _VALID
    ),
    Foreign(
        "foreign.versions-known",
        DSL,
        "// A request of",
        _UNKNOWN + "// A request of",
        _API_KEY,
        at="PingRequest",
    ),
    Foreign("foreign.versions-known", HEART, '"0-4"', '"0-5"', _VALID),
    Foreign("foreign.versions-known", APIS, '"0-4"', '"0-9"', _VALID),
    Foreign(
        "foreign.versions-covered", DSL, "key 12, max version 4", "key 12, max version 3", _VALID
    ),
    Foreign(
        "foreign.versions-covered", DSL, "key 18, max version 4", "key 18, max version 3", _VALID
    ),
    Foreign("foreign.versions-covered", HEART, '"0-4"', '"1-4"', _VALID),
    Foreign("foreign.versions-covered", APIS, '"0-4"', '"0-3"', _VALID),
)
