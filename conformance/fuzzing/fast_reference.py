"""The reference codec without the explanation of what it refuses."""

from __future__ import annotations

from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError


class Unexplained(ReferenceCodec):
    """Refuses without the plain reader, which would read all again to say why.

    Whether that refuses as well is seen of those refusals that are looked at closely.
    """

    def explained(self, _form: Form, _data: bytes, offset: int) -> tuple[Value, int]:
        """Refuse. Raises DecodeError."""
        raise DecodeError("refused by the generated code", "", offset)
