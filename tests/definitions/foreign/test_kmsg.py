"""The language of franz-go's definitions is read as its generator reads it, whatever is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.definitions.foreign.interface import Imported
from conformance.definitions.foreign.kmsg.importer import Kmsg
from conformance.schema.layout import Layout, WireField, form
from conformance.schema.model import Message

HEAD = "PingRequest => key 999, max version 9, flexible v5+"


def read(folder: Path, text: str, enums: str = "") -> list[Imported]:
    (folder / "99_ping").write_text(text)
    (folder / "enums").write_text(enums)
    return list(Kmsg().read(folder))


def message(folder: Path, *lines: str, head: str = HEAD, enums: str = "") -> Message:
    (found,) = read(folder, "\n  ".join((head, *lines)), enums)
    assert found.message is not None, found.findings
    return found.message


def layout(folder: Path, version: int, *lines: str, enums: str = "") -> Layout:
    return form(message(folder, *lines, enums=enums), version).layout


def only(folder: Path, version: int, *lines: str) -> WireField:
    (found,) = layout(folder, version, *lines).fields
    return found


def refusal(folder: Path, text: str) -> tuple[int, str]:
    """The line and the reason of the one finding."""
    (finding,) = [one for each in read(folder, text) for one in each.findings]
    return finding.line, finding.reason


@pytest.mark.parametrize(
    ("when", "versions"),
    [("", range(10)), (" // v3+", range(3, 10)), (" // v3-v5", range(3, 6))],
)
def test_a_field_is_there_in_its_versions(when: str, versions: range, tmp_path: Path) -> None:
    has = [bool(layout(tmp_path, version, f"At: int64{when}").fields) for version in range(10)]

    assert [version for version in range(10) if has[version]] == list(versions)


def test_fields_of_a_struct_follow_it_deeper(tmp_path: Path) -> None:
    inner = only(tmp_path, 0, "Rows: [=>Line]", "  Key: string", "  In: =>", "    Size: int32")

    row = inner.type.item.layout
    assert [item.name for item in row.fields] == ["key", "in"]
    assert [item.name for item in row.fields[1].type.layout.fields] == ["size"]


@pytest.mark.parametrize("type_", ["[=>]", "[=>]Line", "[=>Line]"])
def test_a_struct_may_be_given_a_name(type_: str, tmp_path: Path) -> None:
    assert only(tmp_path, 0, f"Rows: {type_}", "  A: int8").type.item.kind == "struct"


@pytest.mark.parametrize(
    ("words", "since"),
    [
        ("string", None),
        ("nullable-string", 0),
        ("nullable-string-v7+", 7),
        ("nullable-bytes(null)", 0),
        ("nullable[int8]", 0),
        ("nullable-v2+[string]", 2),
        ("nullable=>\n    A: int8", 0),
    ],
)
def test_null_is_allowed_from_its_version_on(words: str, since: int | None, tmp_path: Path) -> None:
    field = f"At: {words}"
    found = [only(tmp_path, version, field).type.nullable for version in range(10)]

    assert found == [since is not None and version >= since for version in range(10)]


def test_lengths_are_compact_where_the_message_is_flexible(tmp_path: Path) -> None:
    assert not only(tmp_path, 4, "At: string").type.compact
    assert only(tmp_path, 5, "At: string").type.compact


def test_a_tag_stands_in_every_flexible_version(tmp_path: Path) -> None:
    fields = "At: int64", "Epoch: int64(-1) // tag 0"

    assert layout(tmp_path, 4, *fields).tagged == ()
    (tagged,) = layout(tmp_path, 5, *fields).tagged
    assert (tagged.name, tagged.tag, tagged.default) == ("epoch", 0, -1)


def test_a_tag_with_versions_is_written_in_its_place_as_well(tmp_path: Path) -> None:
    found = layout(tmp_path, 8, "Code: int16 // v8+, tag 0")

    assert [item.name for item in found.fields] == ["code"]
    assert [item.tag for item in found.tagged] == [0]


def test_null_is_the_default_of_a_tag_that_may_be_null(tmp_path: Path) -> None:
    tagged = layout(tmp_path, 5, "A: nullable[int8] // tag 0", "B: [int8] // tag 1").tagged

    assert [item.default for item in tagged] == [None, []]


@pytest.mark.parametrize(
    ("line", "versions", "default"),
    [
        ("ThrottleMillis", range(10), 0),
        ("ThrottleMillis(6) // v1+", range(1, 10), 0),
        ("TimeoutMillis", range(10), 15000),
        ("TimeoutMillis(60000) // v1+", range(1, 10), 60000),
        ("TimeoutMillis: int32", range(10), 0),
        ("At: int32(0x7fffffff)", range(10), 0x7FFFFFFF),
    ],
)
def test_special_fields_need_no_type(
    line: str, versions: range, default: int, tmp_path: Path
) -> None:
    found = [layout(tmp_path, version, line).fields for version in range(10)]

    assert [version for version in range(10) if found[version]] == list(versions)
    (field,) = found[9]
    assert (field.type.kind, field.default) == ("int32", default)


def test_an_enum_is_what_it_is_written_as(tmp_path: Path) -> None:
    enums = "State int8 camelcase (\n  0: None\n)\n\nCode int16 (\n  1: ONE\n)\n"
    found = layout(tmp_path, 0, "A: enum-State", "B: [enum-Code]", enums=enums)

    assert [item.type.kind for item in found.fields] == ["int8", "array"]
    assert found.fields[1].type.item.kind == "int16"


@pytest.mark.parametrize(("said", "compact"), [("", False), (", flexible v0+", True)])
def test_a_named_struct_is_flexible_with_the_message_around_it(
    said: str, compact: bool, tmp_path: Path
) -> None:
    text = f"Pair => not top level, no encoding{said}\n  Key: string\n\n{HEAD}\n  At: [Pair]\n"
    (found,) = read(tmp_path, text)
    assert found.message is not None

    pairs = [form(found.message, version).layout.fields[0].type.item for version in (4, 5)]

    assert [pair.layout.flexible for pair in pairs] == [False, True]
    assert [pair.layout.fields[0].type.compact for pair in pairs] == [False, compact]


def test_a_response_has_key_and_versions_of_its_request(tmp_path: Path) -> None:
    request, response = read(tmp_path, f"{HEAD}\n  At: int8\n\nPingResponse =>\n  At: int8\n")
    assert request.message is not None
    assert response.message is not None

    assert response.message.type == "response"
    assert response.message.api_key == request.message.api_key == 999
    assert response.message.valid == request.message.valid
    assert response.message.flexible == request.message.flexible


def test_the_version_before_a_records_value_is_none_of_its_fields(tmp_path: Path) -> None:
    head = "EndTxnMarker => not top level, with version field"

    found = message(tmp_path, "Version: int16", "Epoch: int32", head=head)

    assert [field.name for field in found.fields] == ["Epoch"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("At int8", "is no field"),
        ("At: int9", "is no type"),
        ("At: [int8", "is no type"),
        ("At: Nowhere", "is no type"),
        ("At: nullable-string-v", "is no type"),
        ("At: int8 // v5-v2", "empty range"),
        ("At: int8 // soon", "no range of versions"),
        ("At: int8(x)", "no default"),
        ("At: int8(1.5)", "no default"),
        ("At: string(x)", "no default"),
        ("At: [nullable-string]", "elements that may be null"),
        (" At: int8", "two blanks"),
        ("    At: int8", "deeper"),
        ("\tAt: int8", "two blanks"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_line(line: str, reason: str, tmp_path: Path) -> None:
    number, told = refusal(tmp_path, f"// A ping.\n{HEAD}\n  First: int8\n  {line}\n")

    assert number == 4
    assert reason in told


@pytest.mark.parametrize(
    "head",
    [
        "PingRequest",
        "PingRequest => flexible v1+",
        "PingRequest => key 999",
        "PingRequest => key 999, max version 99999",
        "PingRequest => key 999, newest version 3",
        "PingResponse =>",
        "Ping => ",
    ],
)
def test_a_head_that_makes_no_sense_is_told(head: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, f"\n{head}\n  At: int8\n")[0] == 2


def test_one_broken_definition_leaves_the_others(tmp_path: Path) -> None:
    found = read(tmp_path, f"PongRequest => key\n  At: int8\n\n{HEAD}\n  At: int8\n")

    assert [each.name for each in found if each.message] == ["PingRequest"]


def test_structs_that_name_themselves_are_told(tmp_path: Path) -> None:
    text = f"Loop => not top level, no encoding\n  At: [Loop]\n\n{HEAD}\n  At: Loop\n"

    assert "name themselves" in refusal(tmp_path, text)[1]


def test_structs_that_multiply_are_told(tmp_path: Path) -> None:
    """Ten uses of a struct in each of twelve are more fields than any memory holds."""
    uses = "".join(f"  At{{n}}x{each}: [S{{n}}]\n" for each in range(10))
    structs = "\n".join(
        f"S{n - 1} => not top level, no encoding\n{uses.format(n=n)}" for n in range(1, 13)
    )
    last = "\nS12 => not top level, no encoding\n  At: int8\n"

    assert "more than" in refusal(tmp_path, f"{structs}{last}\n{HEAD}\n  At: S0\n")[1]


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "99_ping").write_bytes(bytes(range(256)) * 1000)

    found = list(Kmsg().read(tmp_path))

    assert found
    assert all(each.message is None for each in found)
