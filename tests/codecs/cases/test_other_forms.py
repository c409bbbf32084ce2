"""Bytes of another form tell who takes them for the one that was asked, and blame nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.mutants import mutants
from conformance.codecs.score import verdicts_of_rule, wrong
from conformance.reference.codec import PlainCodec, Value
from conformance.results.lines import Verdict
from conformance.schema.layout import Form, Layout, WireType
from conformance.wire.lenient import Lenient
from conformance.wire.text import bytes_to_text

BORDER = "compact.first-flexible-version"
REQUEST_HEADER = "request-header.flexible-adds-tags"
RESPONSE_HEADER = "response-header.flexible-adds-tags"
RULES = [BORDER, REQUEST_HEADER, RESPONSE_HEADER, "response-header.api-versions-stays-v0"]
READERS = [
    "FlexibleOneVersionLate",
    "FlexibleOneVersionEarly",
    "RequestHeaderWithoutTags",
    "ResponseHeaderWithoutTags",
    "ApiVersionsWithFlexibleHeader",
]


class TakesAll(Lenient):
    """Goes by the right form, and makes something of whatever it finds there.

    What is short is as long as it is, a length below 0 means empty or null, and neither a tag
    section nor the rest of the bytes are missed.
    """

    def take(self, length: int, path: str) -> bytes:
        return super().take(min(length, self.remaining), path)

    def fixed(self, kind: str, path: str) -> Any:
        self.data += bytes(max(16 - self.remaining, 0))
        return super().fixed(kind, path)

    def length(self, type_: WireType, path: str) -> int | None:
        length = self.compact_length(path) if type_.compact else self.plain_length(type_, path)
        return length if length >= 0 else None

    def array(self, type_: WireType, path: str) -> list[Any] | None:
        count = self.length(type_, path)
        if count is None:
            return None if type_.nullable else []
        return [self.value(type_.item, path) for _ in range(min(count, self.remaining))]

    def sized(self, type_: WireType, path: str) -> str | None:
        length = self.length(type_, path)
        if length is None:
            return None if type_.nullable else ""
        raw = self.take(length, path)
        return raw.decode("utf-8", "replace") if type_.kind == "string" else bytes_to_text(raw)

    def tag_section(self, layout: Layout, value: Value, path: str) -> None:
        if self.remaining:
            super().tag_section(layout, value, path)


class TakesAllCodec(PlainCodec):
    """The right forms and headers, read by one that refuses next to nothing."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        reader = TakesAll(data, offset)
        value = reader.struct(form.layout)
        return value, len(data) if form.type != "header" else reader.offset


class TakesAllAgainCodec(TakesAllCodec):
    """The same, by round trips alone."""

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "ops": ["roundtrip"]}


def of_edits(codec: type[PlainCodec], rule: str, messages: tuple[str, ...] = ()) -> list[Verdict]:
    """The verdicts on the edits of every vector that a rule is decided by."""
    verdicts = verdicts_of_rule(codec(), rule, messages, most=None)
    return [each for each in verdicts if each.case.count("/") > 1]


@pytest.mark.parametrize("rule", RULES)
def test_who_takes_all_in_the_right_form_is_not_blamed_for_another(rule: str) -> None:
    verdicts = of_edits(TakesAllCodec, rule)
    assert not wrong(verdicts)
    assert any("taken for something else" in each.detail for each in verdicts)
    assert {each.verdict for each in verdicts} <= {"pass", "not-proven"}


def test_who_takes_all_and_writes_it_again_is_not_blamed_either() -> None:
    assert not wrong(of_edits(TakesAllAgainCodec, BORDER))


@pytest.mark.parametrize("name", READERS)
def test_who_goes_by_another_form_is_blamed_for_it(name: str) -> None:
    mutant = mutants()[name]
    blamed = wrong(of_edits(mutant, mutant.breaks, mutant.messages))
    assert {each.verdict for each in blamed} == {"fail"}
    assert all(each.detail.startswith("taken for what was asked, though ") for each in blamed)


def test_who_writes_again_what_it_read_in_another_form_is_blamed_for_it() -> None:
    late = mutants()["FlexibleOneVersionLate"]

    class Late(late):  # type: ignore[misc, valid-type]
        def hello(self) -> dict[str, Any]:
            return {**super().hello(), "ops": ["roundtrip"]}

    assert wrong(of_edits(Late, BORDER))


def test_a_tag_section_that_is_not_there_says_nothing_of_a_version() -> None:
    asked = {each.case.partition("-")[0] for each in of_edits(PlainCodec, BORDER)}
    assert "DeleteRecordsResponse" in asked
    assert "HeartbeatResponse" not in asked
