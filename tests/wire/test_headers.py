"""The header depends on api key and version alone."""

from __future__ import annotations

import pytest

from conformance.schema.releases import message_names, wire_forms
from conformance.wire.frames import header_name, header_version
from tests.wire.codec import form_of


@pytest.mark.parametrize(
    ("message", "version", "header"),
    [
        ("MetadataRequest", 8, 1),
        ("MetadataRequest", 9, 2),
        ("MetadataResponse", 8, 0),
        ("MetadataResponse", 9, 1),
        ("ApiVersionsRequest", 2, 1),
        ("ApiVersionsRequest", 3, 2),
        ("ApiVersionsRequest", 4, 2),
        ("ControlledShutdownRequest", 1, 1),
        ("ControlledShutdownRequest", 3, 2),
        ("ControlledShutdownResponse", 3, 1),
        ("SaslHandshakeRequest", 1, 1),
        ("SaslHandshakeResponse", 1, 0),
    ],
)
def test_header_of_a_version(message: str, version: int, header: int) -> None:
    assert header_version(form_of(message, version)) == header


def test_controlled_shutdown_version_0_alone_has_header_0() -> None:
    zero = [
        (name, version)
        for name in message_names()
        for version, (form, *_) in wire_forms(name).items()
        if form.type == "request" and header_version(form) == 0
    ]

    assert zero == [("ControlledShutdownRequest", 0)]


def test_api_versions_response_has_header_0_in_every_version() -> None:
    forms = wire_forms("ApiVersionsResponse")

    assert {header_version(form) for form, *_ in forms.values()} == {0}


def test_all_other_headers_follow_from_flexibility() -> None:
    for name in message_names():
        for version, forms in wire_forms(name).items():
            for form in forms:
                if form.type == "request" and (form.api_key, version) != (7, 0):
                    assert header_version(form) == (2 if form.flexible else 1)
                if form.type == "response" and form.api_key != 18:
                    assert header_version(form) == (1 if form.flexible else 0)


@pytest.mark.parametrize("name", ["RequestHeader", "PartitionRecord", "OffsetCommitKey"])
def test_what_is_no_request_or_response_has_no_header(name: str) -> None:
    with pytest.raises(ValueError, match="neither a request nor a response"):
        header_version(wire_forms(name)[0 if name == "PartitionRecord" else 1][0])


def test_header_is_named_by_the_direction() -> None:
    assert header_name(form_of("MetadataRequest", 1)) == "RequestHeader"
    assert header_name(form_of("MetadataResponse", 1)) == "ResponseHeader"


def test_version_0_of_the_request_header_ends_behind_the_correlation_id() -> None:
    fields = [item.name for item in form_of("RequestHeader", 0).layout.fields]

    assert fields == ["requestApiKey", "requestApiVersion", "correlationId"]
