"""Layouts, cases and rules made by hand, as small as a test wants them."""

from __future__ import annotations

from typing import Any, Literal

from conformance.codecs.cases.case import Case, Expectation, Reads, Writes
from conformance.rules import Rule, RuleClass
from conformance.schema.layout import Layout, WireField, WireType
from conformance.testee_protocol import Op, Outcome, Request

INT32 = WireType("int32")
INNER = Layout(fields=(WireField("id", INT32, 0), WireField("at", WireType("int64"), 0)))
TOPICS = WireType("array", nullable=True, element=WireType("struct", struct=INNER))
NAME = WireType("string", nullable=True)
FLAG = WireField("flag", WireType("bool"), False, tag=0)
GONE = WireField("gone", INT32, -1)

LAYOUT = Layout(
    fields=(
        WireField("count", INT32, 0),
        WireField("name", NAME, ""),
        WireField("share", WireType("float64"), 0.0),
        WireField("topics", TOPICS, []),
    ),
    tagged=(FLAG,),
    absent=(GONE,),
    flexible=True,
)

VALUE: dict[str, Any] = {
    "count": 7,
    "name": "a",
    "share": 0.5,
    "topics": [{"id": 1, "at": 2**60}, {"id": 2, "at": -1}],
    "flag": True,
}

WRITTEN = Layout(fields=(WireField("count", INT32, 0), WireField("port", WireType("int16"), 0)))
"""Six bytes: an int32 and an int16."""


def changed(**fields: Any) -> dict[str, Any]:
    """VALUE with these fields; None of them is left out."""
    return {**VALUE, **fields}


def without(*names: str) -> dict[str, Any]:
    return {name: field for name, field in VALUE.items() if name not in names}


def case(
    expects: Expectation,
    op: Op = "decode",
    rules: tuple[str, ...] = ("group.rule",),
    control_cases: tuple[int, ...] = (),
    unsupported: str = "",
    name: str = "M-v0-x",
) -> Case:
    request = Request(op=op, message="M", version=0, bytes=b"\x01\x02", value={"count": 1})
    return Case(f"{name}/{op}", request, expects, rules, control_cases, unsupported)


def reads(value: Any = None, **options: Any) -> Reads:
    return Reads(VALUE if value is None else value, LAYOUT, **options)


def writes(*options: str) -> Writes:
    given = options or ("0000000a0001",)
    return Writes(tuple(bytes.fromhex(text) for text in given), (WRITTEN,))


def value(answer: Any, **fields: Any) -> Outcome:
    return Outcome(outcome="value", value=answer, **fields)


def wrote(text: str) -> Outcome:
    return Outcome(outcome="value", bytes=bytes.fromhex(text))


def rejected(stage: Literal["", "decode", "encode"] = "") -> Outcome:
    return Outcome(outcome="rejected", text="too short", error="ShortRead", stage=stage)


def rule(name: str = "group.rule", class_: RuleClass = "must") -> Rule:
    return Rule(
        id=name,
        class_=class_,
        applies=("codec-decode",),
        statement="It is so.",
        breach="does otherwise",
        source="here",
        rationale="because",
        harm="Nobody is hurt.",
        harm_level="nobody",
        group=name.partition(".")[0],
    )
