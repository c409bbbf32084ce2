"""The reference codec: our own reading of the protocol, and the second oracle beside Apache Kafka.

A codec is two functions over forms, `read` and `write`; all operations of the testee protocol
follow from them. `PlainCodec` does both with the plain reader and writer, field by field, and is
the base class of mutants. `ReferenceCodec` does them with generated code that is loaded from a
cache on disk, and falls back on the plain ones for input that the generated code refuses.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import struct
import tempfile
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from conformance import __version__
from conformance.api_keys import API_VERSIONS
from conformance.data import cache_dir
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.schema.filling import completed
from conformance.schema.layout import Form, WireField
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.schema.releases import (
    UNDEFINED,
    UnknownDefinition,
    definitions,
    form_for,
    message_names,
    request_name,
    versions_for,
)
from conformance.testee_protocol import OPS
from conformance.wire.annotated import Forgiven
from conformance.wire.compiled import compiler, reader_source, runtime, source, writer_source
from conformance.wire.compiled import cursor as reader_cursor
from conformance.wire.errors import (
    DecodeError,
    EncodeError,
    LeftOut,
    LengthError,
    Truncated,
    UnknownMessage,
)
from conformance.wire.frames import header_name, header_version
from conformance.wire.lenient import Lenient
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

Value = dict[str, Any]


class PlainCodec:
    """Every operation of the testee protocol, by the plain reader and writer.

    It follows the definitions of `release`; versions that only other stored releases have are read
    in the newest form that is stable. Raises WireError for bytes and values, UnknownDefinition for
    messages and versions that no stored release has.
    """

    name = "reference"
    reader: type[Reader] = Reader
    writer: type[Writer] = Writer

    def __init__(self, release: str = "") -> None:
        self.release = definitions(release).release
        self._forms: dict[tuple[str, int], Form] = {}

    def hello(self) -> dict[str, Any]:
        """Return this codec's description of itself."""
        return {
            "name": self.name,
            "version": __version__,
            "ops": list(OPS),
            "messages": {
                name: {"versions": ranges}
                for name in (*message_names(self.release), *UNDEFINED)
                if (ranges := _ranges(self.versions(name)))
            },
            "definitions": self.release,
            "unknownTags": "kept",
            "defaults": True,
        }

    def versions(self, message: str) -> list[int]:
        """Return the versions of a message that this codec reads and writes, ascending."""
        return versions_for(self.release, message)

    def form(self, message: str, version: int) -> Form:
        """Return the form in which it reads and writes a version. Raises UnknownDefinition."""
        found = self._forms.get((message, version))
        if found is None:
            holder = definitions(self.release)
            if message in holder and version in holder[message].valid:
                found = holder.form(message, version)
            else:
                found = form_for(self.release, message, version)
            if found is None:
                raise UnknownDefinition(f"no release of Kafka has {message} version {version}")
            self._forms[message, version] = found
        return found

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return a message's value and the offset after it. Raises DecodeError."""
        reader = self.reader(data, offset)
        return reader.struct(form.layout), reader.offset

    def write(self, form: Form, value: Value) -> bytes:
        """Return a message's bytes. Raises EncodeError."""
        writer = self.writer()
        writer.struct(form.layout, value)
        return bytes(writer.out)

    def header_form(self, form: Form) -> Form:
        """Return the form of the header in front of a body of this form."""
        return self.form(header_name(form), header_version(form))

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int]:
        """Return a body's value, and the number of bytes that are left after it."""
        value, end = self.read(self.form(message, version), data)
        return value, len(data) - end

    def encode(self, message: str, version: int, value: Value) -> bytes:
        """Return a body's bytes; a plain field that is left out has its default."""
        form = self.form(message, version)
        try:
            return self.write(form, value)
        except LeftOut:
            return self.write(form, completed(form.layout, value, self.left_out))

    def left_out(self, item: WireField) -> Any:
        """Return the value to write for a plain field that was left out."""
        return deepcopy(item.default)

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """Decode, then encode the value; bytes left over are an error."""
        form = self.form(message, version)
        value, end = self.read(form, data)
        if end != len(data):
            raise LengthError(f"{len(data) - end} bytes after the last field", "", end)
        try:
            return self.write(form, value)
        except Exception as error:
            error.stage = "encode"  # type: ignore[attr-defined]
            raise

    def decode_request(self, data: bytes) -> tuple[Value, Value, int]:
        """Read a request frame without its length; return header, body, bytes left."""
        if len(data) < 4:
            raise Truncated(f"4 bytes expected, {len(data)} left", "requestApiKey", len(data))
        api_key, version = struct.unpack_from(">hh", data)
        message = request_name(self.release, api_key, version)
        if message is None or form_for(self.release, message, version) is None:
            raise UnknownMessage(f"no api key {api_key} version {version}", "requestApiKey", 0)
        header, value, remaining, _ = self._decode_frame(self.form(message, version), data)
        return header, value, remaining

    def decode_response(
        self, message: str, version: int, data: bytes
    ) -> tuple[Value, Value, int, int]:
        """Read a response frame without its length; return header, body, bytes left, its version.

        An ApiVersionsResponse with error 35 has a body of version 0 whatever was asked (KIP-511).
        """
        form = self.form(message, version)
        try:
            return self._decode_frame(form, data)
        except DecodeError:
            if form.api_key != API_VERSIONS or version == 0:
                raise
            fallback = self._decode_fallback(message, data)
            if fallback is None:
                raise
            return fallback

    def encode_request(self, message: str, version: int, header: Value, value: Value) -> bytes:
        """Return a request frame without its length. `header` gives correlationId and clientId."""
        form = self.form(message, version)
        if not isinstance(header, dict):
            raise EncodeError("a struct expected", "header")
        full = {"requestApiKey": form.api_key, "requestApiVersion": version, **header}
        return self.write(self.header_form(form), full) + self.write(form, value)

    def encode_response(self, message: str, version: int, header: Value, value: Value) -> bytes:
        """Return a response frame without its length. `header` gives correlationId."""
        form = self.form(message, version)
        return self.write(self.header_form(form), header) + self.write(form, value)

    def _decode_frame(self, form: Form, data: bytes) -> tuple[Value, Value, int, int]:
        header, offset = self.read(self.header_form(form), data)
        value, end = self.read(form, data, offset)
        return header, value, len(data) - end, form.version

    def _decode_fallback(self, message: str, data: bytes) -> tuple[Value, Value, int, int] | None:
        try:
            found = self._decode_frame(self.form(message, 0), data)
        except DecodeError:
            return None
        return found if found[1].get("errorCode") == UNSUPPORTED_VERSION else None


class LenientCodec(PlainCodec):
    """A codec that reads whatever Apache Kafka reads, and writes as strictly as all others.

    As a target it is `conformance.reference.codec:LenientCodec`. `forgiven` are the flaws of the
    last bytes for which a strict reader would have refused them; bytes after the last field are
    among them.
    """

    name = "reference-lenient"

    def __init__(self, release: str = "") -> None:
        super().__init__(release)
        self.forgiven: list[Forgiven] = []

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return a message's value and the offset after it. Raises DecodeError."""
        if offset == 0:
            self.forgiven = []
        reader = Lenient(data, offset)
        value = reader.struct(form.layout)
        if form.type != "header":
            reader.end()
        self.forgiven += reader.forgiven
        return value, reader.offset

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """Decode, then encode the value; bytes left over are dropped."""
        form = self.form(message, version)
        _, end = self.read(form, data)
        forgiven = self.forgiven
        try:
            return super().roundtrip(message, version, data[:end])
        finally:
            self.forgiven = forgiven


class Compiled(NamedTuple):
    """The generated functions of one form."""

    decode: Callable[[bytes, int], tuple[Value, int]]
    encode: Callable[[Value], bytes]


class ReferenceCodec(PlainCodec):
    """A codec with generated code, compiled and cached per message and version on first use."""

    def __init__(self, release: str = "") -> None:
        super().__init__(release)
        # Keyed by identity, since to hash a layout takes longer than to read a message; so each
        # form must live as long as its entry.
        self._compiled: dict[int, Compiled] = {}
        self._kept: list[Form] = []

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return a message's value and the offset after it. Raises DecodeError."""
        if form.layout.by_hand:
            return super().read(form, data, offset)
        compiled = self._compiled.get(id(form)) or self._compile(form)
        try:
            return compiled.decode(data, offset)
        except Exception:
            return self.explained(form, data, offset)

    def explained(self, form: Form, data: bytes, offset: int) -> tuple[Value, int]:
        """Return the plain reader's result for bytes that generated code refused.

        Raises DecodeError.
        """
        return super().read(form, data, offset)

    def write(self, form: Form, value: Value) -> bytes:
        """Return a message's bytes. Raises EncodeError."""
        if form.layout.by_hand:
            return super().write(form, value)
        compiled = self._compiled.get(id(form)) or self._compile(form)
        try:
            return compiled.encode(value)
        except Exception:
            return super().write(form, value)

    def _compile(self, form: Form) -> Compiled:
        self._kept.append(form)
        compiled = self._compiled[id(form)] = (
            load_compiled(form) if form.type != PRIMITIVE else self._plain(form)
        )
        return compiled

    def _plain(self, form: Form) -> Compiled:
        """Return the plain functions of a form that is too small for generated ones."""
        return Compiled(
            lambda data, offset: PlainCodec.read(self, form, data, offset),
            lambda value: PlainCodec.write(self, form, value),
        )


def load_compiled(form: Form) -> Compiled:
    """Return the generated functions of a form, from the cache on disk if they are there."""
    digest = hashlib.sha256(repr(form.layout).encode()).hexdigest()[:16]
    name = f"{form.message}_v{form.version}_{digest}"
    folder = cache_dir() / "wire" / _compiler_digest()
    path = folder / f"{name}.py"
    try:
        return _import(name, path)
    except Exception:  # it is missing, or damaged
        source = compiler.compile_form(form)
    try:
        _write_atomically(path, source)
        return _import(name, path)
    except OSError:
        return _in_memory(name, source)


@cache
def _compiler_digest() -> str:
    """Return a digest of the compiler's source, so that no stale module is ever loaded."""
    digest = hashlib.sha256(__version__.encode())
    for module in (compiler, source, reader_cursor, reader_source, writer_source, runtime):
        loader = module.__spec__ and module.__spec__.loader
        text = loader.get_source(module.__name__) if hasattr(loader, "get_source") else None  # type: ignore[union-attr]
        digest.update((text or "").encode())
    return digest.hexdigest()[:16]


def _write_atomically(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


def _import(name: str, path: Path) -> Compiled:
    loader = SourceFileLoader(f"conformance_compiled.{name}", str(path))
    spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return _functions(module)


def _in_memory(name: str, source: str) -> Compiled:
    module = ModuleType(f"conformance_compiled.{name}")
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return _functions(module)


def _functions(module: ModuleType) -> Compiled:
    return Compiled(module.decode, module.encode)


def _ranges(versions: list[int]) -> list[list[int]]:
    """Return sorted versions as inclusive ranges."""
    ranges: list[list[int]] = []
    for version in versions:
        if ranges and ranges[-1][1] == version - 1:
            ranges[-1][1] = version
        else:
            ranges.append([version, version])
    return ranges
