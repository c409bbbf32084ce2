"""The end of a message. Codecs are given bodies alone, and a body ends with its bytes.

A buffer that is longer than the message in it is the usual cause: the rest of the buffer is written
after the message.
"""

from __future__ import annotations

from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import Value
from conformance.schema.layout import Form


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
