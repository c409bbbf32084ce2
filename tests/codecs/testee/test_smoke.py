"""The smoke checks tell a good adapter from a careless one, and name the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.codecs.resolve import open_target
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.codecs.testee.mistakes import mistake_in
from conformance.codecs.testee.smoke import Check, smoke
from conformance.codecs.testee.testee import Testee
from conformance.codecs.testee.worked_examples import FACTS, WorkedExample
from conformance.reference.codec import PlainCodec
from conformance.targets.errors import BadHello, TargetNotStarted
from conformance.testee_protocol import Outcome, Request
from tests.codecs.diagnosis.unseen_quick.defects import Int64AsDouble
from tests.codecs.testee.conftest import WRONG

Start = Callable[..., Testee]


def failures(checks: list[Check]) -> list[str]:
    return [check.name for check in checks if not check.ok]


def smoke_codec(name: str, monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    monkeypatch.setenv("PYTHONPATH", str(WRONG))
    with open_target(f"small_codecs:{name}", timeout_s=5) as target:
        return list(smoke(target))


@pytest.mark.usefixtures("nothing_stays")
def test_a_good_adapter_passes_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = smoke_codec("Right", monkeypatch)
    assert [check.state for check in checks] == ["ok"] * 19


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize(
    ("codec", "failed", "remedy"),
    [
        ("AcceptsCutMessages", "a message cut short is rejected", "rejected"),
        ("DiesOfCutMessages", "a message cut short is rejected", "rejected"),
        ("SnakeCase", "decode of a known message", "lowerCamelCase"),
        ("WithLength", "encode of a known message", "4-byte length"),
        ("HeaderNames", "decode-request of a known message", "RequestHeader"),
        ("ReadsTooLittle", "decode of a known message", "count the bytes"),
    ],
)
def test_a_wrong_codec_fails_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, codec: str, failed: str, remedy: str
) -> None:
    checks = smoke_codec(codec, monkeypatch)
    [check] = [check for check in checks if check.name == failed]
    assert check.state == "failed"
    assert remedy in check.remedy


@pytest.mark.usefixtures("nothing_stays")
def test_a_codec_that_lacks_what_it_declares_has_no_right_hello(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(BadHello, match="DeclaresTooMuch has no method encode_response"):
        smoke_codec("DeclaresTooMuch", monkeypatch)


class MembersRefused(PlainCodec):
    """Has JoinGroupResponse without members alone."""

    def hello(self) -> dict[str, Any]:
        messages = {"HeartbeatResponse": [0, 4], "JoinGroupResponse": [0, 5]}
        return {**super().hello(), "messages": messages}

    def decode(self, message: str, version: int, data: bytes) -> tuple[Any, int]:
        value, left = super().decode(message, version, data)
        if value.get("members"):
            raise ValueError("no members here")
        return value, left


def test_a_message_of_which_nothing_with_members_is_read_is_named() -> None:
    checks = {check.name: check for check in smoke(ObjectTarget(MembersRefused()))}
    check = checks["each message is read"]
    assert check.state == "note"
    assert check.detail == (
        "JoinGroupResponse is declared, but no message with a member is read: "
        "ValueError: no members here"
    )
    assert check.remedy.startswith("leave it out of hello")


def test_an_int64_that_goes_through_a_double_fails() -> None:
    checks = {check.name: check for check in smoke(ObjectTarget(Int64AsDouble()))}
    check = checks["an INT64 beyond 2^53 comes through"]
    assert check.state == "failed"
    assert '"int64":"string"' in check.remedy


@pytest.mark.usefixtures("nothing_stays")
def test_a_codec_of_other_messages_is_asked_about_those(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {check.name: check for check in smoke_codec("Unusual", monkeypatch)}
    for op in ("decode", "encode"):
        known = checks[f"{op} of a known message"]
        assert (known.state, known.detail) == ("ok", "ControlledShutdownRequest v1")
    skipped = [check.name for check in checks.values() if check.state == "skipped"]
    assert (skipped, failures([*checks.values()])) == ([], [])


@pytest.mark.usefixtures("nothing_stays")
def test_a_codec_of_types_alone_is_asked_about_one_that_can_be_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = {check.name: check for check in smoke_codec("TypesAlone", monkeypatch)}
    assert checks["decode of a known message"].detail == "Primitives v2"
    assert failures([*checks.values()]) == []


@pytest.mark.usefixtures("nothing_stays")
def test_a_mistake_in_other_messages_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = smoke_codec("UnusualInSnakeCase", monkeypatch)
    [check] = [check for check in checks if check.name == "decode of a known message"]
    assert (check.state, "lowerCamelCase" in check.remedy) == ("failed", True)
    assert check.detail.startswith("ControlledShutdownRequest v1: brokerId is missing")


@pytest.mark.parametrize(
    ("how", "failed"),
    [
        ("is careful", []),
        ("dies of an unknown op", ["an unknown op is unsupported"]),
        ("refuses unknown keys", ["unknown keys are ignored"]),
        ("ids as 32-bit floats", ["answers keep the order and the ids of requests"]),
        ("says goodbye", ["the end of stdin ends it with status 0"]),
        ("exits with 1", ["the end of stdin ends it with status 0"]),
    ],
)
def test_a_careless_loop_fails_one_check(wrong: Start, how: str, failed: list[str]) -> None:
    assert failures(list(smoke(wrong("careless", how)))) == failed


def test_one_that_stays_after_the_end_fails(wrong: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.codecs.testee.line_checks._END_S", 0.2)
    monkeypatch.setattr("conformance.codecs.testee.testee.CLOSE_GRACE_S", 0.2)
    checks = list(smoke(wrong("stays")))
    assert checks[-1].state == "failed"
    assert "still runs" in checks[-1].detail


@pytest.mark.usefixtures("nothing_stays")
def test_a_codec_that_can_not_be_made_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TargetNotStarted, match="no such library"):
        smoke_codec("Broken", monkeypatch)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.message}-{fact.version}")
def test_known_messages_agree_with_the_reference(fact: WorkedExample) -> None:
    """Two derivations of the same bytes: by hand, and by the definitions."""
    with open_target("reference") as target:
        decoded, encoded = target.ask([fact.request("decode"), fact.request("encode")])
    assert decoded.remaining == 0
    assert encoded.bytes == fact.body


def batch_of_records() -> WorkedExample:
    return next(fact for fact in FACTS if fact.message == "RecordBatch")


def test_64_bit_integers_are_text_at_every_depth_where_that_is_wished() -> None:
    value = batch_of_records().request("encode", int64_as_text=True).value
    assert (value["baseTimestamp"], value["lastOffsetDelta"]) == ("1000", 1)
    assert [item["timestampDelta"] for item in value["records"]] == ["0", "1000"]
    assert value["records"][0]["value"] == "dg=="


@pytest.mark.parametrize(
    ("field", "given", "found", "remedy"),
    [
        ("value", "76", 'records[0].value is "76"', "base64"),
        ("timestampDelta", 1000, "records[0].timestampDelta is 1000", "64-bit integers are exact"),
        ("headers", None, "records[0].headers is null", "an empty value"),
    ],
)
def test_a_mistake_in_a_record_is_named_by_its_path(
    field: str, given: object, found: str, remedy: str
) -> None:
    fact = batch_of_records()
    first, second = fact.value["records"]
    value = {**fact.value, "records": [{**first, field: given}, second]}
    mistake = mistake_in(fact, "decode", Outcome(outcome="value", value=value, remaining=0))
    assert mistake is not None
    assert found in mistake.what
    assert remedy in mistake.remedy


@pytest.mark.usefixtures("nothing_stays")
def test_what_no_field_holds_is_charged_to_the_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(WRONG))
    asked = [
        Request(op="decode", message="Primitives", version=version, bytes=b"\0\0")
        for version in (2, 9)
    ]
    with open_target("small_codecs:NoValues", timeout_s=5) as target:
        number, text = target.ask(asked)
    assert (number.value, number.remaining) == ({"int16": -(2**69)}, 4)
    assert (text.value, text.remaining) == ({"string": "\\ud800"}, -2)
