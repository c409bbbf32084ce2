"""The family of a batch: asked in every way that a target has, cut short, and edited.

The first six cases are those of every body. Compressed records are not compared byte for byte,
since compressors differ: what was written is read again, and has to say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.codecs.cases.case import (
    Case,
    Expectation,
    Reads,
    Refuses,
    RefusesOrReads,
    RefusesOrWrites,
    Survives,
    Writes,
)
from conformance.codecs.cases.records.edits import (
    PARTS_JOINED,
    SNAPPY_ALONE,
    SNAPPY_LENGTHS,
    XERIAL_VERSIONS,
    compressed_edits,
    edits,
    truncations,
)
from conformance.codecs.cases.records.faulty import RecordEdit, overlong, written
from conformance.codecs.cases.records.plan import COMPRESSED, PLAIN, plans
from conformance.codecs.cases.vectors import Vector
from conformance.schema.record_batch import LAYOUT, RECORD_BATCH, RECORD_SET
from conformance.testee_protocol import COMPRESSORS, Hello, Op

SHORT_INPUT = "primitives.short-input-refused"
TRAILING_BYTES = "framing.trailing-bytes-ignored"
OVERLONG = "records.varint-overlong-accepted"
COMPRESSION_BITS = 0x07


class MakeCase(Protocol):
    """Makes a case of a vector, as far as the target declares it and the rules are selected."""

    def __call__(
        self,
        vector: Vector,
        op: Op,
        expects: Expectation,
        rules: tuple[str, ...],
        *,
        control_cases: tuple[int, ...] = (),
        data: bytes = b"",
        value: Any = None,
        edit: str = "",
    ) -> Case:
        """The case `op` on this vector, or on `data` or `value` in its stead."""
        ...


def batch_cases(vector: Vector, case: MakeCase) -> list[Case]:
    """The cases of one vector."""
    return _Cases(vector, case).all()


def compressor_lacking(hello: Hello, vector: Vector) -> str:
    """The compressor of a batch that a target declares not to have, "" where it has it."""
    of_records = vector.message in (RECORD_BATCH, RECORD_SET)
    number = vector.value["attributes"] & COMPRESSION_BITS if of_records else 0
    name = COMPRESSORS[number - 1] if number else ""
    return "" if name in hello.compression else name


def edited(vector: Vector) -> Iterator[RecordEdit]:
    """The edits of a vector."""
    if _name(vector) == PLAIN:
        yield from edits(vector.value)
    if _name(vector) in COMPRESSED.values():
        yield from compressed_edits(vector.value, vector.data)


def batch_edits_decide(rule: str, vector: Vector) -> bool:
    """True if an edit of this batch decides a rule of records."""
    if rule == OVERLONG and vector.message == RECORD_BATCH:
        return bool(vector.value["records"])
    return vector.message == RECORD_BATCH and any(edit.rule == rule for edit in edited(vector))


@dataclass(frozen=True)
class _Cases:
    vector: Vector
    case: MakeCase

    def all(self) -> list[Case]:
        vector = self.vector
        alike = vector.value if vector.value["attributes"] & COMPRESSION_BITS else None
        reads = Reads(vector.value, LAYOUT)
        writes = Writes((vector.data,), (LAYOUT,), alike=alike)
        plain = [
            self.case(vector, "decode", reads, vector.covers, control_cases=(1,), data=vector.data),
            self._cut("decode", vector.data[:-1], "truncated", 0),
            self.case(vector, "encode", writes, vector.covers, value=vector.value),
            self.case(
                vector, "roundtrip", writes, vector.covers, control_cases=(4, 5), data=vector.data
            ),
            self._cut("roundtrip", vector.data[:-1], "truncated", 3),
            self._uncanonical(writes),
        ]
        op: Op = "decode" if not plain[0].unsupported else "roundtrip"
        control_case = 0 if op == "decode" else 3
        return [*plain, *self._truncated(op, control_case), *self._edited(op, control_case)]

    def _cut(self, op: Op, data: bytes, edit: str, control_case: int) -> Case:
        why = f"{len(self.vector.data) - len(data)} bytes are missing"
        rules = (SHORT_INPUT,)
        return self.case(
            self.vector,
            op,
            Refuses(why),
            rules,
            control_cases=(control_case,),
            data=data,
            edit=edit,
        )

    def _uncanonical(self, writes: Writes) -> Case:
        """Return the case of a legal form that no codec writes and no round trip may echo."""
        if self.vector.value["records"]:
            data, rule, edit = overlong(self.vector.value), OVERLONG, "overlong-varint"
        else:
            data, rule, edit = self.vector.data + b"\0", TRAILING_BYTES, "trailing-byte"
        expects = RefusesOrWrites(edit.replace("-", " "), writes)
        return self.case(self.vector, "roundtrip", expects, (rule,), data=data, edit=edit)

    def _truncated(self, op: Op, control_case: int) -> Iterator[Case]:
        """The plain batch cut where each of its fields begins."""
        if _name(self.vector) == PLAIN:
            for name, data in truncations(self.vector.data):
                yield self._cut(op, data, f"cut/{name}", control_case)

    def _edited(self, op: Op, control_case: int) -> Iterator[Case]:
        for edit in edited(self.vector):
            yield self.case(
                self.vector,
                op,
                _expected(edit, op),
                (edit.rule,),
                control_cases=(control_case,),
                data=edit.data,
                edit=f"{edit.rule.partition('.')[2]}/{edit.name}",
            )


def _expected(edit: RecordEdit, op: Op) -> Expectation:
    if edit.answer == "refused":
        return Refuses(edit.why)
    if edit.answer == "survived":
        return Survives(edit.why)
    assert edit.value is not None
    if edit.answer == "read":
        reads = Reads(edit.value, LAYOUT)
        return reads if op == "decode" else Writes((edit.data,), (LAYOUT,), alike=edit.value)
    if op == "decode":
        return RefusesOrReads(edit.why, Reads(edit.value, LAYOUT))
    return RefusesOrWrites(edit.why, Writes((written(edit.value),), (LAYOUT,)))


def _name(vector: Vector) -> str:
    """The vector's id without its message and version."""
    return vector.id.removeprefix(f"{RECORD_BATCH}-v{vector.version}-")


def _edit_rules() -> frozenset[str]:
    """The rules that edits decide, which need no vector to know them."""
    plain = next(plan for plan in plans() if plan.name == PLAIN)
    found = {edit.rule for edit in edits(plain.value)}
    return frozenset(
        {
            *found,
            OVERLONG,
            PARTS_JOINED,
            XERIAL_VERSIONS,
            SNAPPY_ALONE,
            SNAPPY_LENGTHS,
            "records.broken-compression-refused",
        }
    )


BATCH_RULES = _edit_rules()
"""The rules of records that edits of a batch decide."""
