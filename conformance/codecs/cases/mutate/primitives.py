"""Faults of single values: nulls, lengths, varints, booleans, text, markers, and messages that end
too early.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.fault import Edit, Subject, fault, length_bytes, uvarint
from conformance.schema.layout import WireType

MAX_INT32 = 2**31 - 1
TAGGED = ("filled", "tagged-*")


@fault("primitives.null-refused", "refused", *TAGGED)
def _null(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.type and not site.type.nullable and not site.type.compact:
            for length in (-1, -2):
                why = f"{site.path} is not nullable and has length {length}"
                yield Edit(f"length{length}:{site.path}", subject.with_nothing(site, length), why)


@fault("compact.null-refused", "refused", *TAGGED)
def _compact_null(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.type and not site.type.nullable and site.type.compact:
            why = f"{site.path} is not nullable and null"
            yield Edit(f"null:{site.path}", subject.with_nothing(site, -1), why)


@fault("primitives.length-below-null", "lenient")
def _below_null(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.type and site.type.nullable and not site.type.compact:
            for length in (-2, -(2**15)):
                why = f"{site.path} has length {length}"
                yield Edit(f"length{length}:{site.path}", subject.with_nothing(site, length), why)


@fault("primitives.length-never-backwards", "refused", *TAGGED)
def _backwards(subject: Subject) -> Iterator[Edit]:
    """Make lists of texts whose lengths lead back to their own start, so that each costs nothing.

    The count is more than any reader that moves forwards can find in the bytes that are left.
    """
    for site in subject.sites.of("length"):
        if site.type and site.value and (text := _only_text(site.type)):
            compact = text.compact
            length = b"\x00" if compact else b"\xff\xfe"
            count = len(length) + subject.after(site.until) + compact
            new = length_bytes(site, count) + length
            data = subject.replace(site.start, site.until, new, site.inside)
            said = f"the length {-len(length)} of the first leads back to its own start"
            yield Edit(f"back:{site.path}", data, f"{site.path} has {count} elements, and {said}")


def _only_text(array: WireType) -> WireType | None:
    """Return the type of an array's elements if each is one text that may not be null."""
    if array.kind != "array":
        return None
    item = array.item
    if item.struct is not None:
        if item.nullable or item.struct.flexible or len(item.struct.fields) != 1:
            return None
        item = item.struct.fields[0].type
    return item if item.kind == "string" and not item.nullable else None


@fault("primitives.length-beyond-input-refused", "refused", *TAGGED)
@fault("primitives.length-beyond-input-refused", "refused", scope="frame")
def _beyond(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.type and site.value is not None:
            short = site.type.kind == "string" and not site.type.compact
            most = 2**15 - 1 if short else MAX_INT32
            for name, length in (("rest+1", subject.after(site.end) + 1), ("most", most)):
                why = f"{site.path} has length {length}, with {subject.after(site.end)} bytes left"
                yield Edit(f"{name}:{site.path}", subject.with_length(site, length), why)


@fault("compact.length-above-int32", "survived", *TAGGED)
def _above_int32(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.type and site.type.compact and site.value is not None:
            for name, length in (("2^31", 2**31), ("2^32-2", 2**32 - 2)):
                why = f"{site.path} has length {name}"
                yield Edit(f"{name}:{site.path}", subject.with_length(site, length), why)


SMALL_BYTES = 64
"""Vectors of no more bytes are cut at every byte, longer ones where a value ends."""
OVERFLOW = (0x10, 0x70)
"""Bits of a varint's fifth byte that are beyond 2^32."""


@fault("primitives.short-input-refused", "refused", "filled", "two")
@fault("primitives.short-input-refused", "refused", scope="frame")
def _cut(subject: Subject) -> Iterator[Edit]:
    data = subject.data
    small = len(data) <= SMALL_BYTES
    header = len(subject.layouts) > 1
    for length in range(len(data)) if small and not header else subject.sites.ends:
        if length < len(data):
            yield Edit(f"cut@{length}", data[:length], f"{len(data) - length} bytes are missing")


@fault("framing.trailing-bytes-ignored", "lenient")
def _trailing(subject: Subject) -> Iterator[Edit]:
    for name, more in (("zero", b"\x00"), ("ones", b"\xff"), ("again", subject.data)):
        why = f"{len(more)} bytes follow the last field"
        yield Edit(f"trailing-{name}", subject.data + more, why)


@fault("primitives.varint-too-long-refused", "refused")
@fault("primitives.varint-too-long-refused", "refused", scope="frame")
def _too_long(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("uvarint"):
        for width in (6, 11):
            data = subject.replace(site.start, site.end, uvarint(site.value, width), site.inside)
            yield Edit(f"{width}-bytes:{site.path}", data, f"{site.path} takes {width} bytes")


@fault("primitives.varint-overlong-accepted", "lenient", "filled", "number-1")
@fault("primitives.varint-overlong-accepted", "lenient", scope="frame")
def _overlong(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("uvarint"):
        size = site.end - site.start
        for width in sorted({size + 1, 5} & {*range(size + 1, 6)}):
            data = subject.replace(site.start, site.end, uvarint(site.value, width), site.inside)
            why = f"{site.path} takes {width} bytes, and {size} would do"
            yield Edit(f"{width}-bytes:{site.path}", data, why)


@fault("primitives.varint-overflow-dropped", "lenient")
@fault("primitives.varint-overflow-dropped", "lenient", scope="frame")
def _overflow(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("uvarint"):
        for bits in OVERFLOW:
            raw = bytearray(uvarint(site.value, 5))
            raw[-1] |= bits
            data = subject.replace(site.start, site.end, bytes(raw), site.inside)
            yield Edit(f"bits-{bits:02x}:{site.path}", data, f"{site.path} has bits above 2^32")


@fault("primitives.boolean-non-zero-true", "read")
def _boolean(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("bool"):
        for byte in (0x02, 0x80, 0xFF):
            data = subject.replace(site.start, site.end, bytes([byte]))
            yield Edit(f"{byte:02x}:{site.path}", data, f"{site.path} is the byte {byte:02x}")


@fault("primitives.invalid-utf8", "lenient")
def _not_utf8(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("text"):
        size = site.end - site.start
        for name, raw in (("ff", b"\xff"), ("open", b"\xc3"), ("surrogate", b"\xed\xa0\x80")):
            if len(raw) <= size:
                data = subject.replace(site.end - len(raw), site.end, raw)
                yield Edit(f"{name}:{site.path}", data, f"{site.path} ends in {raw.hex()}")


@fault("nullable-structs.other-markers", "lenient", "filled", "null-*")
def _marker(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("marker"):
        for marker in (0, 2, 127) if site.value else (-2, -128):
            raw = marker.to_bytes(1, "big", signed=True)
            data = subject.replace(site.start, site.end, raw, site.inside)
            yield Edit(f"marker{marker}:{site.path}", data, f"{site.path} has marker {marker}")
