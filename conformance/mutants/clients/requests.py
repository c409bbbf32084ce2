"""Clients whose requests are none, and clients that can't read what is legal."""

# ruff: noqa: ARG002 - not to look at something is a defect like others

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from conformance.mutants.clients.mutant import ClientMutant
from conformance.peers.client import Failed
from conformance.protocol import Value
from conformance.wire.frames import API_VERSIONS


class NoTagsInHeaders(ClientMutant):
    """Leaves the tag section out of the header of flexible requests."""

    breaks = "client-requests.readable"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """In request header version 1, always."""
        whole = super().frame(api_key, version, number, wanted)
        form = self.codec.form(self.message(api_key, "Request"), version)
        if not form.flexible:
            return whole
        at = 4 + 8 + 2 + len(self.name)
        data = whole[4:at] + whole[at + 1 :]
        return struct.pack(">i", len(data)) + data


class ByteBehindTheBody(ClientMutant):
    """Sends one byte more than the request has."""

    breaks = "client-requests.readable"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """And a zero."""
        data = super().frame(api_key, version, number, wanted)[4:] + b"\0"
        return struct.pack(">i", len(data)) + data


class BlankInItsName(ClientMutant):
    """Has a blank in the name of its software."""

    breaks = "client-requests.software-named"
    name = "kafka conformance"


class NoVersionOfItsSoftware(ClientMutant):
    """Sends no version of its software."""

    breaks = "client-requests.software-named"
    software_version = ""


class AlwaysNumberOne(ClientMutant):
    """Sends every request with correlation id 1."""

    breaks = "client-requests.correlation-ids-differ"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """With it."""
        return super().frame(api_key, version, 1, wanted)

    def check_number(self, number: int, frame: bytes) -> None:
        """Nothing to check."""


class StumblesOverTags(ClientMutant):
    """Refuses answers with tags that it does not know."""

    breaks = "client-answers.unknown-tags-skipped"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        """With a look at them. Raises Failed."""
        value: Value = super().read(api_key, version, frame)
        if _has_unknown_tags(value):
            raise Failed("a tag that there is not")
        return value


class HeaderWithoutTags(ClientMutant):
    """Takes one byte for the tag section of a response header, whatever is in it."""

    breaks = "client-answers.unknown-tags-skipped"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        """As if none were there."""
        form = self.codec.form(self.message(api_key, "Response"), version)
        if form.flexible and api_key != API_VERSIONS:
            frame = frame[:4] + b"\0" + frame[5:]
        return super().read(api_key, version, frame)


def _has_unknown_tags(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_unknown_tags, value))
    if not isinstance(value, dict):
        return False
    return "_unknownTaggedFields" in value or any(map(_has_unknown_tags, value.values()))


class StumblesOverOtherNumbers(ClientMutant):
    """Relies on the correlation id, and ends where it is another."""

    breaks = "client-answers.other-correlation-id-survived"

    def check_number(self, number: int, frame: bytes) -> None:
        """It can't be otherwise."""
        assert frame[:4] == struct.pack(">i", number)
