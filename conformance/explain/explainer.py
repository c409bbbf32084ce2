"""The explanation of every byte of a frame: its length, its header, its body, and the rest.

Bytes go in, rows come out; if a frame is malformed, the rows say which byte is wrong and what was
expected there. The batches in a records field are explained to the last byte as well. A message of
a newer version than all definitions is read as far as its header, and not judged (KIP-511).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.explain.explanation import Explanation, NotAFrame
from conformance.explain.names import named, names_of
from conformance.explain.prefixed import LEGACY, former_version, key_of, key_types, leads
from conformance.explain.reading import (
    LenientReading,
    Read,
    Reading,
    lack_of_records,
    marked_end,
    missing_of,
    note_of_length,
    with_length,
)
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form, Layout
from conformance.schema.record_batch import MAGIC, RECORD_BATCH, RECORD_SET
from conformance.schema.releases import (
    UnknownDefinition,
    definitions,
    form_for,
    request_name,
)
from conformance.wire.annotated import Row, rows
from conformance.wire.errors import DecodeError, LengthError, UnknownMessage
from conformance.wire.frames import header_name, header_version
from conformance.wire.lenient import Lenient
from conformance.wire.reader import BytePart, Reader
from conformance.wire.records.annotated import (
    RECORDS,
    Holder,
    batch_rows,
    holder_of,
    with_batches,
)
from conformance.wire.records.reader import MAGIC_OFFSET

LENGTH = "frame(length)"
HEADER = "header"
_FELL_BACK = (
    "UNSUPPORTED_VERSION: the body is of version 0, though another version was asked for (KIP-511)"
)
_LEADING = "int16"


class Explainer:
    """An explainer by the definitions of one release, strict or as lenient as Apache Kafka.

    `length` says whether the 4-byte length precedes a frame; None tests whether the first four
    bytes are the number of the bytes after them.
    """

    def __init__(
        self, release: str = "", *, lenient: bool = False, length: bool | None = None
    ) -> None:
        self.codec = PlainCodec(release)
        self.lenient = lenient
        self.length = length

    def request(self, data: bytes, message: str = "", version: int | None = None) -> Explanation:
        """Explain a request, identified by its header unless message and version are given.

        Raises UnknownDefinition and NotAFrame for a wrong message or version, not for the bytes.
        """
        before, start, end = self._frame(data)
        if message:
            form = self._form(message, version, "request")
        else:
            found = self._named_by_header(data[:end], start)
            if isinstance(found, _Newer):
                return self._newer(found, data, before, start, end)
            if isinstance(found, Read):
                return self._explanation("a request of unknown form", data, before, end, found)
            form = found
        read = self._read(data[:end], start, self._layouts(form), missing_of(before, data))
        return self._explanation(self._title(form), data, before, end, read, form)

    def response(self, data: bytes, message: str, version: int) -> Explanation:
        """Explain a response to a request of this version.

        Raises UnknownDefinition and NotAFrame.
        """
        try:
            form = self._form(message, version, "response")
        except UnknownDefinition:  # a refusal has version 0, even of an unknown version
            refusal = self._refusal(data, message, version)
            if refusal is None:
                raise
            return refusal
        before, start, end = self._frame(data)
        read = self._read(data[:end], start, self._layouts(form), missing_of(before, data))
        if read.error:
            refusal = self._refusal(data, message, version) if version else None
            if other := refusal or self._of_other_header(form, data):
                return other
        return self._explanation(self._title(form), data, before, end, read, form)

    def _of_other_header(self, form: Form, data: bytes) -> Explanation | None:
        """Explain a response whose only fault is the other version of its header, else None."""
        due = self.codec.header_form(form).version
        before, start, end = self._frame(data)
        header = self.codec.form("ResponseHeader", 1 - due)
        layouts = [(header.layout, HEADER), (form.layout, "")]
        read = self._read(data[:end], start, layouts, missing_of(before, data))
        title = f"{form.message} v{form.version}, written with ResponseHeader v{header.version}"
        found = self._explanation(title, data, before, end, read, form)
        if read.error or any(row.state != "read" for row in found.rows):
            return None
        place = f"{HEADER}._tags(count)" if due == 0 else f"{HEADER}.correlationId"
        lacks = "no tag section" if due == 0 else "a tag section behind it"
        says = f"ResponseHeader v{due} is due, which has {lacks}"
        wrong = (replace(row, state="wrong", says=says) for row in found.rows if row.path == place)
        marked = {row.offset: row for row in wrong}
        return replace(found, rows=tuple(marked.get(row.offset, row) for row in found.rows))

    def _refusal(
        self, data: bytes, message: str, version: int, *, body: bool = False
    ) -> Explanation | None:
        """Explain an ApiVersionsResponse that refuses a version (KIP-511), else None."""
        if message.removesuffix("Response") != "ApiVersions":
            return None
        form = self._form(message, 0, "response")
        before, start, end = ([], 0, len(data)) if body else self._frame(data)
        layouts = [(form.layout, "")] if body else self._layouts(form)
        missing = missing_of(before, data)
        read = self._read(data[:end], start, layouts, missing)
        if read.error or _error_code(read) != UNSUPPORTED_VERSION:
            return None
        title = f"{form.message} v0" if body else self._title(form)
        title = f"{title}, in answer to version {version} (KIP-511)"
        found = self._explanation(title, data, before, end, read, form)
        return replace(found, rows=tuple(map(_say_fallback, found.rows)))

    def of_nothing(self, data: bytes) -> Explanation:
        """Explain a response to an unknown request: only its correlation id can be read."""
        before, start, end = self._frame(data)
        header = self.codec.form("ResponseHeader", 0).layout
        read = self._read(data[:end], start, [(header, HEADER)], missing_of(before, data))
        undecided = "nothing says which request this response answers: only its header is read"
        if read.error is None:
            read = replace(read, undecided=undecided)
        title = "a response to no request that waits for one"
        return self._explanation(title, data, before, end, read)

    def body(self, data: bytes, message: str, version: int | None = None) -> Explanation:
        """Explain a body alone, of any message; the version is optional if the body begins with it.

        Raises UnknownDefinition and NotAFrame.
        """
        name = names_of(message, self.codec.release)[0]
        if name in (RECORD_BATCH, RECORD_SET):
            return self._batches(data, name, version)
        if version is None or self._is_led(data, name, version):
            return self._led(data, name)
        form = self.codec.form(name, version)
        read = self._read(data, 0, [(form.layout, "")])
        if read.error and version:
            refusal = self._refusal(data, name, version, body=True)
            if refusal:
                return refusal
        return self._explanation(f"{name} v{version}", data, [], len(data), read, form)

    def _batches(self, data: bytes, name: str, version: int | None) -> Explanation:
        """Explain batches or messages, each in the format that it states."""
        formats = frozenset({0, 1, 2}) if version is None else frozenset({version})
        holder = Holder(formats=formats, named=f"{name} v{version}", cut=name == RECORD_SET)
        alone = name == RECORD_BATCH
        found = batch_rows(data, "", holder, lenient=self.lenient, alone=alone)
        found = found or [Row(0, b"", "records", state="wrong", says="no bytes")]
        magic = data[MAGIC_OFFSET] if len(data) > MAGIC_OFFSET else MAGIC
        title = f"{name} v{magic if version is None else version}"
        return self._of_rows(title, data, found, "")  # no release has definitions of records

    def _is_led(self, data: bytes, name: str, version: int) -> bool:
        """True if bytes begin with their version, and can be read only from after it."""
        if leads().get(name) not in ("version", "type"):
            return False
        plain = self.body_is_clean(data, name, version)
        led = self._led(data, name)
        return not plain and not led.wrong and not led.undecided

    def body_is_clean(self, data: bytes, name: str, version: int) -> bool:
        """True if bytes are a body of this version to the last byte."""
        form = self.codec.form(name, version)
        read = self._read(data, 0, [(form.layout, "")])
        return read.error is None and _end(read, 0) == len(data)

    def _led(self, data: bytes, name: str) -> Explanation:
        """Explain a body whose first bytes state its version. Raises NotAFrame for any other."""
        lead = leads().get(name)
        if lead is None:
            raise NotAFrame(f"{name} does not say its version", "--api-version N")
        parts: list[BytePart] = []
        reader = Lenient(data, 0, parts) if self.lenient else Reader(data, 0, parts)
        try:
            name, version = self._version_by(reader, name, lead)
            form = self._known_version(name, version, reader)
        except DecodeError as error:
            return self._explanation(name, data, [], len(data), Read(parts, error))
        title = f"{name} v{version}"
        if form is None:
            held = self.codec.versions(name)
            why = _no_definition(name, version, held)
            read = Read(parts, undecided=why)
            return self._explanation(title, data, [], len(data), read)
        start = 0 if lead == "own field" else reader.offset
        read = self._read(data, start, [(form.layout, "")])
        if lead != "own field":
            read = replace(read, parts=[*parts, *read.parts])
        found = self._explanation(title, data, [], len(data), read, form)
        note = former_version(name, parts[0].value) if parts and parts[0].path == "type" else ""
        return replace(found, notes=(note, *found.notes)) if note else found

    def _version_by(self, reader: Reader, name: str, lead: str) -> tuple[str, int]:
        """Read the version that a message begins with; return its name and the version.

        The name may change to the one that the leading type identifies. Raises DecodeError.
        """
        if lead == "metadata":
            return name, self._metadata_version(reader, name)
        if lead != "type" or self._has_no_type(name):
            return name, int(reader.fixed(_LEADING, "version"))
        start = reader.offset
        number = int(reader.fixed(_LEADING, "type"))
        for each in (name, f"{LEGACY}{name}"):
            if number in key_types(each):
                return each, 0
        if key_types(name):
            key = key_of(number, name)
            says = f"{name} begins with {key_types(name)[0]}" + (
                f", {key} with {number}" if key else ""
            )
            raise UnknownMessage(says, "type", start)
        return name, number

    def _has_no_type(self, name: str) -> bool:
        """True if the release has this key without a type: there its number is the version."""
        held = definitions(self.codec.release)
        return name in held and held[name].api_key is None

    def _metadata_version(self, reader: Reader, name: str) -> int:
        reader.uvarint("frameVersion")
        start = reader.offset
        number = reader.uvarint("apiKey")
        if number not in key_types(name):
            raise UnknownMessage(f"{name} has {key_types(name)}", "apiKey", start)
        return int(reader.uvarint("version"))

    def _known_version(self, name: str, version: int, reader: Reader) -> Form | None:
        """Return the form of a version, None if it is newer than all. Raises UnknownMessage."""
        held = self.codec.versions(name)
        if version in held:
            return self.codec.form(name, version)
        if version > held[-1]:
            return None
        reason = f"{name} has versions {held[0]} to {held[-1]}"
        raise UnknownMessage(reason, "version", max(reader.offset - 2, 0))

    def _form(self, message: str, version: int | None, kind: str) -> Form:
        """Return the form of a message, whose name may lack its ending.

        Raises UnknownDefinition, and NotAFrame without a version or for a message of another kind.
        """
        if version is None:
            raise NotAFrame("a message is named, and no version of it", "--api-version N")
        name = names_of(message, self.codec.release, kind)[0]
        form = self.codec.form(name, version)
        if kind and form.type != kind:
            raise NotAFrame(f"{name} is no {kind}", "--request, --response or --body")
        return form

    def _layouts(self, form: Form) -> list[tuple[Layout, str]]:
        """Return the header's layout and the body's, each with its path."""
        return [(self.codec.header_form(form).layout, HEADER), (form.layout, "")]

    def _title(self, form: Form) -> str:
        header = self.codec.header_form(form)
        return f"{form.message} v{form.version}, {header.message} v{header.version}"

    def _frame(self, data: bytes) -> tuple[list[Row], int, int]:
        """Return the row of a frame's length, if it has one, and the frame's begin and end."""
        said = struct.unpack_from(">i", data)[0] if len(data) >= 4 else None
        rest = len(data) - 4
        if self.length is False or (self.length is None and said != rest):
            return [], 0, len(data)
        if said is None:
            says = f"4 bytes expected, {len(data)} left"
            return [Row(0, data, LENGTH, "int32", state="wrong", says=says)], len(data), len(data)
        row = Row(0, data[:4], LENGTH, "int32", said, str(said))
        if said < 0:
            row = replace(row, state="wrong", says=f"{said} bytes, {rest} left")
        return [row], 4, 4 + said if 0 <= said <= rest else len(data)

    def _read(
        self, data: bytes, start: int, layouts: Sequence[tuple[Layout, str]], missing: int = 0
    ) -> Read:
        """Read structs, one after another, of which the last `missing` bytes were cut off."""
        parts: list[BytePart] = []
        reader = (LenientReading if self.lenient else Reading)(data, start, parts)
        reader.missing = missing
        error = None
        try:
            for layout, path in layouts:
                reader.struct(layout, path)
        except DecodeError as found:
            error = found
        lacks = lack_of_records(reader) if isinstance(error, LengthError) and not missing else 0
        if lacks > 0:
            return self._read(data, start, layouts, lacks)
        forgiven = reader.forgiven if isinstance(reader, Lenient) else []
        return Read(parts, error, forgiven, missing=missing, kind=reader.kind)

    def _named_by_header(self, data: bytes, start: int) -> Form | Read | _Newer:
        """Return the form that a request's first four bytes name, a newer version, or a fault."""
        parts: list[BytePart] = []
        reader = Reader(data, start, parts)
        try:
            api_key = reader.fixed("int16", f"{HEADER}.requestApiKey")
            version = reader.fixed("int16", f"{HEADER}.requestApiVersion")
            return self._named(api_key, version, start)
        except DecodeError as error:
            return Read(parts, error, [])

    def _named(self, api_key: int, version: int, start: int) -> Form | _Newer:
        """Return the form of an api key and version, or a newer version. Raises UnknownMessage."""
        name = request_name(self.codec.release, api_key, version)
        if name is None:
            reason = f"no request has api key {api_key}"
            raise UnknownMessage(reason, f"{HEADER}.requestApiKey", start)
        if form_for(self.codec.release, name, version) is None:
            held = self.codec.versions(name)
            if version > held[-1]:
                return _Newer(name, version, held)
            reason = f"{name} has versions {held[0]} to {held[-1]}"
            raise UnknownMessage(reason, f"{HEADER}.requestApiVersion", start + 2)
        return self.codec.form(name, version)

    def _newer(
        self, newer: _Newer, data: bytes, before: list[Row], start: int, end: int
    ) -> Explanation:
        """Explain a request of a version newer than all definitions, as far as its header.

        All versions after a flexible one are flexible. If no version is flexible, header v1 is
        read, with which v2 begins.
        """
        newest = self.codec.form(newer.name, newer.held[-1])
        header = self.codec.form(header_name(newest), header_version(newest))
        read = self._read(data[:end], start, [(header.layout, HEADER)], missing_of(before, data))
        why = _no_definition(newer.name, newer.version, newer.held)
        if read.error is None:
            read = replace(read, undecided=f"{why}: only its header is read, and it is not judged")
        title = f"{newer.name} v{newer.version}, {header.message} v{header.version}"
        return self._explanation(title, data, before, end, read)

    def _explanation(
        self,
        title: str,
        data: bytes,
        before: list[Row],
        end: int,
        read: Read,
        form: Form | None = None,
    ) -> Explanation:
        """Explain a length, the parts read up to `end`, and the bytes after the frame."""
        start = before[-1].end if before else 0
        found = before
        if start < end or not before or before[-1].state != "wrong":
            read_rows = rows(data[:end], read.parts, start, read.error, read.forgiven)
            within = list(self._within(read_rows, read, form))
            found = [*with_length(before, read), *marked_end(within, read, end)]
        if end < len(data):
            behind = Row(end, data[end:], state="left over", says="behind the frame")
            found = [*found, behind]
        whole = self._of_rows(title, data, found, _origin(form, self.codec.release))
        notes = [note_of_length(before, read, len(data)), read.undecided]
        kept = tuple(filter(None, notes))
        return replace(whole, notes=kept, undecided=read.undecided, form=form)

    def _within(self, read_rows: Iterable[Row], read: Read, form: Form | None) -> Iterable[Row]:
        """Yield the rows of a frame, with batches as their own rows.

        Bytes after the last field are forgiven if this explainer is lenient.
        """
        holder = holder_of(form.message, form.version) if form else Holder()
        for row in read_rows:
            if row.state == "left over" and read.undecided:
                yield replace(row, state="not read", says="")
            elif row.state == "left over" and self.lenient:
                yield replace(row, state="forgiven")
            elif row.state == "incomplete" and read.is_cut and read.kind == RECORDS:
                whole = replace(row, type=RECORDS)
                yield from with_batches(whole, holder, lenient=self.lenient)
            else:
                yield from with_batches(row, holder, lenient=self.lenient)

    def _of_rows(self, title: str, data: bytes, found: Iterable[Row], origin: str) -> Explanation:
        return Explanation(f"{title}, {len(data)} bytes{origin}", tuple(map(named, found)))


@dataclass(frozen=True)
class _Newer:
    """A request of a version that is newer than the stored ones."""

    name: str
    version: int
    held: Sequence[int]


def _origin(form: Form | None, release: str) -> str:
    """Return which release's definitions bytes were read by: without a form, `release` itself.

    A version that `release` lacks is read by the newest stored release that has it.
    """
    if form is None or release in form.releases:
        return f", by the definitions of Kafka {release}"
    return f", by the definitions of Kafka {form.releases[0]}, the newest with this version"


def _no_definition(name: str, version: int, held: Sequence[int]) -> str:
    return f"no stored definition has {name} version {version} ({held[0]} to {held[-1]} are known)"


def _end(read: Read, start: int) -> int:
    last = read.parts[-1] if read.parts else None
    return last.offset + last.length if last else start


def _error_code(read: Read) -> int | None:
    return next((part.value for part in read.parts if part.path == "errorCode"), None)


def _say_fallback(row: Row) -> Row:
    return replace(row, says=_FELL_BACK) if row.path == "errorCode" else row
