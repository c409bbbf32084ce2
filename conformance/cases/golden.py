"""From golden vectors to families of cases, for one target.

What is asked depends on what the target said of itself: the operations it has, the release whose
names and tags it knows, whether it keeps tags that it does not know. Edits are made of each vector,
all derived, none stored:

    truncated       the last byte is missing,
    halved          so is the second half,
    fewer-elements  the input ends where the last element of an array begins: each must be refused,
                    or reading proves nothing
    trailing byte   a byte follows the last field      } legal to read, and nobody writes them so: a
    over-long tags  `00` at the end becomes `80 00`    } round trip must not echo them
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.cases.case import Case, Family, Reads, Refuses, RefusesOrWrites, Writes
from conformance.cases.vectors import Vector
from conformance.protocol import Hello, Op, Request
from conformance.reference import ReferenceCodec
from conformance.rules import Rule
from conformance.schema.layout import Form
from conformance.schema.releases import definitions, form_for, nearest, releases
from conformance.wire.reader import UNKNOWN_TAGS, Part, annotate

SHORT_INPUT = "primitives.short-input-refused"
MISSING_TAGS = "tags.section-required"
TRAILING_BYTES = "framing.trailing-bytes-ignored"
OVERLONG_VARINT = "primitives.varint-overlong-accepted"
DERIVED_RULES = frozenset({SHORT_INPUT, MISSING_TAGS, TRAILING_BYTES, OVERLONG_VARINT})
"""The rules that edits of a vector decide, rather than the vector itself."""

_READS = "codec-decode"
_WRITES = "codec-encode"
_APPLIES = {
    "decode": (_READS,),
    "decode-request": (_READS,),
    "decode-response": (_READS,),
    "encode": (_WRITES,),
    "encode-request": (_WRITES,),
    "encode-response": (_WRITES,),
    "roundtrip": (_READS, _WRITES),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """What of the suite is run: rules by id, and optionally messages, versions and case ids."""

    rules: dict[str, Rule]
    messages: frozenset[str] | None = None
    versions: frozenset[int] | None = None
    cases: frozenset[str] | None = None

    def wants(self, vector: Vector) -> bool:
        """Whether a vector is of a selected message and version."""
        return (self.messages is None or vector.message in self.messages) and (
            self.versions is None or vector.version in self.versions
        )


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

    def __init__(self, hello: Hello, selection: Selection, vectors: Iterable[Vector]) -> None:
        self.hello = hello
        self.selection = selection
        self.release = followed_release(hello)
        self.codec = _codec(self.release)
        self.keeps = hello.unknown_tags == "kept"
        applicable = (vector for vector in vectors if self.applies(vector))
        self.sibling = min(
            (vector for vector in applicable if vector.hex and vector.header is None),
            key=lambda vector: len(vector.hex),
            default=None,
        )

    def applies(self, vector: Vector) -> bool:
        support = self.hello.messages.get(vector.message)
        if support is None or not any(
            low <= vector.version <= high for low, high in support.versions
        ):
            return False
        form = form_for(self.release, vector.message, vector.version)
        return form is not None and bool(set(form.releases) & set(vector.releases))

    def family(self, vector: Vector) -> Family:
        cases = self._frame(vector) if vector.header is not None else self._body(vector)
        if self.selection.cases is not None:
            cases = self._only_selected(cases)
        return Family(vector.id, tuple(cases))

    def _only_selected(self, cases: list[Case]) -> list[Case]:
        """Keep the rules of the selected cases; the others stay as their twins."""
        wanted = self.selection.cases or frozenset()
        return [case if case.id in wanted else _without_rules(case) for case in cases]

    def _body(self, vector: Vector) -> list[Case]:
        form = self.codec.form(vector.message, vector.version)
        data = vector.data
        value = self._value(vector, form)
        stripped, unknown = without_unknown_tags(value)
        without_tags = self.codec.write(form, stripped) if unknown else None
        options = (data, without_tags) if without_tags and not self.keeps else (data,)
        reads = Reads(value, form.layout, keeps_tags=self.keeps)
        writes = Writes(options, (form.layout,), without_tags)
        unwritable = "" if self.keeps or not unknown else "declares that it drops unknown tags"
        return [
            self._case(vector, "decode", reads, vector.covers, twins=(1,), data=data),
            self._truncated(vector, "decode", twin=0),
            self._cut(vector, len(vector.data) // 2, "halved"),
            self._case(
                vector, "encode", writes, vector.covers, value=value, unsupported=unwritable
            ),
            self._case(vector, "roundtrip", writes, vector.covers, twins=(5, 6), data=data),
            self._truncated(vector, "roundtrip", twin=4),
            self._uncanonical(vector, writes),
            *self._fewer_elements(vector),
        ]

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
            self._case(vector, decode, reads, vector.covers, twins=(1,), data=vector.data),
            self._truncated(vector, decode, twin=0),
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

    def _case(
        self,
        vector: Vector,
        op: Op,
        expects: Any,
        rules: Iterable[str],
        twins: tuple[int, ...] = (),
        data: bytes = b"",
        value: Any = None,
        header: dict[str, Any] | None = None,
        unsupported: str = "",
        edit: str = "",
    ) -> Case:
        request = Request(
            op=op,
            message=vector.message,
            version=vector.version,
            bytes=data,
            value=value,
            header=header,
        )
        if not self.hello.supports(request):
            unsupported = f"does not declare {op} of this version"
        return Case(
            id="/".join(filter(None, (vector.id, op, edit))),
            request=request,
            expects=expects,
            rules=tuple(rule for rule in rules if self._decides(rule, op)),
            twins=twins,
            unsupported=unsupported,
        )

    def _decides(self, rule: str, op: str) -> bool:
        found = self.selection.rules.get(rule)
        return found is not None and any(kind in found.applies for kind in _APPLIES[op])

    def _truncated(self, vector: Vector, op: Op, twin: int) -> Case:
        """The vector without its last byte; of an empty body, the message's shortest other one."""
        whole = vector if vector.hex else self.sibling or vector
        last = MISSING_TAGS if self._ends_in_empty_tags(whole) else SHORT_INPUT
        return self._case(
            whole,
            op,
            Refuses("the last byte is missing"),
            (last,) if whole is vector else (),
            twins=(twin,),
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
            twins=(0,),
            data=vector.data[:length],
            unsupported="" if vector.hex else "no body to cut",
            edit=edit,
        )

    def _uncanonical(self, vector: Vector, writes: Writes) -> Case:
        data = vector.data
        if self._ends_in_empty_tags(vector):
            edited, rule, edit = data[:-1] + b"\x80\x00", OVERLONG_VARINT, "overlong-varint"
        else:
            edited, rule, edit = data + b"\x00", TRAILING_BYTES, "trailing-byte"
        expects = RefusesOrWrites(edit.replace("-", " "), writes)
        return self._case(vector, "roundtrip", expects, (rule,), data=edited, edit=edit)

    def _ends_in_empty_tags(self, vector: Vector) -> bool:
        """Whether the last byte is a varint of 0, and so the count of an empty tag section."""
        form = self.codec.form(vector.message, vector.version)
        if not form.flexible or not vector.hex.endswith("00"):
            return False
        return self._parts(vector)[-1].kind == "uvarint"

    def _parts(self, vector: Vector) -> list[Part]:
        """What each byte of a vector is."""
        form = self.codec.form(vector.message, vector.version)
        headers = [] if vector.header is None else [self.codec.header_form(form).layout]
        parts, _ = annotate([*headers, form.layout], vector.data)
        return parts

    def _value(self, vector: Vector, form: Form) -> Any:
        """The vector's value in the names of the target's release.

        A tag that is newer than that release is an unknown tag to it.
        """
        if vector.releases[0] == self.release:
            return vector.value
        codec = self.codec
        offset = 0
        if vector.header is not None:
            _, offset = codec.read(codec.header_form(form), vector.data)
        return codec.read(form, vector.data, offset)[0]


def followed_release(hello: Hello) -> str:
    """The stored release whose definitions a target follows, or the nearest one."""
    return hello.definitions if hello.definitions in releases() else nearest(hello.definitions)


@cache
def _codec(release: str) -> ReferenceCodec:
    return ReferenceCodec(definitions(release).release)


def _without_rules(case: Case) -> Case:
    return Case(case.id, case.request, case.expects, (), case.twins, case.unsupported)


def without_unknown_tags(value: Any) -> tuple[Any, bool]:
    """The value without the tags that nobody knew, at any depth, and whether it had some."""
    if isinstance(value, list):
        pairs = [without_unknown_tags(item) for item in value]
        return [item for item, _ in pairs], any(found for _, found in pairs)
    if not isinstance(value, dict):
        return value, False
    kept = {
        name: without_unknown_tags(item) for name, item in value.items() if name != UNKNOWN_TAGS
    }
    found = UNKNOWN_TAGS in value or any(found for _, found in kept.values())
    return {name: item for name, (item, _) in kept.items()}, found
