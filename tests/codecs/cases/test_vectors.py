"""The committed vectors keep their own form, and what can't be read is refused with its place."""

import json
from collections import Counter

import pytest
from jsonschema import Draft202012Validator

from conformance.codecs.cases.vectors import (
    VectorError,
    all_vectors,
    read_vectors,
    write_vectors,
)
from conformance.data import data_root, vector_messages
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.rules import catalogue
from conformance.schema.releases import whole_releases, wire_forms

GOOD = {
    "id": "HeartbeatResponse-v0-defaults",
    "message": "HeartbeatResponse",
    "version": 0,
    "releases": ["3.9.2"],
    "header": None,
    "bytes": "0000",
    "value": {"errorCode": 0},
    "headerValue": None,
    "covers": [],
    "comment": "every field at its default",
    "oracles": [{"name": "a", "version": "1"}, {"name": "b", "version": "1"}],
}


def lines(folder, *vectors):
    text = "".join(f"{json.dumps(vector)}\n" for vector in vectors)
    (folder / "HeartbeatResponse.jsonl").write_text(text)
    return folder


def test_every_line_is_valid_by_the_json_schema():
    schema = json.loads((data_root() / "vectors" / "vector.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    assert vector_messages()
    for message in vector_messages():
        text = (data_root() / "vectors" / f"{message}.jsonl").read_text("utf-8")
        for line in text.splitlines():
            validator.validate(json.loads(line))


def test_ids_are_unique_over_all_files():
    ids = Counter(vector.id for vector in all_vectors())
    assert [name for name, count in ids.items() if count > 1] == []


def test_there_are_at_least_three_thousand():
    assert sum(1 for _ in all_vectors()) >= 3000


def test_every_request_and_response_form_of_every_release_has_vectors():
    have = {(v.message, v.version, v.releases) for v in all_vectors() if v.header is None}
    want = {
        (form.message, form.version, form.releases)
        for message in vector_messages()
        for forms in wire_forms(message).values()
        for form in forms
        if form.type in ("request", "response")
    }
    assert want <= have
    assert len({key[:2] for key in want}) > 600


def test_every_request_and_response_version_has_a_whole_frame():
    frames = {(v.message, v.version) for v in all_vectors() if v.header is not None}
    bodies = {
        (v.message, v.version) for v in all_vectors() if v.message.endswith(("Request", "Response"))
    }
    assert frames == bodies


def test_every_vector_names_an_oracle_for_each_of_its_releases():
    for vector in all_vectors():
        kafka = {oracle.version for oracle in vector.oracles if oracle.name == "apache-kafka"}
        assert kafka == set(vector.releases), vector.id
        assert "reference" in {oracle.name for oracle in vector.oracles}


def test_covers_are_rules_of_the_catalogue():
    assert {rule for vector in all_vectors() for rule in vector.covers} <= set(catalogue())


@pytest.mark.parametrize("codec", [PlainCodec, ReferenceCodec])
@pytest.mark.parametrize("release", whole_releases())
def test_bodies_decode_to_their_value_and_back(codec, release):
    oracle = codec(release)
    bodies = [each for each in all_vectors() if each.releases[0] == release and each.header is None]
    assert bodies
    for vector in bodies:
        read, remaining = oracle.decode(vector.message, vector.version, vector.data)
        assert remaining == 0
        if vector.message in ("RecordBatch", "Records") and read["attributes"] & 7:
            continue  # compressors differ in the bytes that they write
        assert oracle.encode(vector.message, vector.version, read) == vector.data
        assert oracle.encode(vector.message, vector.version, vector.value) == vector.data


def test_what_is_written_is_read_again(tmp_path):
    vectors = read_vectors("ApiVersionsRequest")
    assert write_vectors(vectors, tmp_path) == {"ApiVersionsRequest": len(vectors)}
    assert read_vectors("ApiVersionsRequest", tmp_path) == vectors


def test_writing_removes_files_of_messages_without_vectors(tmp_path):
    write_vectors(read_vectors("ApiVersionsRequest"), tmp_path)
    write_vectors(read_vectors("HeartbeatRequest"), tmp_path)
    assert vector_messages(tmp_path) == ["HeartbeatRequest"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bytes": "0g"}, "non-hexadecimal"),
        ({"version": "0"}, "Expected `int`"),
        ({"message": "Other"}, "a vector of Other"),
    ],
)
def test_a_broken_line_is_refused_with_its_number(tmp_path, change, reason):
    folder = lines(tmp_path, {**GOOD, "id": "x"}, {**GOOD, **change})
    with pytest.raises(VectorError, match=rf"HeartbeatResponse\.jsonl:2: .*{reason}"):
        read_vectors("HeartbeatResponse", folder)


def test_an_id_given_twice_is_refused(tmp_path):
    folder = lines(tmp_path, GOOD, GOOD)
    with pytest.raises(VectorError, match=r":2: id 'HeartbeatResponse-v0-defaults' is there twice"):
        read_vectors("HeartbeatResponse", folder)


def test_a_line_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "HeartbeatResponse.jsonl").write_text("{\n")
    with pytest.raises(VectorError, match=r"HeartbeatResponse\.jsonl:1"):
        read_vectors("HeartbeatResponse", tmp_path)


def test_a_message_without_vectors_is_refused(tmp_path):
    with pytest.raises(VectorError, match="Nothing"):
        read_vectors("Nothing", tmp_path)
