"""Each of several generated defects is one finding that names its place, whatever else is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.reference.codec import PlainCodec, Value
from conformance.reporting.breaches import harm_of, in_a_clause
from conformance.schema.layout import Form
from conformance.wire.errors import EncodeError
from tests.codecs.diagnosis.generated import (
    BESIDE,
    Codec,
    Draw,
    Path,
    cut_to_characters,
    edited,
)
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

MANY, LACKING = 8, 5
"""So many messages have text cut short, and in so many others a field is missing."""
_SIDE = {"Request": "encode", "Response": "decode"}
"""What a client does with a message; what it writes shows more than what it refuses to read."""


def dropped_in_several(draw: Draw) -> tuple[dict[str, Path], type[Codec]]:
    """The fields that requests lack, and a codec that lacks them and cuts all text as well."""
    lost: dict[str, Path] = {}
    while len(lost) < LACKING:
        message, _, path = draw.field(lambda item: item.type.kind in ("int16", "int32", "int64"))
        if message.type == "request" and len(path) > 1:
            lost.setdefault(message.name, path)
    others: set[str] = set()
    while len(others) < MANY:
        others |= {draw.message(lambda each: each.type == "request").name} - lost.keys()

    class Several(Codec):
        messages = tuple(sorted({*BESIDE, *others, *lost}))
        name = "several"
        Writes = cut_to_characters(draw).codec.Writes

        def hello(self) -> dict[str, Any]:
            said = super().hello()
            return {
                **said,
                "messages": {n: _of_a_client(n, m) for n, m in said["messages"].items()},
            }

        def form(self, message: str, version: int) -> Form:
            return _without(lost, PlainCodec.form(self, message, version))

    return lost, Several


def _of_a_client(name: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a client of few versions has: it writes requests and reads responses."""
    [side] = [op for kind, op in _SIDE.items() if name.endswith(kind)]
    low = said["versions"][0][0]
    return {**said, "versions": [[low, low]], "ops": [side]}


def _without(lost: Mapping[str, Path], true: Form) -> Form:
    if true.message not in lost:
        return true
    path = lost[true.message]
    layout = edited(true.layout, path, lambda fields, at: fields[:at] + fields[at + 1 :])
    return replace(true, layout=layout)


@pytest.mark.parametrize("seed", [3])
def test_each_message_that_lacks_a_field_is_one_finding_that_names_it(seed: int) -> None:
    lost, codec = dropped_in_several(Draw(seed, "several"))
    findings = [in_a_clause(each) for each in quick_results(codec()).findings]
    assert len(findings) == LACKING + 1, findings
    assert any("characters" in said for said in findings)
    for message, path in lost.items():
        found = [said for said in findings if message in said]
        assert len(found) == 1, (message, path, findings)
        assert path[-1].lower() in found[0].lower()


def test_a_message_of_which_each_is_refused_is_told_as_one_that_cannot_be_sent() -> None:
    message = Draw(3, "refused").message(lambda each: each.type == "request")

    class Refuses(Codec):
        of, messages, name = message.name, (*BESIDE, message.name), "refuses"

        def hello(self) -> dict[str, Any]:
            said = super().hello()
            said["messages"][message.name] = {**said["messages"][message.name], "ops": ["encode"]}
            return said

        def write(self, form: Form, value: Value) -> bytes:
            if form.message == message.name:
                raise EncodeError("a binary string is expected", "")
            return super().write(form, value)

    [finding] = quick_results(Refuses()).findings
    assert in_a_clause(finding).startswith(f"refuses to write {message.name} at all")
    assert "cannot send" in harm_of(finding)
    assert "where it is a" not in finding.cause
