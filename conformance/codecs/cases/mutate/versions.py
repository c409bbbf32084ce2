"""Faults of versions: a body of one version under the name of another, or of none that exists."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.fault import Edit, Subject, fault
from conformance.codecs.cases.mutate.written import Given, WrittenChange, written
from conformance.schema.layout import Form
from conformance.schema.releases import form_for, wire_forms

ASKED_BEYOND = (
    "ApiVersionsResponse",
    "FetchRequest",
    "FindCoordinatorRequest",
    "MetadataResponse",
    "OffsetDeleteRequest",
    "ProduceRequest",
)
"""Messages that are asked for in versions which no release has.

The embedded consumer protocol is none of them: Apache Kafka reads any higher version by the newest
form that it knows.
"""


@fault("compact.first-flexible-version", "other-form")
def _other_side_of_the_border(subject: Subject) -> Iterator[Edit]:
    form = subject.form
    for version in (form.version - 1, form.version + 1):
        other = form_for(form.releases[0], form.message, version)
        if other is not None and other.flexible != form.flexible:
            why = f"the bytes are those of version {form.version}"
            yield Edit(f"as-version-{version}", subject.data, why, version)


@fault("versions.unknown-refused", "undeclared")
def _read_beyond(subject: Subject) -> Iterator[Edit]:
    for version in _beyond(subject.form):
        why = f"there is no version {version}"
        yield Edit(f"as-version{version:+}", subject.data, why, version)


@written("versions.unknown-refused", "undeclared")
def _write_beyond(given: Given) -> Iterator[WrittenChange]:
    for version in _beyond(given.form):
        why = f"there is no version {version}"
        yield WrittenChange(f"as-version{version:+}", given.value, why, version)


def _beyond(form: Form) -> tuple[int, ...]:
    """A version above the highest of any release, the highest that a header can name, and -1."""
    above = max(wire_forms(form.message)) + 1
    return (above, 2**15 - 1, -1) if form.message in ASKED_BEYOND else ()
