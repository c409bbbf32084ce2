"""Reads and writes a message by the plain reader and writer, with the newest definitions."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from conformance.schema.layout import Form, form
from conformance.schema.releases import wire_forms
from conformance.schema.text.load import load_message
from conformance.wire.compiled.compiler import compile_form
from conformance.wire.errors import DecodeError, EncodeError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


def form_of(message: str, version: int) -> Form:
    return wire_forms(message)[version][0]


def defined(definition: str, version: int = 1) -> Form:
    """The form of a definition given as text."""
    return form(load_message(definition), version)


def read(form: Form, data: bytes) -> tuple[dict[str, Any], int]:
    """The value, and how many bytes it took."""
    reader = Reader(data)
    return reader.struct(form.layout), reader.offset


def write(form: Form, value: Any) -> bytes:
    writer = Writer()
    writer.struct(form.layout, value)
    return bytes(writer.out)


@cache
def compiled(form_id: int) -> dict[str, Any]:
    """The generated module of a form, held apart from any cache on disk."""
    namespace: dict[str, Any] = {}
    exec(compile_form(_known[form_id]), namespace)
    return namespace


_known: dict[int, Form] = {}


def fast_read(form: Form, data: bytes) -> tuple[dict[str, Any], int]:
    """As `read`, by generated code, whose errors say nothing."""
    _known[id(form)] = form
    return compiled(id(form))["decode"](data, 0)  # type: ignore[no-any-return]


def fast_write(form: Form, value: Any) -> bytes:
    """As `write`, by generated code, whose errors say nothing."""
    _known[id(form)] = form
    return compiled(id(form))["encode"](value)  # type: ignore[no-any-return]


def refusal(form: Form, data: bytes) -> DecodeError:
    """The error of bytes that are no message; generated code must refuse them too."""
    with pytest.raises(DecodeError) as caught:
        read(form, data)
    with pytest.raises(Exception):  # noqa: B017, PT011 - what it raises is nobody's business
        fast_read(form, data)
    return caught.value


def write_refusal(form: Form, value: Any) -> EncodeError:
    """The error of a value that can't be written; generated code must refuse it too."""
    with pytest.raises(EncodeError) as caught:
        write(form, value)
    with pytest.raises(Exception):  # noqa: B017, PT011 - what it raises is nobody's business
        fast_write(form, value)
    return caught.value
