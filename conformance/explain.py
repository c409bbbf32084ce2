"""Every byte of a frame, named: its length, its header, its body, and what is behind them.

Bytes go in, rows come out; where a frame is malformed, the rows say which byte is wrong and what
was expected there. The batches in a records field are named to the last byte as well.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.errors import ConformanceError
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form, Layout
from conformance.schema.releases import (
    UNDEFINED,
    UnknownDefinition,
    form_for,
    message_names,
    request_name,
    request_names,
)
from conformance.wire.annotated import Forgiven, Row, rows
from conformance.wire.errors import DecodeError, UnknownMessage
from conformance.wire.lenient import Lenient
from conformance.wire.reader import BytePart, Reader
from conformance.wire.records.annotated import with_batches

LENGTH = "frame(length)"
HEADER = "header"
_API_KEYS = frozenset({"requestApiKey", "apiKey"})
_FELL_BACK = (
    "UNSUPPORTED_VERSION: the body is of version 0, though another version was asked for (KIP-511)"
)


class NotAFrame(ConformanceError):
    """What was asked for is no frame: a message of another kind, or half of a name."""


@dataclass(frozen=True)
class Explanation:
    """Rows that cover all bytes from the first to the last; `title` says what they were read as."""

    title: str
    rows: tuple[Row, ...]

    @property
    def wrong(self) -> list[Row]:
        """The rows that make these bytes malformed; none where they are well-formed."""
        return [row for row in self.rows if row.state == "wrong"]


@dataclass(frozen=True)
class _Read:
    """What came of reading: the parts, the error that ended it, what was forgiven."""

    parts: list[BytePart]
    error: DecodeError | None
    forgiven: list[Forgiven]


class Explainer:
    """Explains by the definitions of one release, strictly or as leniently as Apache Kafka.

    `length` says whether the 4-byte length goes before a frame; None looks whether the first four
    bytes are the number of those that follow.
    """

    def __init__(
        self, release: str = "", *, lenient: bool = False, length: bool | None = None
    ) -> None:
        self.codec = PlainCodec(release)
        self.lenient = lenient
        self.length = length

    def request(self, data: bytes, message: str = "", version: int | None = None) -> Explanation:
        """A request, by its header unless message and version are given.

        Raises UnknownDefinition and NotAFrame for these two, not for the bytes.
        """
        before, start, end = self._frame(data)
        if message:
            form = self._form(message, version, "request")
        else:
            named = self._named_by_header(data[:end], start)
            if isinstance(named, _Read):
                return self._explanation("a request of unknown form", data, before, end, named)
            form = named
        read = self._read(data[:end], start, self._layouts(form))
        return self._explanation(self._title(form), data, before, end, read)

    def response(self, data: bytes, message: str, version: int) -> Explanation:
        """A response to a request of this version. Raises UnknownDefinition and NotAFrame."""
        try:
            form = self._form(message, version, "response")
        except UnknownDefinition:  # a refusal is of version 0, be it of one that nobody has
            refusal = self._refusal(data, message, version)
            if refusal is None:
                raise
            return refusal
        before, start, end = self._frame(data)
        read = self._read(data[:end], start, self._layouts(form))
        if read.error:
            refusal = self._refusal(data, message, version) if version else None
            if other := refusal or self._of_other_header(form, data):
                return other
        return self._explanation(self._title(form), data, before, end, read)

    def _of_other_header(self, form: Form, data: bytes) -> Explanation | None:
        """A response with the other version of its header, where that alone is wrong with it."""
        due = self.codec.header_form(form).version
        before, start, end = self._frame(data)
        header = self.codec.form("ResponseHeader", 1 - due)
        read = self._read(data[:end], start, [(header.layout, HEADER), (form.layout, "")])
        title = f"{form.message} v{form.version}, written with ResponseHeader v{header.version}"
        found = self._explanation(title, data, before, end, read)
        if read.error or any(row.state != "read" for row in found.rows):
            return None
        place = f"{HEADER}._tags(count)" if due == 0 else f"{HEADER}.correlationId"
        lacks = "no tag section" if due == 0 else "a tag section behind it"
        says = f"ResponseHeader v{due} is due, which has {lacks}"
        wrong = (replace(row, state="wrong", says=says) for row in found.rows if row.path == place)
        marked = {row.offset: row for row in wrong}
        return replace(found, rows=tuple(marked.get(row.offset, row) for row in found.rows))

    def _refusal(self, data: bytes, message: str, version: int) -> Explanation | None:
        """An ApiVersionsResponse that refuses the version asked for (KIP-511), if it is one."""
        if message.removesuffix("Response") != "ApiVersions":
            return None
        form = self._form(message, 0, "response")
        before, start, end = self._frame(data)
        read = self._read(data[:end], start, self._layouts(form))
        if read.error or _error_code(read) != UNSUPPORTED_VERSION:
            return None
        title = f"{self._title(form)}, in answer to version {version} (KIP-511)"
        found = self._explanation(title, data, before, end, read)
        return replace(found, rows=tuple(map(_say_fallback, found.rows)))

    def of_nothing(self, data: bytes) -> Explanation:
        """A response to no request that is known: all that can be told is its correlation id."""
        before, start, end = self._frame(data)
        header = self.codec.form("ResponseHeader", 0).layout
        read = self._read(data[:end], start, [(header, HEADER)])
        title = "a response to no request that waits for one"
        return self._explanation(title, data, before, end, read)

    def body(self, data: bytes, message: str, version: int) -> Explanation:
        """A body alone, of any message. Raises UnknownDefinition."""
        form = self._form(message, version, "")
        read = self._read(data, 0, [(form.layout, "")])
        return self._explanation(f"{form.message} v{form.version}", data, [], len(data), read)

    def _form(self, message: str, version: int | None, kind: str) -> Form:
        """The form of a message that may be named without its ending."""
        if version is None:
            raise NotAFrame("a message is named, and no version of it", "--api-version N")
        name = names_of(message, self.codec.release, kind)[0]
        form = self.codec.form(name, version)
        if kind and form.type != kind:
            raise NotAFrame(f"{name} is no {kind}", "--request, --response or --body")
        return form

    def _layouts(self, form: Form) -> list[tuple[Layout, str]]:
        """The header's layout and the body's, each with its path."""
        return [(self.codec.header_form(form).layout, HEADER), (form.layout, "")]

    def _title(self, form: Form) -> str:
        header = self.codec.header_form(form)
        return f"{form.message} v{form.version}, {header.message} v{header.version}"

    def _frame(self, data: bytes) -> tuple[list[Row], int, int]:
        """The row of the length if there is one, and where the frame begins and ends."""
        said = struct.unpack_from(">i", data)[0] if len(data) >= 4 else None
        rest = len(data) - 4
        if self.length is False or (self.length is None and said != rest):
            return [], 0, len(data)
        if said is None:
            says = f"4 bytes expected, {len(data)} left"
            return [Row(0, data, LENGTH, "int32", state="wrong", says=says)], len(data), len(data)
        row = Row(0, data[:4], LENGTH, "int32", said, str(said))
        if not 0 <= said <= rest:
            row = replace(row, state="wrong", says=f"{said} bytes, {rest} left")
        return [row], 4, 4 + said if 0 <= said <= rest else len(data)

    def _read(self, data: bytes, start: int, layouts: Sequence[tuple[Layout, str]]) -> _Read:
        parts: list[BytePart] = []
        reader = Lenient(data, start, parts) if self.lenient else Reader(data, start, parts)
        error = None
        try:
            for layout, path in layouts:
                reader.struct(layout, path)
        except DecodeError as found:
            error = found
        return _Read(parts, error, reader.forgiven if isinstance(reader, Lenient) else [])

    def _named_by_header(self, data: bytes, start: int) -> Form | _Read:
        """The form that a request's first four bytes name, or how they fail to."""
        parts: list[BytePart] = []
        reader = Reader(data, start, parts)
        try:
            api_key = reader.fixed("int16", f"{HEADER}.requestApiKey")
            version = reader.fixed("int16", f"{HEADER}.requestApiVersion")
            return self._named(api_key, version, start)
        except DecodeError as error:
            return _Read(parts, error, [])

    def _named(self, api_key: int, version: int, start: int) -> Form:
        """The form of an api key and version. Raises UnknownMessage."""
        name = request_name(self.codec.release, api_key, version)
        if name is None:
            reason = f"no request has api key {api_key}"
            raise UnknownMessage(reason, f"{HEADER}.requestApiKey", start)
        if form_for(self.codec.release, name, version) is None:
            known = self.codec.versions(name)
            reason = f"{name} has versions {known[0]} to {known[-1]}"
            raise UnknownMessage(reason, f"{HEADER}.requestApiVersion", start + 2)
        return self.codec.form(name, version)

    def _explanation(
        self, title: str, data: bytes, before: list[Row], end: int, read: _Read
    ) -> Explanation:
        """The rows of a length, of what was read up to `end`, and of what is behind the frame."""
        start = before[-1].end if before else 0
        found = before
        if start < end or not before or before[-1].state != "wrong":
            read_rows = rows(data[:end], read.parts, start, read.error, read.forgiven)
            found = before + [
                named for row in read_rows for named in with_batches(row, lenient=self.lenient)
            ]
        if end < len(data):
            behind = Row(end, data[end:], state="left over", says="behind the frame")
            found = [*found, behind]
        by = f"Kafka {self.codec.release}"
        whole = f"{title}, {len(data)} bytes, by the definitions of {by}"
        return Explanation(whole, tuple(map(_name_api, found)))


def names_of(message: str, release: str = "", *kinds: str) -> list[str]:
    """The messages that a name stands for, which may lack the ending of one of these kinds.

    Raises NotAFrame where there is none.
    """
    known = {*message_names(release), *UNDEFINED}
    names = dict.fromkeys((message, *(message + kind.capitalize() for kind in kinds)))
    found = [name for name in names if name in known]
    if not found:
        listed = "`kafka-conformance schema list RELEASE` lists them"
        raise NotAFrame(f"no message {message!r}", listed)
    return found


def _error_code(read: _Read) -> int | None:
    return next((part.value for part in read.parts if part.path == "errorCode"), None)


def _say_fallback(row: Row) -> Row:
    return replace(row, says=_FELL_BACK) if row.path == "errorCode" else row


def _name_api(row: Row) -> Row:
    """Say which request an api key stands for."""
    if row.path.rpartition(".")[2] not in _API_KEYS or not isinstance(row.value, int):
        return row
    name = request_names().get(row.value)
    return replace(row, text=f"{row.text} {name.removesuffix('Request')}") if name else row
