"""Faults of lengths: nulls where there may be none, and lengths that promise too much."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.fault import Edit, Subject, fault

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
