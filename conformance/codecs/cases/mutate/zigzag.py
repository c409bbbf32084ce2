"""Faults of zig-zag numbers, which stand in batches of records or are asked for by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.fault import Edit, Subject, fault, uvarint
from conformance.codecs.cases.mutate.sites import EditSite
from conformance.wire.records.zigzag import ZigzagWriter

OVERFLOW = (0x10, 0x70)
"""Bits of a VARINT's fifth byte that are beyond 2^32."""


@fault("records.varint-too-long-refused", "refused")
def _varint_too_long(subject: Subject) -> Iterator[Edit]:
    return _padded(subject, "varint", (6, 11))


@fault("records.varlong-too-long-refused", "refused")
def _varlong_too_long(subject: Subject) -> Iterator[Edit]:
    return _padded(subject, "varlong", (11,))


@fault("records.varint-overlong-accepted", "lenient", "filled", "number-1", "number-minus-1")
def _overlong(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("varint"):
        size = site.end - site.start
        widths = sorted({size + 1, 5} & {*range(size + 1, 6)})
        yield from _padded(subject, "varint", tuple(widths))


@fault("records.varint-high-bits-dropped", "lenient")
def _high_bits(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("varint"):
        for bits in OVERFLOW:
            raw = bytearray(uvarint(_zigzag(site), 5))
            raw[-1] |= bits
            data = subject.replace(site.start, site.end, bytes(raw), site.inside)
            yield Edit(f"bits-{bits:02x}:{site.path}", data, f"{site.path} has bits above 2^32")


def _padded(subject: Subject, kind: str, widths: tuple[int, ...]) -> Iterator[Edit]:
    for site in subject.sites.of(kind):
        for width in widths:
            raw = uvarint(_zigzag(site), width)
            data = subject.replace(site.start, site.end, raw, site.inside)
            yield Edit(f"{width}-bytes:{site.path}", data, f"{site.path} takes {width} bytes")


def _zigzag(site: EditSite) -> int:
    """The number as it is written, before its groups."""
    return ZigzagWriter().to_zigzag(site.value, 32 if site.kind == "varint" else 64)
