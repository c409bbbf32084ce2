"""The headers of frames: which version goes before a body, and what is in it; and the end of a
body.

Most of these are definitions of a header that differ from the true one in a single point, which is
what a hand-written header struct gets wrong. The usual cause of bytes after a body is a buffer that
is longer than the message in it.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.codecs.mutants.mutant import Mutant, retyped, with_fields
from conformance.reference.codec import Value
from conformance.schema.layout import Form
from conformance.wire.errors import Truncated


class CorrelationIdBeforeVersion(Mutant, breaks="request-header.v1-fields"):
    """Has the correlation id before the api version in request header version 1."""

    def change(self, form: Form) -> Form:
        if (form.message, form.version) != ("RequestHeader", 1):
            return form
        return with_fields(form, "requestApiKey", "correlationId", "requestApiVersion", "clientId")


class RequestHeaderWithoutTags(Mutant, breaks="request-header.flexible-adds-tags"):
    """Has request header version 2 end after the client id."""

    def change(self, form: Form) -> Form:
        return _with_tags(form, "RequestHeader", 2, False)


class RequestHeaderAlwaysWithTags(Mutant, breaks="request-header.v1-fields"):
    """Has a tag section in request header version 1 as well."""

    def change(self, form: Form) -> Form:
        return _with_tags(form, "RequestHeader", 1, True)


class CompactClientId(Mutant, breaks="request-header.client-id-not-compact"):
    """Has a compact client id in request header version 2."""

    def change(self, form: Form) -> Form:
        if (form.message, form.version) != ("RequestHeader", 2):
            return form
        return retyped(form, lambda type_, _: replace(type_, compact=type_.kind == "string"))


class ControlledShutdownWithClientId(Mutant, breaks="request-header.controlled-shutdown-v0"):
    """Has request header version 1 before ControlledShutdown version 0."""

    messages = ("ControlledShutdownRequest",)

    def header_form(self, form: Form) -> Form:
        if (form.message, form.version) != ("ControlledShutdownRequest", 0):
            return super().header_form(form)
        return self.form("RequestHeader", 1)

    def encode_request(self, message: str, version: int, header: Value, value: Value) -> bytes:
        return super().encode_request(message, version, {"clientId": None, **header}, value)


class NullClientIdIsEmpty(Mutant, breaks="request-header.null-client-id"):
    """Takes a null client id for an empty one, reading and writing."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        return self._filled(form, value), end

    def write(self, form: Form, value: Value) -> bytes:
        return super().write(form, self._filled(form, value))

    def _filled(self, form: Form, value: Value) -> Value:
        if form.message == "RequestHeader" and value.get("clientId", "") is None:
            return {**value, "clientId": ""}
        return value


class EmptyClientIdIsNull(Mutant, breaks="request-header.null-client-id"):
    """Takes an empty client id for null, reading and writing."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        return self._emptied(form, value), end

    def write(self, form: Form, value: Value) -> bytes:
        return super().write(form, self._emptied(form, value))

    def _emptied(self, form: Form, value: Value) -> Value:
        if form.message == "RequestHeader" and value.get("clientId") == "":
            return {**value, "clientId": None}
        return value


class RequestHeaderTagsNotSkipped(Mutant, breaks="request-header.unknown-tag-skipped"):
    """Takes the tag section of a request header for one byte, whatever is in it."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        return _blind_to_tags(self, form, "RequestHeader", data, offset)


class CorrelationIdOfEightBytes(Mutant, breaks="response-header.v0-fields"):
    """Has a correlation id of eight bytes in response header version 0."""

    def change(self, form: Form) -> Form:
        if (form.message, form.version) != ("ResponseHeader", 0):
            return form
        return retyped(form, lambda type_, _: replace(type_, kind="int64"))


class ResponseHeaderWithoutTags(Mutant, breaks="response-header.flexible-adds-tags"):
    """Has response header version 1 end after the correlation id."""

    def change(self, form: Form) -> Form:
        return _with_tags(form, "ResponseHeader", 1, False)


class ApiVersionsWithFlexibleHeader(Mutant, breaks="response-header.api-versions-stays-v0"):
    """Has response header version 1 before flexible ApiVersions responses, as before all others."""

    messages = ("ApiVersionsResponse",)

    def header_form(self, form: Form) -> Form:
        if form.message == "ApiVersionsResponse" and form.flexible:
            return self.form("ResponseHeader", 1)
        return super().header_form(form)


class ResponseHeaderTagsNotSkipped(Mutant, breaks="response-header.unknown-tag-skipped"):
    """Takes the tag section of a response header for one byte, whatever is in it."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        return _blind_to_tags(self, form, "ResponseHeader", data, offset)


def _with_tags(form: Form, message: str, version: int, flexible: bool) -> Form:
    if (form.message, form.version) != (message, version):
        return form
    return replace(form, layout=replace(form.layout, flexible=flexible))


def _blind_to_tags(
    mutant: Mutant, form: Form, message: str, data: bytes, offset: int
) -> tuple[Value, int]:
    if form.message != message or not form.flexible:
        return Mutant.read(mutant, form, data, offset)
    bare = _with_tags(form, message, form.version, False)
    value, end = Mutant.read(mutant, bare, data, offset)
    if end == len(data):
        raise Truncated("1 byte expected, 0 left", "_tags", end)
    return value, end + 1


class ByteBehindTheEnd(Mutant, breaks="framing.nothing-after-end"):
    """Writes a zero byte behind the end of a body."""

    def write(self, form: Form, value: Value) -> bytes:
        return super().write(form, value) + (b"" if form.type == "header" else b"\x00")


class TrailingBytesWrittenAgain(Mutant, breaks="framing.trailing-bytes-ignored"):
    """Keeps what follows the end of a message, and writes it again."""

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        form = self.form(message, version)
        value, end = self.read(form, data)
        return self.write(form, value) + data[end:]
