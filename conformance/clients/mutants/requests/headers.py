"""Clients that write another header than their version has, or read another than was sent."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.api_keys import API_VERSIONS, METADATA
from conformance.clients.mutants.mutant import ClientMutant
from conformance.testee_protocol import Value

FLEXIBLE_GREETING = 3
HEADER = struct.Struct(">hhi")
LENGTH = struct.Struct(">h")


class _OtherHeader(ClientMutant):
    """Writes the header of a request otherwise, where it goes by its own name."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        """Return the header; `number` is api key, api version and correlation id."""
        return number + LENGTH.pack(len(name)) + name + bytes(is_flexible)

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        whole = super().frame(api_key, version, number, wanted)[4:]
        if self.client_id != self.name:
            return struct.pack(">i", len(whole)) + whole
        form = self.codec.form(self.message(api_key, "Request"), version)
        name = self.name.encode()
        begin = HEADER.pack(api_key, version, number)
        body = whole[len(begin) + LENGTH.size + len(name) + form.flexible :]
        data = self.header(api_key, form.flexible, begin, name) + body
        return struct.pack(">i", len(data)) + data


class NoClientIdBeforeFlexible(_OtherHeader, breaks="request-header.v1-fields"):
    """Ends the header of a request that is not flexible with its correlation id."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        return super().header(api_key, True, number, name) if is_flexible else number


class CompactClientIdBeforeFlexible(_OtherHeader, breaks="request-header.v1-fields"):
    """Sends a compact client id in requests that are not flexible."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        if is_flexible:
            return super().header(api_key, is_flexible, number, name)
        return number + bytes([len(name) + 1]) + name


class TagsInEveryHeader(_OtherHeader, breaks="request-header.flexible-adds-tags"):
    """Sends a tag section in the header of every request, flexible or not."""

    implies = ("client-requests.readable",)

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        return super().header(api_key, True, number, name)


class NoTagsInHeadersOfMetadata(_OtherHeader, breaks="request-header.flexible-adds-tags"):
    """Leaves the tag section out of the header of Metadata, whatever its version."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        return super().header(api_key, is_flexible and api_key != METADATA, number, name)


class CompactClientId(_OtherHeader, breaks="request-header.client-id-not-compact"):
    """Sends a compact client id in flexible requests."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        if not is_flexible:
            return super().header(api_key, is_flexible, number, name)
        return number + bytes([len(name) + 1]) + name + bytes(1)


class CompactClientIdWithoutTags(_OtherHeader, breaks="request-header.client-id-not-compact"):
    """Sends a compact client id in flexible requests, and no tag section behind it."""

    def header(self, api_key: int, is_flexible: bool, number: bytes, name: bytes) -> bytes:
        if not is_flexible:
            return super().header(api_key, is_flexible, number, name)
        return number + bytes([len(name) + 1]) + name


class TagsInEveryAnswer(ClientMutant, breaks="response-header.v0-fields"):
    """Looks for a tag section in the header of every answer but ApiVersions, flexible or not."""

    implies = ("client-sasl.logs-in", "client-versions.old-versions-suffice")

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        is_none = form.flexible or api_key == API_VERSIONS
        return super().read(api_key, version, frame if is_none else frame[:4] + frame[5:])


class NoTagsInHeadersOfAnswers(ClientMutant, breaks="response-header.flexible-adds-tags"):
    """Looks for the body of every answer right behind the correlation id."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        has_section = form.flexible and api_key != API_VERSIONS
        return super().read(api_key, version, frame[:4] + bytes(has_section) + frame[4:])


class TagsInHeadersOfApiVersions(ClientMutant, breaks="response-header.api-versions-stays-v0"):
    """Looks for a tag section in the header of flexible answers to ApiVersions."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        is_looked_for = api_key == API_VERSIONS and version >= FLEXIBLE_GREETING
        return super().read(api_key, version, frame[:4] + frame[5:] if is_looked_for else frame)


class HeaderTagsWithoutValues(ClientMutant, breaks="response-header.unknown-tag-skipped"):
    """Passes over the number and size of each tag in an answer's header, and not its value."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        if form.flexible and api_key != API_VERSIONS:
            frame = frame[:4] + bytes(1) + frame[5 + 2 * frame[4] :]
        return super().read(api_key, version, frame)


class GoesByItsOwnName(ClientMutant, breaks="client-requests.client-id-as-given"):
    """Has its own name in each header, whatever the application calls it."""

    client_ids: ClassVar = dict.fromkeys(ClientMutant.client_ids, ClientMutant.name)


class ClientIdInAscii(ClientMutant, breaks="client-requests.client-id-as-given"):
    """Writes a question mark for each letter of a client id that is not ASCII."""

    client_ids: ClassVar = {
        action: None if given is None else given.encode("ascii", "replace").decode()
        for action, given in ClientMutant.client_ids.items()
    }
