"""Any bytes make a case: what may come of them is what the oracles make of them."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.case import Reads, Refuses, RefusesOrReads
from conformance.codecs.cases.from_bytes import (
    CUT_SHORT,
    FORGIVEN,
    IN_TAGS,
    READ,
    REFUSED,
    TAGS_READ,
    TRAILING,
    WRITTEN,
    found_family,
)
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.fuzzing.campaign import Suspected
from conformance.fuzzing.inputs import InputSubject
from conformance.fuzzing.triage import triage
from conformance.reference.codec import ReferenceCodec
from conformance.rules import catalogue

MESSAGE = "ApiVersionsRequest"
WELL_FORMED = bytes.fromhex("0261026200")
SHORT = WELL_FORMED[:-1]
INPUT = InputSubject(MESSAGE, 3).head + WELL_FORMED
TARGET = ObjectTarget(ReferenceCodec())


def family(data: bytes, message: str = MESSAGE, version: int = 3):
    found = found_family("found", message, version, "decode", data, TARGET.hello)
    assert found is not None
    return found


def test_what_the_strict_reader_reads_has_to_be_read():
    expects = family(WELL_FORMED).cases[0].expects
    assert isinstance(expects, Reads)
    assert expects.value == {"clientSoftwareName": "a", "clientSoftwareVersion": "b"}


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("02610262", "tags.section-required"),
        ("02", "primitives.length-beyond-input-refused"),
        ("0026", "primitives.null-refused"),
        ("ffffffffff01", "primitives.varint-too-long-refused"),
        ("0261026201640f", "tags.size-beyond-input-refused"),
    ],
)
def test_what_no_reader_reads_has_to_be_refused(data: str, rule: str):
    case = family(bytes.fromhex(data)).cases[0]
    assert isinstance(case.expects, Refuses)
    assert case.rules == (rule,)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("026102620000", "framing.trailing-bytes-ignored"),
        ("8200610262 00", "primitives.varint-overlong-accepted"),
        ("02610262 02 6500 6400", "tags.unsorted-accepted"),
        ("02ff0262 00", "primitives.invalid-utf8"),
    ],
)
def test_what_a_lenient_reader_reads_may_be_refused(data: str, rule: str):
    case = family(bytes.fromhex(data)).cases[0]
    assert isinstance(case.expects, RefusesOrReads)
    assert case.rules == (rule,)


def test_the_rules_that_an_error_is_of_are_in_the_catalogue():
    named = {READ, WRITTEN, TRAILING, TAGS_READ, CUT_SHORT}
    assert {*named, *REFUSED.values(), *FORGIVEN.values(), *IN_TAGS.values()} <= catalogue().keys()


@pytest.mark.parametrize("message", ["MetadataResponse", "RecordBatch", "FetchRequest"])
def test_the_reference_codec_passes_on_whatever_is_found(message: str):
    vectors = [each for each in read_vectors(message) if each.header is None and each.hex][:40]
    found = [
        found_family(
            f"{each.id}/{cut}", message, each.version, "decode", each.data[:cut], TARGET.hello
        )
        for each in vectors
        for cut in (len(each.data), len(each.data) // 2)
    ]
    verdicts = list(run([each for each in found if each], TARGET, catalogue()))
    assert {each.verdict for each in verdicts} == {"pass"}
    assert len(verdicts) >= 2 * len(found)


def test_a_message_that_the_codec_has_not_makes_no_case():
    assert found_family("found", MESSAGE, 99, "decode", b"", TARGET.hello) is None


def test_a_find_whose_control_case_fails_is_shown_again_by_its_own_input():
    class Forgiving(ReferenceCodec):
        """Reads what ends one byte too early, too."""

        def decode(self, message: str, version: int, data: bytes) -> Any:
            return super().decode(message, version, WELL_FORMED if data == SHORT else data)

    found = triage([Suspected(INPUT)], ObjectTarget(Forgiving()), "mine", "spec")
    assert [each.rules for each in found.findings] == [[CUT_SHORT]]
    assert found.findings[0].reproduce.endswith(INPUT.hex())


def of_ops(codec: type[ReferenceCodec], *ops: str) -> ObjectTarget:
    """A target that declares these operations on bodies alone."""

    class Declaring(codec):  # type: ignore[misc, valid-type]
        def hello(self) -> dict[str, Any]:
            said: dict[str, Any] = super().hello()
            return {**said, "ops": list(ops), "messages": {MESSAGE: [0, 4]}}

    return ObjectTarget(Declaring())


class Backwards(ReferenceCodec):
    """Writes the bytes of every message in reverse."""

    def encode(self, message: str, version: int, value: Any) -> bytes:
        return super().encode(message, version, value)[::-1]

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        return super().roundtrip(message, version, data)[::-1]


@pytest.mark.parametrize(
    ("ops", "rule"),
    [
        (("decode", "encode"), READ),
        (("decode", "roundtrip"), WRITTEN),
        (("roundtrip",), READ),
        (("decode", "encode", "roundtrip"), READ),
    ],
)
def test_what_is_written_wrong_is_confirmed_by_whichever_writer_there_is(
    ops: tuple[str, ...], rule: str
):
    found = triage([Suspected(INPUT)], of_ops(Backwards, *ops), "mine", "spec")
    assert found.unconfirmed == []
    assert rule in found.findings[0].rules


@pytest.mark.parametrize(
    "ops", [("decode", "encode"), ("decode", "roundtrip"), ("roundtrip",), ("decode",)]
)
@pytest.mark.parametrize(
    "data", [WELL_FORMED, SHORT, WELL_FORMED + b"\0", bytes.fromhex("02ff026200")]
)
def test_a_codec_that_keeps_the_rules_has_no_finding_by_any_operation(
    ops: tuple[str, ...], data: bytes
):
    target = of_ops(ReferenceCodec, *ops)
    found = triage([Suspected(InputSubject(MESSAGE, 3).head + data)], target, "mine", "spec")
    assert found.findings == []


def test_what_no_case_confirms_is_kept_with_its_bytes_and_its_reason():
    found = triage([Suspected(INPUT, "another value")], TARGET, "mine", "spec")
    assert [(each.data, each.reason) for each in found.unconfirmed] == [(INPUT, "another value")]


@pytest.mark.parametrize(
    "suspected",
    [Suspected(INPUT, "slow"), Suspected(INPUT, ended="timeout"), Suspected(INPUT, "x", old=True)],
)
def test_costs_that_a_fresh_process_has_not_and_older_suspicions_are_refuted(suspected: Suspected):
    found = triage([suspected], TARGET, "mine", "spec")
    assert (found.unconfirmed, found.refuted) == ([], [suspected])
