"""The reference codec without the explanation of what it refuses."""

from __future__ import annotations

from conformance.protocol import Value
from conformance.reference import ReferenceCodec
from conformance.schema.layout import Form
from conformance.wire.errors import DecodeError


class Unexplained(ReferenceCodec):
    """Refuses without the plain reader, which would read all again to say why.

    Whether that refuses as well is seen of those refusals that are looked at closely.
    """

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """A message's value and the offset behind it. Raises DecodeError."""
        if form.layout.batch:
            return super().read(form, data, offset)
        compiled = self._compiled.get(id(form)) or self._compile(form)
        try:
            return compiled.decode(data, offset)
        except Exception:
            raise DecodeError("refused by the generated code", "", offset) from None
