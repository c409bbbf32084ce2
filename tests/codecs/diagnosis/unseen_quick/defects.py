"""Codecs with a defect each, around the reference codec, for what a quick run says of them.

The first three are those of issue 41. All were written before the hints were held against the bytes
that differ, and none is in the lists of mutants as it stands here: most have a few messages alone,
as a codec has that somebody begins to write. `place` says at what kind of bytes an answer differs
first from what is expected; `names` what a finding says of the cause, of which one is enough.

A name here is a target: `tests.codecs.diagnosis.unseen_quick.defects:NAME`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from conformance.codecs.mutants.compact import flexible
from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form, Layout, WireField, WireType, form
from conformance.schema.releases import definitions
from conformance.schema.versions import Versions
from conformance.wire.errors import TagError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

C = TypeVar("C", bound=type)
ADMIN = ("CreateTopicsRequest", "CreateTopicsResponse", "DeleteTopicsResponse")
CONNECTS = ("ApiVersionsRequest", "ApiVersionsResponse", "MetadataRequest", "MetadataResponse")
GROUPS = (
    "FindCoordinatorRequest",
    "FindCoordinatorResponse",
    "JoinGroupRequest",
    "JoinGroupResponse",
    "HeartbeatRequest",
    "HeartbeatResponse",
    "OffsetCommitRequest",
    "OffsetFetchResponse",
)
READS = ("ListOffsetsRequest", "ListOffsetsResponse", "FetchRequest")
SOME = (*CONNECTS, *GROUPS, *READS)


@dataclass(frozen=True)
class Defect:
    """A codec with one defect, where its bytes differ, and what says so."""

    name: str
    cause: str
    place: tuple[str, ...]
    names: tuple[str, ...]


DEFECTS: list[Defect] = []


def defect(cause: str, place: str, *names: str) -> Callable[[C], C]:
    """List a codec with its cause."""

    def keep(codec: C) -> C:
        DEFECTS.append(Defect(codec.__name__, cause, tuple(place.split()), names))
        return codec

    return keep


class Codec(PlainCodec):
    """The reference codec with some messages, all operations and no defect."""

    messages: ClassVar[tuple[str, ...]] = SOME
    name = "somebody's codec"

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        return {**said, "messages": {name: said["messages"][name] for name in self.messages}}

    def form(self, message: str, version: int) -> Form:
        return self.change(super().form(message, version))

    def change(self, true: Form) -> Form:
        """The form that is taken for this one."""
        return true

    def header_form(self, form: Form) -> Form:
        return super().header_form(PlainCodec().form(form.message, form.version))


def in_struct(layout: Layout, change: Callable[[WireField], WireField]) -> Layout:
    """A layout with each field changed, those of inner structs first."""

    def inner(type_: WireType) -> WireType:
        if type_.element is not None:
            return replace(type_, element=inner(type_.element))
        if type_.struct is not None:
            return replace(type_, struct=in_struct(type_.struct, change))
        return type_

    return replace(
        layout,
        fields=tuple(change(replace(each, type=inner(each.type))) for each in layout.fields),
        tagged=tuple(change(replace(each, type=inner(each.type))) for each in layout.tagged),
    )


class Numbers(Reader):
    """A reader of numbers, lengths and counts apart."""

    kind = ""

    def fixed(self, kind: str, path: str) -> Any:
        value = super().fixed(kind, path)
        return self.other(value) if kind == self.kind and "(" not in path else value

    def other(self, value: Any) -> Any:
        return value


# The three of the issue.


@defect("has an int64 as a double between the wire and the caller", "int64", "double", "2^53")
class Int64AsDouble(Codec):
    class reader(Numbers):  # noqa: N801
        kind = "int64"

        def other(self, value: Any) -> Any:
            return int(float(value))

    class writer(Writer):  # noqa: N801
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            if kind != "int64":
                return value
            return max(-(2**63), min(2**63 - 1, int(float(value))))


@defect(
    "takes ApiVersionsRequest for flexible from version 4 on, not 3",
    "uvarint(length) _tags(count) end",
    "flexible",
)
class FlexibleFromFour(Codec):
    messages = ("ApiVersionsRequest", "ApiVersionsResponse", "HeartbeatRequest")

    def change(self, true: Form) -> Form:
        is_late = true.message == "ApiVersionsRequest" and true.version == 3
        return flexible(true, False) if is_late else true


def moved(true: Form, message: str, name: str, versions: Versions) -> Form:
    """The form with one field of one message in other versions."""
    if true.message != message:
        return true
    known = definitions()[message]
    fields = tuple(
        replace(each, versions=versions, nullable=each.nullable and versions)
        if each.name == name
        else each
        for each in known.fields
    )
    return replace(true, layout=form(replace(known, fields=fields), true.version).layout)


@defect(
    "has the throttle time of ApiVersionsResponse from version 2 on, not 1",
    "int32 end",
    "from version 2 on",
    "version",
)
class ThrottleFromTwo(Codec):
    messages = CONNECTS

    def change(self, true: Form) -> Form:
        return moved(true, "ApiVersionsResponse", "ThrottleTimeMs", Versions(2, 32767))


# Versions.


@defect(
    "takes MetadataResponse for flexible from version 8 on, not 9",
    "int32(length) _tags(count) int32 end",
    "flexible",
)
class MetadataFlexibleEarly(Codec):
    messages = CONNECTS

    def change(self, true: Form) -> Form:
        is_early = true.message == "MetadataResponse" and true.version == 8
        return flexible(true, True) if is_early else true


@defect(
    "has the error message of FindCoordinatorResponse from version 2 on, not 1",
    "int16(length) string int32 end",
    "from version 2 on",
    "version",
)
class ErrorMessageFromTwo(Codec):
    messages = GROUPS

    def change(self, true: Form) -> Form:
        return moved(true, "FindCoordinatorResponse", "ErrorMessage", Versions(2, 3))


@defect(
    "has the group instance of HeartbeatRequest from version 2 on, not 3",
    "int16(length) end",
    "from version 2 on",
    "version",
)
class InstanceFromTwo(Codec):
    messages = ("HeartbeatRequest", "HeartbeatResponse", "FindCoordinatorRequest")

    def change(self, true: Form) -> Form:
        return moved(true, "HeartbeatRequest", "GroupInstanceId", Versions(2, 32767))


@defect(
    "has its newest version of MetadataRequest with a field that is gone since version 11",
    "bool _tags(count) end",
    "IncludeClusterAuthorizedOperations",
    "version",
)
class FieldNeverGone(Codec):
    messages = CONNECTS

    def change(self, true: Form) -> Form:
        name = "IncludeClusterAuthorizedOperations"
        return moved(true, "MetadataRequest", name, Versions(8, 32767))


# Values.


@defect("cuts an int64 to 32 bits when it writes, as `x | 0` does", "int64", "INT64", "64")
class Int64CutWhenWritten(Codec):
    class writer(Writer):  # noqa: N801
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            if kind != "int64":
                return value
            return (value + 2**31) % 2**32 - 2**31


@defect("reads an int32 as never negative", "int32", "INT32", "negative", "sign")
class Int32Unsigned(Codec):
    messages = GROUPS

    class reader(Numbers):  # noqa: N801
        kind = "int32"

        def other(self, value: Any) -> Any:
            return value % 2**32


@defect("reads a uint16 with a sign", "uint16", "UINT16")
class Uint16Signed(Codec):
    messages = ("BeginQuorumEpochRequest", "FetchSnapshotResponse", "VoteResponse")

    class reader(Numbers):  # noqa: N801
        kind = "uint16"

        def other(self, value: Any) -> Any:
            return value - 2**16 if value >= 2**15 else value


@defect("takes a float64 for 0 where it is no number", "float64", "FLOAT64", "NaN")
class NanIsZero(Codec):
    messages = ("AlterClientQuotasRequest", "DescribeClientQuotasResponse")

    class reader(Numbers):  # noqa: N801
        kind = "float64"

        def other(self, value: Any) -> Any:
            return 0.0 if value == "NaN" or value != value else value

    class writer(Writer):  # noqa: N801
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return 0.0 if kind == "float64" and value != value else value


@defect(
    "writes text as Latin-1, with ? for what that lacks",
    "string uvarint(length) int16(length)",
    "text",
    "UTF-8",
)
class TextInLatin1(Codec):
    messages = CONNECTS

    class writer(Writer):  # noqa: N801
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            if kind == "string" and isinstance(value, str):
                return value.encode("latin-1", "replace")
            return super().raw(kind, value, path)


@defect("takes each error code above 2 for -1", "int16", "errorCode")
class ErrorsAboveTwoAreMinusOne(Codec):
    messages = ("HeartbeatResponse", "FindCoordinatorResponse", "DeleteTopicsResponse")

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int]:
        value, left = super().decode(message, version, data)
        if value.get("errorCode", 0) > 2:
            value["errorCode"] = -1
        return value, left


@defect(
    "has the throttle time in seconds, a thousandth of what is written", "int32", "throttleTimeMs"
)
class ThrottleInSeconds(Codec):
    messages = ("HeartbeatResponse", "JoinGroupResponse", "FindCoordinatorResponse")

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int]:
        value, left = super().decode(message, version, data)
        if "throttleTimeMs" in value:
            value["throttleTimeMs"] //= 1000
        return value, left


@defect("takes a timestamp below 0 for 0 when it reads", "int64", "timestamp")
class TimestampsNeverNegative(Codec):
    messages = READS

    class reader(Numbers):  # noqa: N801
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return max(0, value) if path.endswith(".timestamp") else value


@defect("writes a uuid in the byte order of the machine, in two numbers", "uuid", "uuid")
class UuidInTwoNumbers(Codec):
    messages = ("DeleteTopicsRequest", "DeleteTopicsResponse", "MetadataRequest")

    class writer(Writer):  # noqa: N801
        def uuid(self, value: str) -> bytes:
            return struct.pack("<QQ", *struct.unpack(">QQ", super().uuid(value)))


@defect("reads a boolean the wrong way round inside of an array", "bool", "bool")
class BooleansInArraysInverted(Codec):
    messages = CONNECTS

    class reader(Reader):  # noqa: N801
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return not value if kind == "bool" and "[" in path else value


# Lengths, counts, null and empty.


@defect("has one byte for the length of a string that is compact", "uvarint(length)", "compact")
class CompactLengthOfOneByte(Codec):
    messages = ("ApiVersionsRequest", "FindCoordinatorRequest", "DescribeClusterResponse")

    class writer(Writer):  # noqa: N801
        def length(self, type_: WireType, length: int) -> None:
            if type_.compact and type_.kind == "string":
                self.out.append((length + 1) & 0xFF)
            else:
                super().length(type_, length)


@defect(
    "writes a null array of MetadataRequest as an empty one",
    "null int32(length) uvarint(length)",
    "null",
)
class NullTopicsEmpty(Codec):
    messages = CONNECTS

    class writer(Writer):  # noqa: N801
        def array(self, type_: WireType, value: Any, path: str) -> None:
            super().array(type_, value or [] if path == "topics" else value, path)


@defect(
    "reads no more than the first hundred elements of an array",
    "uvarint(length) int32(length)",
    "count of a",
)
class HundredElements(Codec):
    messages = CONNECTS

    class reader(Reader):  # noqa: N801
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            found = super().array(type_, path)
            return found[:100] if found else found


# Tags and structs.


@defect(
    "writes no tag section for the brokers of MetadataResponse", "_tags(count) end int32", "tag"
)
class BrokersWithoutTags(Codec):
    messages = CONNECTS

    def change(self, true: Form) -> Form:
        def change(item: WireField) -> WireField:
            if item.name != "brokers" or not true.flexible or item.type.element is None:
                return item
            struct_ = replace(item.type.element.layout, flexible=False)
            return replace(
                item, type=replace(item.type, element=replace(item.type.element, struct=struct_))
            )

        if true.message != "MetadataResponse":
            return true
        return replace(true, layout=in_struct(true.layout, change))


@defect("refuses unknown tags inside of arrays", "", "tag", "element")
class TagsInArraysRefused(Codec):
    messages = CONNECTS

    class reader(Reader):  # noqa: N801
        def unknown_tag(self, number: int, size: int, value: Value, here: str) -> None:
            if "[" in here:
                raise TagError(f"no field has tag {number}", here, self.offset)
            super().unknown_tag(number, size, value, here)


@defect("has the supported features of ApiVersionsResponse under tag 1, not 0", "_tags(tag)", "tag")
class FeaturesUnderOtherTag(Codec):
    messages = CONNECTS

    def change(self, true: Form) -> Form:
        if true.message != "ApiVersionsResponse":
            return true
        to = {0: 1, 1: 0}
        tagged = sorted(
            (replace(each, tag=to.get(each.tag or 0, each.tag)) for each in true.layout.tagged),
            key=lambda each: each.tag or 0,
        )
        return replace(true, layout=replace(true.layout, tagged=tuple(tagged)))


# The end, headers, definitions.


@defect(
    "writes a zero byte behind the last field of HeartbeatResponse", "end", "after the last field"
)
class ByteAfterHeartbeat(Codec):
    messages = ("HeartbeatRequest", "HeartbeatResponse")

    def write(self, form: Form, value: Value) -> bytes:
        more = b"\0" if form.message == "HeartbeatResponse" else b""
        return super().write(form, value) + more


@defect("has two neighbours of HeartbeatRequest the other way round", "string int32", "Heartbeat")
class NeighboursOfHeartbeat(Codec):
    messages = GROUPS

    def change(self, true: Form) -> Form:
        if true.message != "HeartbeatRequest":
            return true
        first, second, third, *others = true.layout.fields
        return replace(true, layout=replace(true.layout, fields=(first, third, second, *others)))


@defect(
    "has the session lifetime of SaslAuthenticateResponse as four bytes", "int64 end", "session"
)
class LifetimeOfFourBytes(Codec):
    messages = ("SaslAuthenticateRequest", "SaslAuthenticateResponse", "SaslHandshakeRequest")

    def change(self, true: Form) -> Form:
        def change(item: WireField) -> WireField:
            if item.name != "sessionLifetimeMs":
                return item
            return replace(item, type=replace(item.type, kind="int32"))

        return replace(true, layout=in_struct(true.layout, change))


@defect("writes a client id that is null as an empty one", "header null int16(length)", "client id")
class NullClientIdWrittenEmpty(Codec):
    messages = ("HeartbeatRequest", "MetadataRequest")

    def encode_request(self, message: str, version: int, header: Value, value: Value) -> bytes:
        header = {**header, "clientId": header.get("clientId") or ""}
        return super().encode_request(message, version, header, value)


@defect("writes an int8 that is above 100 as 100", "int8", "INT8")
class Int8UpToHundred(Codec):
    messages = ("FindCoordinatorRequest", "ListOffsetsRequest", "DescribeClusterResponse")

    class writer(Writer):  # noqa: N801
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return min(value, 100) if kind == "int8" else value
