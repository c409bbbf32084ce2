"""The golden batches are those that are planned, and both halves of the codec agree with them."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import msgspec
import pytest

from conformance.codecs.cases.records.plan import COMPRESSED, plans
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.wire.records.reader import COMPRESSION_BITS
from tests.wire.records.codec import read, read_as_kafka, write

VECTORS = read_vectors("RecordBatch")
DIGEST = (
    "import hashlib, msgspec\n"
    "from conformance.codecs.cases.records.plan import plans\n"
    "found = [[item.name, item.value] for item in plans()]\n"
    "print(hashlib.sha256(msgspec.json.encode(found)).hexdigest())\n"
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_a_golden_batch_is_read_and_written(vector: Vector) -> None:
    assert read(vector.data) == vector.value
    assert read_as_kafka(vector.data) == (vector.value, [])
    if vector.value["attributes"] & COMPRESSION_BITS:  # no two compressors write alike
        assert read(write(vector.value)) == vector.value
    else:
        assert write(vector.value) == vector.data


def test_each_planned_batch_is_golden() -> None:
    golden = {vector.id: vector.value for vector in VECTORS}
    assert golden == {f"RecordBatch-v2-{item.name}": item.value for item in plans()}


def test_plans_are_the_same_in_every_process() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    found = [[item.name, item.value] for item in plans()]
    assert digests == {hashlib.sha256(msgspec.json.encode(found)).hexdigest().encode()}


def test_every_compression_is_planned() -> None:
    planned = {item.value["attributes"] & COMPRESSION_BITS for item in plans()}
    assert planned == {0, *COMPRESSED}


def test_no_two_plans_are_one() -> None:
    made = [msgspec.json.encode(item.value) for item in plans()]
    assert len(set(made)) == len(made)
