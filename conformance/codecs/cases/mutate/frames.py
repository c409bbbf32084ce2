"""Faults of frames: a header or body that is not the one of this request or response."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.api_keys import API_VERSIONS
from conformance.codecs.cases.mutate.fault import Edit, Subject, fault
from conformance.error_codes import INVALID_REQUEST, UNSUPPORTED_VERSION


@fault("request-header.client-id-below-null", "lenient", scope="frame")
def _client_id(subject: Subject) -> Iterator[Edit]:
    for site in subject.sites.of("length"):
        if site.part == 0 and site.path == "clientId":
            for length in (-2, -(2**15)):
                data = subject.with_nothing(site, length)
                yield Edit(f"length{length}", data, f"the client id has length {length}")


@fault("request-header.flexible-adds-tags", "other-form", scope="frame")
def _request_header(subject: Subject) -> Iterator[Edit]:
    if subject.form.type == "request":
        yield from _other_header(subject)


@fault("response-header.flexible-adds-tags", "other-form", scope="frame")
def _response_header(subject: Subject) -> Iterator[Edit]:
    if subject.form.type == "response" and subject.form.message != "ApiVersionsResponse":
        yield from _other_header(subject)


@fault("response-header.api-versions-stays-v0", "other-form", scope="frame")
def _api_versions_header(subject: Subject) -> Iterator[Edit]:
    if subject.form.message == "ApiVersionsResponse":
        yield from _other_header(subject)


@fault("api-versions.unsupported-version-read-as-v0", "lenient", scope="frame")
def _version_0(subject: Subject) -> Iterator[Edit]:
    if _can_fall_back(subject):
        header = subject.data[: subject.sites.begins[1]]
        error = UNSUPPORTED_VERSION.to_bytes(2, "big")
        own_entry = b"".join(n.to_bytes(2, "big") for n in (API_VERSIONS, 0, 2))
        for count, entries in enumerate((b"", own_entry)):
            data = header + error + count.to_bytes(4, "big") + entries
            why = f"the body is of version 0, with UNSUPPORTED_VERSION and {count} APIs"
            yield Edit(f"{count}-apis", data, why, falls_back_to=0)


@fault("api-versions.other-errors-in-own-version", "read", scope="frame")
def _own_version(subject: Subject) -> Iterator[Edit]:
    if _can_fall_back(subject):
        at = subject.sites.begins[1]
        for code in (0, INVALID_REQUEST):
            data = subject.replace(at, at + 2, code.to_bytes(2, "big"))
            yield Edit(f"error-{code}", data, f"the error code is {code}")


def _can_fall_back(subject: Subject) -> bool:
    """True if the frame is an ApiVersionsResponse in a version above 0."""
    return subject.form.message == "ApiVersionsResponse" and subject.form.version > 0


def _other_header(subject: Subject) -> Iterator[Edit]:
    """Yield an edit without the header's tag section, or with one if the header has none."""
    section = next((s for s in subject.sites.sections if s.part == 0), None)
    if section:
        data = subject.replace(section.start, section.end, b"")
        yield Edit("no-header-tags", data, "the header has no tag section")
    else:
        end = subject.sites.begins[1]
        yield Edit(
            "header-tags", subject.replace(end, end, b"\x00"), "the header has one byte more"
        )
