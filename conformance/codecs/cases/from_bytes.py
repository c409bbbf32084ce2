"""Bytes that were found somewhere, as a case: the oracles decide which outcomes are allowed.

If the strict reference codec reads the bytes, every codec has to read the same value. If only a
reader as lenient as Apache Kafka's reads them, both answers are legal. Bytes that neither reads are
malformed. The rule is the one on the fault, or on reading in general. The family's second member is
the control case: for readable bytes the same bytes cut short, for others a well-formed message. A
value that is read has to be written again by each writer of the codec: a codec without a round trip
is asked to encode the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from conformance.codecs.cases.case import (
    Case,
    Expectation,
    Family,
    Reads,
    Refuses,
    RefusesOrReads,
    Writes,
)
from conformance.codecs.cases.known_definitions import codec_of, unheld
from conformance.codecs.cases.values.unknown_tags import has_unknown_tags, without_unknown_tags
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.cases.written_again import canonical, saying_the_same, written_again
from conformance.reference.codec import ReferenceCodec, Value
from conformance.schema.layout import Form, Layout
from conformance.testee_protocol import Hello, Op, Request
from conformance.wire.errors import (
    ChecksumError,
    CompressionError,
    DecodeError,
    FormatError,
    LengthError,
    MarkerError,
    NullNotAllowed,
    TagError,
    TextError,
    Truncated,
    VarintError,
)
from conformance.wire.lenient import Lenient
from conformance.wire.reader import Reader

READ = "versions.field-types"
WRITTEN = "framing.nothing-after-end"
TRAILING = "framing.trailing-bytes-ignored"
TAGS_READ = "tags.unknown-skipped"
CUT_SHORT = "primitives.short-input-refused"
REFUSED: dict[type[DecodeError], str] = {
    Truncated: CUT_SHORT,
    LengthError: "primitives.length-beyond-input-refused",
    NullNotAllowed: "primitives.null-refused",
    VarintError: "primitives.varint-too-long-refused",
    TagError: "tags.of-other-version-refused",
    ChecksumError: "records.crc-checked",
    CompressionError: "records.broken-compression-refused",
    FormatError: "records.unknown-magic-refused",
    TextError: "primitives.invalid-utf8",
    MarkerError: "nullable-structs.other-markers",
}
FORGIVEN: dict[type[DecodeError], str] = {
    LengthError: TRAILING,
    NullNotAllowed: "primitives.length-below-null",
    VarintError: "primitives.varint-overlong-accepted",
    TagError: "tags.unsorted-accepted",
    TextError: "primitives.invalid-utf8",
    MarkerError: "nullable-structs.other-markers",
}
IN_TAGS: dict[type[DecodeError], str] = {
    LengthError: "tags.size-beyond-input-refused",
    Truncated: "tags.section-required",
}


def found_family(
    name: str, message: str, version: int, op: Op, data: bytes, hello: Hello
) -> Family | None:
    """A reader's case of these bytes, and writers' cases of the value that is read from them.

    A codec that has a round trip alone reads by that. None for bytes of a message or version that
    the codec lacks.
    """
    codec = codec_of(hello)
    reader = reader_of(op, message, version, hello)
    if reader is None:
        return None
    request = Request(op=reader, message=message, version=version, bytes=data)
    forms = _forms(codec, message, version, op)
    layouts = tuple(each.layout for each in forms)
    keeps = hello.unknown_tags == "kept"
    expects, rule = expected_of(codec, forms, data, keeps)
    control_case = _control_case(name, request, expects, layouts)
    cases = [Case(name, request, expects, (rule,), control_cases=(1,) if control_case else ())]
    cases += [control_case] if control_case else []
    if reader == "roundtrip":
        return _round_trips(name, cases)
    if op == "decode" and isinstance(expects, Reads | RefusesOrReads):
        cases += _writers(name, request, expects, rule, hello)
    return Family(name, tuple(cases))


def reader_of(op: Op, message: str, version: int, hello: Hello) -> Op | None:
    """The operation by which a codec reads what `op` reads: that one, or its round trip of bodies.

    None where it has neither.
    """
    ops: tuple[Op, ...] = (op, "roundtrip") if op == "decode" else (op,)
    return next(
        (
            each
            for each in ops
            if hello.supports(Request(op=each, message=message, version=version))
        ),
        None,
    )


def _round_trips(name: str, cases: Iterable[Case]) -> Family | None:
    """Return readers' cases as round trips; None if a value that is read can't be written."""
    found = []
    for case in cases:
        again = _again(case.expects)
        if again is None:
            return None
        found.append(replace(case, expects=again))
    return Family(name, tuple(found))


def _writers(
    name: str, request: Request, expects: Reads | RefusesOrReads, rule: str, hello: Hello
) -> Iterator[Case]:
    """The cases of those writers that the codec has: the value that was read is encoded, and the
    bytes go round trip. No case where that value has no canonical bytes, or is no map.
    """
    message, version = request.message, request.version
    reads = expects if isinstance(expects, Reads) else expects.reads
    keeps = hello.unknown_tags == "kept"
    value = reads.value if keeps else without_unknown_tags(reads.value)[0]
    again = _again(expects)
    if again is None or unheld(hello, message, value):
        return
    encode = Request(op="encode", message=message, version=version, value=value)
    if hello.supports(encode):
        due = Writes((canonical(reads.layout, value),), (reads.layout,), alike=value)
        yield Case(f"{name}/encode", encode, due, (READ,), if_unsupported="unsupported")
    roundtrip = Request(op="roundtrip", message=message, version=version, bytes=request.bytes)
    if hello.supports(roundtrip):
        written = WRITTEN if isinstance(expects, Reads) else rule
        yield Case(f"{name}/roundtrip", roundtrip, again, (written,))


def _again(expects: Expectation) -> Expectation | None:
    """Return the result expected of a round trip of these bytes; None if they can't be written."""
    again = written_again(expects)
    if again is None or not isinstance(expects, Reads | RefusesOrReads):
        return again
    return saying_the_same(again, expects if isinstance(expects, Reads) else expects.reads)


def _forms(codec: ReferenceCodec, message: str, version: int, op: Op) -> tuple[Form, ...]:
    form = codec.form(message, version)
    return (form,) if op == "decode" else (codec.header_form(form), form)


def expected_of(
    codec: ReferenceCodec, forms: tuple[Form, ...], data: bytes, keeps: bool
) -> tuple[Expectation, str]:
    """Return the outcomes allowed for bytes that hold these forms in a row, and the rule for it."""
    layouts = tuple(each.layout for each in forms)
    try:
        values = _strictly(codec, forms, data)
    except DecodeError as error:
        fault = error
    else:
        rule = TAGS_READ if any(map(has_unknown_tags, values)) else READ
        return _reads(values, layouts, keeps), rule
    lenient = Lenient(data)
    try:
        values = [lenient.struct(layout) for layout in layouts]
    except DecodeError as error:
        rules = {**REFUSED, **IN_TAGS} if "_tags" in error.path else REFUSED
        return Refuses(str(error)), _rule_of(error, rules)
    return RefusesOrReads(str(fault), _reads(values, layouts, keeps)), _rule_of(fault, FORGIVEN)


def _strictly(codec: ReferenceCodec, forms: tuple[Form, ...], data: bytes) -> list[Value]:
    values, offset = [], 0
    for form in forms:
        value, offset = codec.read(form, data, offset)
        values.append(value)
    if offset < len(data):
        raise LengthError(f"{len(data) - offset} bytes after the last field", "", offset)
    return values


def _reads(values: list[dict[str, object]], layouts: tuple[Layout, ...], keeps: bool) -> Reads:
    reads = Reads(values[-1], layouts[-1], keeps_tags=keeps)
    if len(values) > 1:
        reads = replace(reads, header=values[0], header_layout=layouts[0])
    return reads


def _rule_of(error: DecodeError, rules: dict[type[DecodeError], str]) -> str:
    return next((rules[kind] for kind in type(error).__mro__ if kind in rules), READ)


def _control_case(
    name: str, request: Request, expects: Expectation, layouts: tuple[Layout, ...]
) -> Case | None:
    """The bytes cut short, or a golden vector that is read in this form, if there is one."""
    if isinstance(expects, Reads) and request.bytes:
        cut = replace_bytes(request, request.bytes[:-1])
        return Case(f"{name}/cut-short", cut, Refuses("the bytes end one too early"), (CUT_SHORT,))
    for golden in _golden(
        request.message, request.version, request.op not in ("decode", "roundtrip")
    ):
        reader = Reader(golden)
        try:
            values = [reader.struct(layout) for layout in layouts]
        except DecodeError:
            continue  # in another release this version has another form
        due = _reads(values, layouts, keeps=False)
        return Case(f"{name}/well-formed", replace_bytes(request, golden), due, (READ,))
    return None


@cache
def _golden(message: str, version: int, framed: bool) -> tuple[bytes, ...]:
    """The golden vectors of a version, bodies or frames, the shortest first."""
    found = [
        vector.data
        for vector in read_vectors(message)
        if vector.version == version and (vector.header is not None) == framed
    ]
    return tuple(sorted(found, key=len))


def replace_bytes(request: Request, data: bytes) -> Request:
    """Return the same request with other bytes."""
    return Request(op=request.op, message=request.message, version=request.version, bytes=data)
