"""What a codec in a language with one value for null and for empty gets wrong is told as that."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.mutants.habits.drafts import unlisted
from conformance.reference.codec import PlainCodec, Value
from conformance.reporting.breaches import in_a_clause
from conformance.schema.layout import Form, WireType
from conformance.wire.errors import EncodeError, TagError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer
from tests.codecs.diagnosis.generated import BESIDE, Codec
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

NIL = ("DescribeConfigsRequest", "MetadataRequest", "OffsetFetchRequest")
ARRAYS = frozenset({"topics", "configurationKeys", "partitionIndexes", "groups"})
KEPT = ("CreatePartitionsRequest", "DescribeLogDirsRequest", "ListPartitionReassignmentsRequest")
TAGGED = ("AlterConfigsResponse", "DeleteTopicsRequest", "FindCoordinatorRequest", *BESIDE)


def said_of(codec: PlainCodec) -> list[str]:
    """What each finding of a quick run says."""
    return [in_a_clause(each) for each in quick_results(codec).findings]


def swapped(value: Any, given: Any, got: Any) -> Any:
    """A value with one for the other in its arrays, at any depth."""
    if isinstance(value, list):
        return [swapped(each, given, got) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: got if name in ARRAYS and each == given else swapped(each, given, got)
        for name, each in value.items()
    }


class _Nil(Codec):
    messages, name = (*BESIDE, *NIL, *KEPT), "nil"


class ReadsNoNullArray(_Nil):
    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        return (swapped(value, None, []) if form.message in NIL else value), end


class WritesNoEmptyArray(_Nil):
    def write(self, form: Form, value: Value) -> bytes:
        if form.message not in NIL:
            return super().write(form, value)
        try:
            return super().write(form, swapped(value, [], None))
        except EncodeError:
            return super().write(form, value)


@pytest.mark.parametrize(
    ("codec", "clause"),
    [
        (ReadsNoNullArray, "reads null as an empty array, in "),
        (WritesNoEmptyArray, "writes an empty array as null, in "),
    ],
)
def test_arrays_that_are_confused_in_some_messages_are_one_finding(
    codec: type[_Nil], clause: str
) -> None:
    findings = said_of(codec())
    assert len(findings) == 1, "\n".join(findings)
    assert findings[0].startswith(clause)
    assert not [name for name in KEPT if name in findings[0]]


def test_null_strings_of_four_bytes_are_one_finding() -> None:
    class Wide(Codec):
        messages, name = (*BESIDE, "JoinGroupRequest", "OffsetCommitRequest"), "wide"

        class Writes(Writer):
            def value(self, type_: WireType, value: Any, path: str) -> None:
                if type_.kind == "string" and value is None and not type_.compact:
                    self.out += b"\xff\xff"
                super().value(type_, value, path)

    [said] = said_of(Wide())
    assert said.startswith("writes a null string as the INT32 -1, in ")


def test_a_last_section_that_one_message_lacks_is_one_finding() -> None:
    class Without(Codec):
        messages, name = (*BESIDE, "IncrementalAlterConfigsResponse"), "without"

        def write(self, form: Form, value: Value) -> bytes:
            data = super().write(form, value)
            if form.message != "IncrementalAlterConfigsResponse" or not form.layout.flexible:
                return data
            writer = Writer()
            writer.tag_section(form.layout, value, "")
            return data[: -len(writer.out)]

    [said] = said_of(Without())
    assert said == "leaves out the tag section at the end of IncrementalAlterConfigsResponse"


class RefusesTags(Codec):
    """Refuses unknown tags in its own words, and has another defect."""

    messages, name = TAGGED, "refuses"

    class Tags(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            raise TagError(f"no field has tag {number}", here, self.offset)

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        reader = self.Tags(data, offset)
        return reader.struct(form.layout), reader.offset

    def write(self, form: Form, value: Value) -> bytes:
        if value.get("keyType") == 0:
            value = {**value, "keyType": 1}
        return super().write(form, value)


def test_unknown_tags_that_are_refused_are_named_beside_another_defect() -> None:
    findings = said_of(RefusesTags())
    assert [each for each in findings if "refuses an unknown tag" in each], "\n".join(findings)
    assert not [each for each in findings if each.startswith("refuses to read")]


def test_a_size_that_is_left_out_of_unknown_tags_is_one_finding() -> None:
    [said] = said_of(unlisted()["UnknownTagsWithoutSize"](""))
    assert said == "leaves out the size of an unknown tagged field that it writes"


class Sorts(Codec):
    """Hands out the results of a response in the order of their names."""

    messages, name = (*BESIDE, "CreateTopicsResponse", "CreateTopicsRequest"), "sorts"

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        if form.message.startswith("CreateTopics"):
            value["topics"].sort(key=lambda topic: str(topic["name"]))
        return value, end

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        form = self.form(message, version)
        value, _ = super().read(form, data)
        return self.write(form, value)


def test_results_in_another_order_are_no_finding_and_what_a_request_lists_is_one() -> None:
    findings = said_of(Sorts())
    assert len(findings) == 1, "\n".join(findings)
    assert "CreateTopicsRequest" in findings[0]
    assert "CreateTopicsResponse" not in findings[0]
