"""A codec with several defects, as a stranger's has: each is one finding that names its place."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from conformance.codecs.mutants import mutants
from conformance.reference.codec import PlainCodec, Value
from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.results.lines import Finding
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.errors import EncodeError
from conformance.wire.frames import header_version
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer
from tests.codecs.diagnosis.generated import BESIDE, Codec, Draw, Path, edited
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

_WIDER = {"int8": "int16", "int16": "int32", "int32": "int64", "int64": "int32"}


def said_of(codec: PlainCodec) -> list[str]:
    """What each finding of a quick run says."""
    return [in_a_clause(each) for each in findings_of(codec)]


def findings_of(codec: PlainCodec) -> list[Finding]:
    """The findings of a quick run."""
    return list(quick_results(codec).findings)


def codec_with(change: Any, *messages: str) -> type[Codec]:
    """A codec of some messages whose forms are changed."""

    class Changed(Codec):
        name = "changed"

        def form(self, message: str, version: int) -> Form:
            true = PlainCodec.form(self, message, version)
            return change(true) if message in messages else true

    Changed.messages = tuple(sorted({*BESIDE, *messages}))
    return Changed


def widened(layout: Layout, path: Path) -> Layout:
    """A layout with an integer of another width."""

    def edit(fields: tuple[WireField, ...], at: int) -> tuple[WireField, ...]:
        item = fields[at]
        return (
            *fields[:at],
            replace(item, type=WireType(_WIDER[item.type.kind])),
            *fields[at + 1 :],
        )

    return edited(layout, path, edit)


def dropped(layout: Layout, path: Path) -> Layout:
    """A layout without a field."""
    return edited(layout, path, lambda fields, at: fields[:at] + fields[at + 1 :])


@pytest.mark.parametrize(
    ("message", "wide", "lost"),
    [
        (
            "ListOffsetsResponse",
            ("topics", "partitions", "timestamp"),
            ("topics", "partitions", "errorCode"),
        ),
    ],
)
def test_two_wrong_lines_of_a_message_are_two_findings(
    message: str, wide: Path, lost: Path
) -> None:
    def change(true: Form) -> Form:
        return replace(true, layout=dropped(widened(true.layout, wide), lost))

    findings = said_of(codec_with(change, message)())
    assert len(findings) == 2, findings
    for path in (wide, lost):
        assert [said for said in findings if path[-1].lower() in said.lower()], (path, findings)


@pytest.mark.parametrize("seed", [3, 7])
def test_wrong_lines_of_two_messages_are_a_finding_of_each(seed: int) -> None:
    draw, lines = Draw(seed, "of each"), dict[str, Path]()
    while len(lines) < 2:
        message, _, path = draw.field(lambda item: item.type.kind in _WIDER)
        if message.type == "request":
            lines[message.name] = path

    def change(true: Form) -> Form:
        return replace(true, layout=widened(true.layout, lines[true.message]))

    findings = findings_of(codec_with(change, *lines)())
    assert len(findings) == 2, list(map(in_a_clause, findings))
    for name, path in lines.items():
        [own] = [each for each in findings if f" of {name}" in each.cause]
        assert path[-1].lower() in in_a_clause(own).lower()
        assert not [other for other in lines if other != name and other in own.cause]


OFFSETS = ("ListOffsetsResponse", "OffsetCommitRequest", "OffsetFetchResponse")
NULLS = (
    ("CreateTopicsResponse", "topics[].errorMessage"),
    ("ElectLeadersRequest", "topicPartitions"),
    ("IncrementalAlterConfigsRequest", "resources[].configs[].value"),
)


@pytest.mark.parametrize(("message", "path"), NULLS, ids=[each[0] for each in NULLS])
def test_a_null_that_is_refused_is_said_with_its_field(message: str, path: str) -> None:
    names = tuple(path.replace("[]", "").split("."))

    def change(true: Form) -> Form:
        def edit(fields: tuple[WireField, ...], at: int) -> tuple[WireField, ...]:
            item = replace(fields[at], type=replace(fields[at].type, nullable=False))
            return (*fields[:at], item, *fields[at + 1 :])

        return replace(true, layout=edited(true.layout, names, edit))

    [finding] = findings_of(codec_with(change, message)())
    assert f"null in {path} of {message}" in in_a_clause(finding)
    assert "null" in remedy_of(finding)
    assert "cannot" in harm_of(finding)


def test_a_wrong_api_key_is_one_finding_in_both_directions() -> None:
    class Wrong(Codec):
        messages, name = (*BESIDE, "LeaveGroupRequest"), "wrong key"

        def encode_request(self, message: str, version: int, header: Value, value: Value) -> bytes:
            frame = super().encode_request(message, version, header, value)
            return b"\0\x0c" + frame[2:] if message == "LeaveGroupRequest" else frame

        def decode_request(self, data: bytes) -> tuple[Value, Value, int]:
            if data[:2] == b"\0\x0d":
                raise EncodeError("no such api", "")
            return super().decode_request(data)

    assert said_of(Wrong()) == ["has the api key 12 for LeaveGroupRequest, not 13"]


def test_a_field_that_a_writer_says_it_does_not_know_is_named() -> None:
    class Lacks(Codec):
        messages, name = (*BESIDE, "VoteRequest"), "lacks"

        def form(self, message: str, version: int) -> Form:
            true = PlainCodec.form(self, message, version)
            if message != "VoteRequest":
                return true
            return replace(true, layout=dropped(true.layout, ("voterId",)))

        def write(self, form: Form, value: Value) -> bytes:
            if form.message == "VoteRequest" and "voterId" in value:
                raise EncodeError("VoteRequest got an unexpected keyword argument 'voterId'", "")
            return super().write(form, value)

    findings = said_of(Lacks())
    assert [said for said in findings if "does not know voterId of VoteRequest" in said]


def test_a_header_without_tags_is_one_finding_though_it_is_right_by_itself() -> None:
    class Old(Codec):
        messages = (*BESIDE, "DeleteTopicsResponse", "ResponseHeader")
        name = "old"

        def header_form(self, form: Form) -> Form:
            if form.type == "response" and header_version(form) == 1:
                return PlainCodec.form(self, "ResponseHeader", 0)
            return super().header_form(form)

    [said] = said_of(Old())
    assert "response header version 0 before flexible responses" in said


def test_empty_strings_that_are_written_as_null_are_one_finding() -> None:
    class Falsy(Codec):
        messages, name = (*BESIDE, "JoinGroupRequest", "SyncGroupRequest"), "falsy"

        class Writes(Writer):
            def value(self, type_: WireType, value: Any, path: str) -> None:
                if type_.kind == "string" and not value:
                    self.length(type_, -1)
                else:
                    super().value(type_, value, path)

    [finding] = findings_of(Falsy())
    assert "writes every empty string as null" in in_a_clause(finding)
    assert "emptiness" in remedy_of(finding)


def test_a_section_that_is_left_out_is_no_lost_field() -> None:
    findings = said_of(mutants()["EmptySectionLeftOut"](""))
    assert not [said for said in findings if said.startswith("loses")], findings


class JavaScriptNumbers(Reader):
    """A reader of 64-bit integers as doubles, printed with the fewest digits."""

    def fixed(self, kind: str, path: str) -> Any:
        value = super().fixed(kind, path)
        is_beyond = kind == "int64" and "(" not in path and abs(value) > 2**53
        return int(Decimal(repr(float(value)))) if is_beyond else value


def test_a_double_is_named_though_printed_shorter_and_beside_another_defect() -> None:
    class Script(Codec):
        messages, name, Reads = (*BESIDE, *OFFSETS), "script", JavaScriptNumbers

        def hello(self) -> dict[str, Any]:
            said = super().hello()
            for message, declared in said["messages"].items():
                declared["ops"] = ["decode" if message.endswith("Response") else "encode"]
            said["messages"]["OffsetCommitRequest"]["versions"] = [[0, 2]]
            return said

        def write(self, form: Form, value: Value) -> bytes:
            if (form.message, form.version) == ("OffsetCommitRequest", 1):
                value = {**value, "groupId": value["groupId"] + "x"}
            return super().write(form, value)

    said = said_of(Script())
    assert [each for each in said if "by way of a double" in each], said
    assert len(said) == 2, "\n".join(said)


def test_one_wrong_field_in_each_of_two_messages_is_two_findings() -> None:
    fields = {
        "ListOffsetsRequest": "replicaId",
        "OffsetCommitRequest": "generationIdOrMemberEpoch",
    }

    class Falsy(Codec):
        messages, name = (*BESIDE, *fields), "falsy"

        def write(self, form: Form, value: Value) -> bytes:
            field = fields.get(form.message, "")
            if value.get(field) == 0:
                value = {**value, field: -1}
            return super().write(form, value)

    findings = findings_of(Falsy())
    said = list(map(in_a_clause, findings))
    assert len(said) == 2, "\n".join(said)
    for message, field in fields.items():
        [own] = [each for each in said if message in each]
        assert field in own


ASCII = (
    "FindCoordinatorRequest",
    "FindCoordinatorResponse",
    "MetadataRequest",
    "LeaveGroupRequest",
)


@pytest.mark.parametrize(
    ("sides", "verbs", "words"),
    [
        ("rw", "read and write", ""),
        ("r", "read", ""),
        ("w", "write", ""),
        ("rw", "read and write", "bad text"),
    ],
)
def test_text_beyond_ascii_that_is_refused_is_one_finding(
    sides: str, verbs: str, words: str
) -> None:
    class Ascii(Codec):
        messages, name = (*BESIDE, *ASCII), "ascii"

        class Reads(Reader):
            def text(self, raw: bytes, path: str, begin: int) -> str:
                return raw.decode("ascii" if "r" in sides else "utf-8")

        class Writes(Writer):
            def raw(self, kind: str, value: Any, path: str) -> bytes:
                if kind == "string" and "w" in sides:
                    value.encode("ascii")
                return super().raw(kind, value, path)

        def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
            try:
                return super().read(form, data, offset)
            except UnicodeDecodeError as error:
                raise EncodeError(words or str(error), "") from error

        def write(self, form: Form, value: Value) -> bytes:
            try:
                return super().write(form, value)
            except UnicodeEncodeError as error:
                raise EncodeError(words or str(error), "") from error

    findings = findings_of(Ascii())
    said = list(map(in_a_clause, findings))
    assert len(said) == 1, "\n".join(said)
    assert said[0].startswith(f"refuses to {verbs} text beyond ASCII"), said
    assert "UTF-8" in remedy_of(findings[0])
    assert ("cannot send" in harm_of(findings[0])) == ("w" in sides)
