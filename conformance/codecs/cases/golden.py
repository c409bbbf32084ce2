"""Families of cases from golden vectors, for one target.

The requests depend on what the target declares: its operations, the release whose names and tags it
knows, and whether it keeps tags that it does not know. Edits are derived from each vector; none is
stored:

    truncated       the last byte is missing,
    halved          the second half is missing,
    fewer-elements  the input ends where the last element of an array begins: each must be refused,
                    or reading proves nothing
    trailing byte   a byte follows the last field      } legal to read, but no codec writes them so:
    over-long tags  `00` at the end becomes `80 00`    } a round trip must not echo them
    explicit default  a tagged field is written though it holds its default: legal, and to be read
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Literal

import msgspec

from conformance.codecs.cases.case import (
    Case,
    Family,
    Reads,
    Refuses,
    RefusesOrWrites,
    Writes,
)
from conformance.codecs.cases.known_definitions import (
    NEEDS_KNOWN_TAGS,
    codec_of,
    codec_of_release,
    followed_release,
    unheld,
)
from conformance.codecs.cases.mutate.changes import Changes
from conformance.codecs.cases.mutate.faults import Faults
from conformance.codecs.cases.records.families import batch_cases, compressor_lacking
from conformance.codecs.cases.records.sets import set_cases
from conformance.codecs.cases.rules_of_edits import (
    MISSING_TAGS,
    OVERLONG_VARINT,
    SHORT_INPUT,
    TRAILING_BYTES,
)
from conformance.codecs.cases.values.explicit import EXPLICIT_DEFAULT, edited, explicit_defaults
from conformance.codecs.cases.values.nan import holds_nan
from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.codecs.cases.vectors import Vector
from conformance.codecs.cases.written_again import written_again
from conformance.rules import Rule, catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Form
from conformance.schema.record_batch import RECORD_BATCH, RECORD_SET
from conformance.schema.releases import form_for
from conformance.testee_protocol import Hello, Op, Request
from conformance.wire.reader import BytePart, annotate

_FAULTY_OPS: tuple[Op, ...] = ("decode", "decode-request", "decode-response", "roundtrip")
NOT_SELECTED = "not selected"
"""Why a case is spared that is neither selected nor the control case of one that is."""
Answered = Literal["fail", "unsupported", "pass"]
_READS = "codec-decode"
_WRITES = "codec-encode"
_APPLIES: dict[Op, tuple[str, ...]] = {
    "decode": (_READS,),
    "decode-request": (_READS,),
    "decode-response": (_READS,),
    "encode": (_WRITES,),
    "encode-request": (_WRITES,),
    "encode-response": (_WRITES,),
    "roundtrip": (_READS, _WRITES),
}


def families(vectors: Sequence[Vector], hello: Hello, selection: Selection) -> Iterator[Family]:
    """The families of the vectors of one message that apply to a target.

    A vector applies where the target declares its message and version, and follows definitions
    that write this version so.
    """
    builder = _Builder(hello, selection, vectors)
    for vector in vectors:
        if selection.wants(vector) and builder.applies(vector):
            family = builder.family(vector)
            if any(case.rules for case in family.cases):
                yield family


class _Builder:
    """Makes the families of one message for one target."""

    def __init__(self, hello: Hello, selection: Selection, vectors: Sequence[Vector]) -> None:
        self.hello = hello
        self.selection = selection
        self.release = followed_release(hello)
        self.codec = codec_of(hello)
        self.all_tags = codec_of_release(self.release)
        self.keeps = hello.unknown_tags == "kept"
        self.faults = Faults(self.codec, selection.rules, self.keeps)
        self.changes = Changes(self.codec, selection.rules)
        self._vectors = vectors
        self._empty_tags: dict[str, bool] = {}

    @cached_property
    def sibling(self) -> Vector | None:
        """The shortest body that is not empty."""
        bodies = (each for each in self._vectors if each.hex and each.header is None)
        return min(filter(self.applies, bodies), key=lambda each: len(each.hex), default=None)

    @cached_property
    def _decides(self) -> dict[Op, frozenset[str]]:
        """The selected rules that each operation can decide."""
        return {op: _decided_by(op) & self.selection.rules.keys() for op in _APPLIES}

    def applies(self, vector: Vector) -> bool:
        support = self.hello.messages.get(vector.message)
        if support is None or not any(
            low <= vector.version <= high for low, high in support.versions
        ):
            return False
        form = form_for(self.release, vector.message, vector.version)
        return form is not None and bool(set(form.releases) & set(vector.releases))

    def family(self, vector: Vector) -> Family:
        if vector.message == RECORD_BATCH:
            cases = batch_cases(vector, self._case)
        elif vector.message == RECORD_SET:
            cases = set_cases(vector, self._case)
        else:
            cases = self._frame(vector) if vector.header is not None else self._body(vector)
            cases += self._faulty(vector, cases)
            cases += self._changed(vector, cases)
        if self.selection.cases is not None:
            return Family(vector.id, only_selected(cases, self.selection.cases))
        return Family(vector.id, tuple(cases))

    def _rules_to_edit_by(self, vector: Vector) -> dict[str, Rule]:
        """The rules whose edits of a vector are selected."""
        if self.selection.cases is None:
            return self.selection.rules
        edits = self._edits_of.get(vector.id, ())
        named = (rule for edit in edits for rule in _rules_by_edit()[edit])
        return {rule: self.selection.rules[rule] for rule in named if rule in self.selection.rules}

    @cached_property
    def _edits_of(self) -> dict[str, set[str]]:
        """Return, by vector, the beginnings of the edits' names of the selected cases."""
        found: dict[str, set[str]] = defaultdict(set)
        for case in self.selection.cases or ():
            vector, _, rest = case.partition("/")
            found[vector].add(rest.partition("/")[2].partition("/")[0])
        return found

    def _body(self, vector: Vector) -> list[Case]:
        form = self.codec.form(vector.message, vector.version)
        data = vector.data
        value = self._value(vector, form)
        stripped, unknown = without_unknown_tags(value)
        without_tags = self.codec.write(form, stripped) if unknown else None
        options = (data, without_tags) if without_tags and not self.keeps else (data,)
        reads = Reads(value, form.layout, keeps_tags=self.keeps)
        writes = Writes(options, (form.layout,), without_tags)
        named = replace(writes, alike=value) if holds_nan(form.layout, value) else writes
        unwritable = "" if self.keeps or not unknown else "declares that it drops unknown tags"
        covers = self._decided(vector, form)
        return [
            self._case(vector, "decode", reads, covers, control_cases=(1,), data=data),
            self._truncated(vector, "decode", control_case=0),
            self._cut(vector, len(vector.data) // 2, "halved"),
            self._case(vector, "encode", named, covers, value=value, unsupported=unwritable),
            self._case(vector, "roundtrip", writes, covers, control_cases=(5, 6), data=data),
            self._truncated(vector, "roundtrip", control_case=4),
            self._uncanonical(vector, writes),
            *self._fewer_elements(vector),
            *self._explicit_defaults(vector, reads, writes),
        ]

    def _decided(self, vector: Vector, form: Form) -> tuple[str, ...]:
        """The rules that a vector decides of a target which may not know all of its tags."""
        whole = self.all_tags.form(vector.message, vector.version)
        if form.layout == whole.layout:
            return vector.covers
        return tuple(rule for rule in vector.covers if rule not in NEEDS_KNOWN_TAGS)

    def _frame(self, vector: Vector) -> list[Case]:
        form = self.codec.form(vector.message, vector.version)
        header_form = self.codec.header_form(form)
        header = dict(vector.header_value or {})
        value = self._value(vector, form)
        kind = form.type
        _, unknown = without_unknown_tags(header)
        reads = Reads(value, form.layout, header, header_form.layout, self.keeps)
        writes = Writes((vector.data,), (header_form.layout, form.layout))
        given = {k: v for k, v in header.items() if not k.startswith("requestApi")}
        unwritable = "" if self.keeps or not unknown else "declares that it drops unknown tags"
        decode: Op = "decode-request" if kind == "request" else "decode-response"
        encode: Op = "encode-request" if kind == "request" else "encode-response"
        return [
            self._case(vector, decode, reads, vector.covers, control_cases=(1,), data=vector.data),
            self._truncated(vector, decode, control_case=0),
            self._case(
                vector,
                encode,
                writes,
                vector.covers,
                value=value,
                header=given,
                unsupported=unwritable,
            ),
        ]

    def _faulty(self, vector: Vector, cases: Sequence[Case]) -> Iterator[Case]:
        """The faults of a vector, whose control case is the reading of it untouched."""
        ops = [case.request.op for case in cases if not case.unsupported and case.request.bytes]
        op = next((op for op in _FAULTY_OPS if op in ops), None)
        if op is None:
            return
        faults = replace(self.faults, rules=self._rules_to_edit_by(vector))
        control_case = next(index for index, case in enumerate(cases) if case.request.op == op)
        for rule, edit, version, expects, undeclared in faults.of(vector):
            if op == "roundtrip" and (written := written_again(expects)) is None:
                continue
            yield self._case(
                _as_version(vector, version),
                op,
                written if op == "roundtrip" else expects,
                (rule,),
                control_cases=(control_case,),
                data=edit.data,
                edit=f"{_edit(rule)}/{edit.name}",
                undeclared=undeclared,
            )

    def _changed(self, vector: Vector, cases: Sequence[Case]) -> Iterator[Case]:
        """The changes of a vector's value, whose control case is the writing of it untouched."""
        control_case = next(
            (i for i, case in enumerate(cases) if case.request.op == "encode"), None
        )
        if control_case is None or cases[control_case].unsupported:
            return
        changes = replace(self.changes, rules=self._rules_to_edit_by(vector))
        for by, change, expects in changes.of(vector, cases[control_case].request.value):
            if by.answer == "default" and not self.hello.defaults:
                continue
            drops = by.tags and not self.keeps
            yield self._case(
                vector if change.version is None else _as_version(vector, change.version),
                "encode",
                expects,
                by.rules,
                control_cases=(control_case,),
                value=change.value,
                unsupported="declares that it drops unknown tags" if drops else "",
                edit=f"{_edit(by.rule)}/{change.name}",
                undeclared=by.answer == "undeclared",
            )

    def _case(
        self,
        vector: Vector,
        op: Op,
        expects: Any,
        rules: Iterable[str],
        control_cases: tuple[int, ...] = (),
        data: bytes = b"",
        value: Any = None,
        header: dict[str, Any] | None = None,
        unsupported: str = "",
        edit: str = "",
        undeclared: bool = False,
    ) -> Case:
        request = Request(
            op=op,
            message=vector.message,
            version=vector.version,
            bytes=data,
            value=value,
            header=header,
        )
        # What a writer's types can't hold it can't be given, and nothing is seen on the wire.
        if_unsupported: Answered = "unsupported" if op.startswith("encode") else "fail"
        if undeclared:
            known = self.hello.supports(request)
            unsupported, if_unsupported = "declares this version" if known else "", "pass"
        elif not self.hello.supports(request):
            unsupported = f"does not declare {op} of this version"
        elif lacking := compressor_lacking(self.hello, vector):
            unsupported = f"declares that it has no {lacking}"
        elif not unsupported:
            unsupported = unheld(self.hello, vector.message, vector.value)
        return Case(
            id="/".join(filter(None, (vector.id, op, edit))),
            request=request,
            expects=expects,
            rules=tuple(filter(self._decides[op].__contains__, rules)),
            control_cases=control_cases,
            unsupported=unsupported,
            if_unsupported=if_unsupported,
        )

    def _truncated(self, vector: Vector, op: Op, control_case: int) -> Case:
        """The vector without its last byte; of an empty body, the message's shortest other one."""
        whole = vector if vector.hex else self.sibling or vector
        last = MISSING_TAGS if self._ends_in_empty_tags(whole) else SHORT_INPUT
        return self._case(
            whole,
            op,
            Refuses("the last byte is missing"),
            (last,) if whole is vector else (),
            control_cases=(control_case,),
            data=whole.data[:-1],
            unsupported="" if whole.hex else "no body to truncate",
            edit="truncated",
        )

    def _fewer_elements(self, vector: Vector) -> Iterator[Case]:
        """A vector of two elements an array that ends where the last second one begins."""
        if vector.id.endswith("-two"):
            starts: dict[str, int] = {}
            for part in self._parts(vector):
                element, bracket, _ = part.path.rpartition("[1]")
                if bracket:
                    starts.setdefault(element, part.offset)
            if starts:
                yield self._cut(vector, max(starts.values()), "fewer-elements")

    def _cut(self, vector: Vector, length: int, edit: str) -> Case:
        """The beginning of a vector; its first case is the whole one."""
        return self._case(
            vector,
            "decode",
            Refuses(f"{len(vector.data) - length} bytes are missing"),
            (SHORT_INPUT,),
            control_cases=(0,),
            data=vector.data[:length],
            unsupported="" if vector.hex else "no body to cut",
            edit=edit,
        )

    def _explicit_defaults(self, vector: Vector, reads: Reads, writes: Writes) -> Iterator[Case]:
        """A vector with one tagged field more, at its default; to some it is an unknown tag."""
        if not edited(vector.id):
            return
        whole = self.all_tags.form(vector.message, vector.version)
        value = self.all_tags.read(whole, vector.data)[0]
        for path, data, left_out in explicit_defaults(whole, value):
            edit = f"explicit-default:{path}"
            read, written, unknown = self._with_default(vector, data, reads, writes)
            rules = (EXPLICIT_DEFAULT,) if unknown else (EXPLICIT_DEFAULT, left_out)
            yield self._case(
                vector, "decode", read, rules[:1], control_cases=(0, 1), data=data, edit=edit
            )
            yield self._case(
                vector, "roundtrip", written, rules, control_cases=(4, 5), data=data, edit=edit
            )

    def _with_default(
        self, vector: Vector, data: bytes, reads: Reads, writes: Writes
    ) -> tuple[Reads, Writes, bool]:
        """Return what is expected of these bytes, and True if their tag is unknown to it."""
        if self.codec is self.all_tags:
            return reads, writes, False
        form = self.codec.form(vector.message, vector.version)
        value = self.codec.read(form, data)[0]
        if self.codec.write(form, value) == vector.data:  # known, and so left out again
            return reads, writes, False
        options = (data,) if self.keeps else (data, *writes.options)
        return replace(reads, value=value), replace(writes, options=options), True

    def _uncanonical(self, vector: Vector, writes: Writes) -> Case:
        data = vector.data
        if self._ends_in_empty_tags(vector):
            edited, rule, edit = data[:-1] + b"\x80\x00", OVERLONG_VARINT, "overlong-varint"
        else:
            edited, rule, edit = data + b"\x00", TRAILING_BYTES, "trailing-byte"
        expects = RefusesOrWrites(edit.replace("-", " "), writes)
        return self._case(vector, "roundtrip", expects, (rule,), data=edited, edit=edit)

    def _ends_in_empty_tags(self, vector: Vector) -> bool:
        """True if the last byte is a varint of 0, and so the count of an empty tag section."""
        form = self.codec.form(vector.message, vector.version)
        if not form.flexible or not vector.hex.endswith("00"):
            return False
        if vector.value.keys() <= {item.name for item in form.layout.fields}:
            return True  # it has no tag
        known = self._empty_tags.get(vector.id)
        if known is None:
            known = self._empty_tags[vector.id] = self._parts(vector)[-1].kind == "uvarint"
        return known

    def _parts(self, vector: Vector) -> list[BytePart]:
        """Return the parts that a vector's bytes consist of."""
        form = self.codec.form(vector.message, vector.version)
        headers = [] if vector.header is None else [self.codec.header_form(form).layout]
        parts, _ = annotate([*headers, form.layout], vector.data)
        return parts

    def _value(self, vector: Vector, form: Form) -> Any:
        """The vector's value in the names of the target's release.

        A tag that is newer than that release is an unknown tag to it.
        """
        if vector.releases[0] == self.release and self.codec is self.all_tags:
            return vector.value
        codec = self.codec
        offset = 0
        if vector.header is not None:
            _, offset = codec.read(codec.header_form(form), vector.data)
        return codec.read(form, vector.data, offset)[0]


def only_selected(cases: Sequence[Case], selected: Collection[str]) -> tuple[Case, ...]:
    """Return the cases of a family; those not selected are skipped, controls have no rules."""
    controls = {at for case in cases if case.id in selected for at in case.control_cases}
    return tuple(
        case
        if case.id in selected
        else replace(case, rules=(), skipped=case.skipped if at in controls else NOT_SELECTED)
        for at, case in enumerate(cases)
    )


@cache
def _decided_by(op: Op) -> frozenset[str]:
    """The rules that an operation can decide."""
    kinds = set(_APPLIES[op])
    return frozenset(name for name, rule in catalogue().items() if kinds & set(rule.applies))


@cache
def _rules_by_edit() -> dict[str, list[str]]:
    """Return the rules, by the beginning of the names of their edits."""
    found: dict[str, list[str]] = defaultdict(list)
    for rule in catalogue():
        found[_edit(rule)].append(rule)
    return found


def _edit(rule: str) -> str:
    """Return the beginning of the names of edits that decide a rule."""
    return rule.partition(".")[2]


def _as_version(vector: Vector, version: int) -> Vector:
    return msgspec.structs.replace(vector, version=version)
