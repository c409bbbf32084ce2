"""The protocol's JSON Schema accepts the lines of a real session, and none that smoke refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.testee.answers import NEEDED_KEYS, request_fields
from conformance.codecs.testee.hello import HELLO_LINE
from conformance.codecs.testee.worked_examples import FACTS
from conformance.targets.registry import serve_path
from conformance.testee_protocol import OPS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "testee-protocol.schema.json").read_text())
WRONG = ROOT / "tests" / "codecs" / "testee" / "wrong"

HELLO = {
    "protocol": 1,
    "name": "x",
    "version": "1",
    "ops": ["roundtrip"],
    "messages": {"MetadataRequest": [0, 13]},
}


def is_valid(definition: str, line: Any) -> bool:
    return _validator(definition).is_valid(line)


def is_batch(value: Any) -> bool:
    """Whether a value, which is no line by itself, is that of a batch."""
    schema = {"$defs": SCHEMA["$defs"], "$ref": "#/$defs/recordBatch"}
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@cache
def _validator(definition: str) -> jsonschema.Draft202012Validator:
    schema = {**SCHEMA, "$ref": f"#/$defs/{definition}"}
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def session() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What a small codec is asked through `serve.py`, each request with its answer."""
    asked = list(_requests())
    sent = b"".join(json.dumps(request).encode() + b"\n" for request in asked)
    done = subprocess.run(
        [sys.executable, serve_path(), "small_codecs:Right"],
        input=HELLO_LINE + sent,
        capture_output=True,
        cwd=WRONG,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return list(zip([json.loads(HELLO_LINE), *asked], answers, strict=True))


def _requests() -> Iterator[dict[str, Any]]:
    known = {("MetadataRequest", 0), ("MetadataRequest", 1), ("ApiVersionsResponse", 0)}
    facts = [fact for fact in FACTS if (fact.message, fact.version) in known]
    pairs = [(fact, op) for op in OPS for fact in facts if fact.fits(op)]
    for number, (fact, op) in enumerate(pairs):
        yield request_fields(fact.request(op), number)
    cut = {**request_fields(facts[0].request("roundtrip"), 1000), "bytes": "00"}
    yield cut
    yield {**cut, "op": "decode"}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_recorded_session_is_valid(
    session: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    (hello, introduction), *asked = session
    assert is_valid("helloRequest", hello)
    assert is_valid("helloAnswer", introduction)
    kinds = set()
    for request, answer in asked:
        assert is_valid(f"{request['op']}.request", request), request
        assert is_valid(f"{request['op']}.answer", answer), answer
        kinds.add((request["op"], *sorted(answer.keys() & {"value", "bytes", "rejected"})))
    assert {op for op, *_ in kinds} == set(OPS)
    assert {("roundtrip", "rejected"), ("decode", "rejected"), ("decode", "value")} <= kinds


def test_every_line_of_a_session_is_a_line_of_the_protocol(
    session: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert session
    for pair in session:
        for line in pair:
            assert validator.is_valid(line)


@pytest.mark.parametrize("op", OPS)
def test_an_answer_needs_its_keys(
    session: list[tuple[dict[str, Any], dict[str, Any]]], op: str
) -> None:
    answers = [answer for request, answer in session if request["op"] == op]
    given = next((each for each in answers if "unsupported" not in each), None)
    if given is None:  # the small codec has no such op
        given = {"id": 1, "bytes": "00"}
    assert is_valid(f"{op}.answer", given)
    for key in ("id", *NEEDED_KEYS[op]):
        without = {name: value for name, value in given.items() if name != key}
        assert not is_valid(f"{op}.answer", without), key


@pytest.mark.parametrize(
    ("definition", "line"),
    [
        ("roundtrip.answer", {"id": 1, "bytes": "0A"}),
        ("roundtrip.answer", {"id": 1, "bytes": "0"}),
        ("roundtrip.answer", {"id": 1, "bytes": "AAE="}),
        ("roundtrip.answer", {"id": "1", "bytes": "00"}),
        ("roundtrip.answer", {"id": 1.5, "bytes": "00"}),
        ("roundtrip.answer", {"id": 1, "bytes": "00", "rejected": "no"}),
        ("roundtrip.answer", {"id": 1, "rejected": True}),
        ("roundtrip.answer", {"id": 1, "rejected": "no", "stage": "later"}),
        ("roundtrip.answer", {"id": 1, "rejected": "no", "crashed": "yes"}),
        ("roundtrip.answer", [1]),
        ("decode.answer", {"id": 1, "value": [], "remaining": 0}),
        ("decode.answer", {"id": 1, "value": {}, "remaining": "0"}),
        ("decode-request.answer", {"id": 1, "header": {}, "value": {}, "remaining": 0}),
        (
            "decode-request.answer",
            {"id": 1, "header": {"correlation_id": 7}, "value": {}, "remaining": 0},
        ),
        ("helloAnswer", {**HELLO, "protocol": 2}),
        ("helloAnswer", {**HELLO, "protocol": "1"}),
        ("helloAnswer", {**HELLO, "ops": ["decode_request"]}),
        ("helloAnswer", {**HELLO, "ops": []}),
        ("helloAnswer", {**HELLO, "messages": {}}),
        ("helloAnswer", {**HELLO, "messages": {"MetadataRequest": 13}}),
        ("helloAnswer", {**HELLO, "messages": {"MetadataRequest": [13]}}),
        ("helloAnswer", {**HELLO, "messages": {"metadata_request": [0, 13]}}),
        ("helloAnswer", {**HELLO, "window": 0}),
        ("helloAnswer", {**HELLO, "int64": 64}),
        ("helloAnswer", {key: HELLO[key] for key in ("protocol", "name", "version", "ops")}),
        ("helloRequest", {"op": "hello"}),
        ("decode.request", {"op": "decode", "id": 1, "message": "MetadataRequest", "version": 0}),
        ("request", {"op": "no-such-op", "id": 1}),
    ],
)
def test_a_broken_line_is_invalid(definition: str, line: Any) -> None:
    assert not is_valid(definition, line)


@pytest.mark.parametrize(
    ("definition", "line"),
    [
        ("helloAnswer", {**HELLO, "x-unknown": 1}),
        ("helloAnswer", {**HELLO, "messages": {"MetadataRequest": {"versions": [[0, 3]]}}}),
        ("decode.answer", {"id": 1, "value": {}, "remaining": None, "allocated": 5}),
        ("roundtrip.answer", {"id": 1, "crashed": "stack overflow"}),
        ("encode.answer", {"id": 1, "unsupported": "no encoder", "x-unknown": {}}),
        (
            "decode-response.answer",
            {"id": 1, "header": {"correlationId": 1}, "value": {}, "remaining": 0, "version": 0},
        ),
    ],
)
def test_what_may_be_added_is_valid(definition: str, line: Any) -> None:
    assert is_valid(definition, line)


def test_every_golden_batch_has_the_value_form_of_batches() -> None:
    batches = read_vectors("RecordBatch")
    assert batches
    assert [vector.id for vector in batches if not is_batch(vector.value)] == []


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("key", "6b"),
        ("key", [107]),
        ("value", "fbfffe0"),
        ("headers", None),
        ("headers", {"h": None}),
        ("headers", [{"key": "aA==", "value": 1}]),
        ("headers", [{"key": None, "value": None}]),
        ("timestampDelta", "soon"),
        ("offsetDelta", "1"),
        ("attributes", 200),
    ],
)
def test_a_record_in_another_form_is_invalid(field: str, given: Any) -> None:
    batch = next(fact.value for fact in FACTS if fact.message == "RecordBatch")
    first, second = batch["records"]
    assert is_batch(batch)
    assert not is_batch({**batch, "records": [{**first, field: given}, second]})


def test_the_page_names_every_field_of_a_batch() -> None:
    page = (ROOT / "docs" / "testee-protocol.md").read_text("utf-8")
    names = [*SCHEMA["$defs"]["recordBatch"]["required"], *SCHEMA["$defs"]["record"]["required"]]
    assert [name for name in names if f"`{name}`" not in page] == []
