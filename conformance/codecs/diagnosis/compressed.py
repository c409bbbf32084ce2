"""Compressed record batches that a codec reads as if they were not compressed.

If no batch with some compression passes and batches without one are read right, the compression is
the cause, whatever rules the batches were made for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.codecs.cases.case import Case, reads_of
from conformance.codecs.diagnosis.shown import Find
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.schema.record_batch import RECORD_BATCH

_KINDS = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
"""The compressions by their number, the lowest three bits of a batch's attributes."""
_LEAST_CASES = 2
"""The least number of failed cases that read, for this to be reported.

A single batch may fail for another reason than its compression.
"""


def not_decompressed(
    symptoms: Symptoms, sorts: Mapping[Sort, Cause], find: Find
) -> dict[Sort, Observed]:
    """Return the compression as the cause of sorts of batches with one of which none passed."""
    found: dict[Sort, set[str]] = {}
    cases: set[str] = set()
    for sort, cause in sorts.items():
        examples = [each for each in cause.examples if each.message == RECORD_BATCH]
        kinds = {_compression_of(each, find) for each in examples}
        if len(examples) == len(cause.examples) and kinds and "" not in kinds:
            found[sort] = kinds
            cases |= {each.case for each in examples if each.op != "encode"}
    if not found:
        return {}
    passed = {
        _compression(find(case))
        for case in symptoms.cases()
        if case.startswith(f"{RECORD_BATCH}-v") and case.rpartition("/")[2] == "decode"
    }
    never = {kind for kinds in found.values() for kind in kinds} - passed
    if "" not in passed or not never or len(cases) < _LEAST_CASES:
        return {}
    kinds_said = sorted(never)
    is_written = any(each.op == "encode" for sort in found for each in sorts[sort].examples)
    verbs = "read and write" if is_written else "read"
    said = f"does not {verbs} batches that are compressed with {_listed(kinds_said)}"
    shown = Observed(
        said,
        "records.compression-after-count",
        harm="What a producer has compressed so cannot be read, or is taken for other records.",
        remedy=(
            "Decompress what follows the count of records, by the number in the attributes. If the "
            "library leaves that to its caller, let hello say so in `compression`."
        ),
    )
    return {sort: shown for sort, kinds in found.items() if kinds <= never}


def _compression_of(verdict: Verdict, find: Find) -> str:
    """Return the compression of the batch that a case decodes or encodes, "" for none."""
    if verdict.op != "encode":
        return _compression(find(verdict.case))
    return _of_value(verdict.input)


def _compression(case: Case | None) -> str:
    """Return the compression of the batch that a case expects to be decoded, "" for none."""
    reads = reads_of(case) if case is not None else None
    return _of_value(reads.value) if reads else ""


def _of_value(batch: Any) -> str:
    """Return the compression that the attributes of a batch name, "" for none."""
    attributes = batch.get("attributes", 0) if isinstance(batch, dict) else 0
    return _KINDS.get(int(attributes) & 7, "")


def _listed(names: list[str]) -> str:
    """Return the names as a list in words."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
