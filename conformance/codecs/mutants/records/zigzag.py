"""Zig-zag numbers by themselves, as codecs have them beside their messages."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.codecs.mutants.mutant import Mutant
from conformance.schema.primitives import PRIMITIVES
from conformance.wire.reader import Reader
from conformance.wire.records.zigzag import zigzag_bytes
from conformance.wire.writer import Writer


class _Unsigned:
    """Has numbers of a kind as they stand, in two's complement."""

    messages: ClassVar[tuple[str, ...]] = (PRIMITIVES,)


class _Reads(Reader):
    kind = ""

    def unzigzag(self, raw: int, kind: str) -> int:
        bits = 32 if kind == "varint" else 64
        return raw - (raw >> bits - 1 << bits) if kind == self.kind else super().unzigzag(raw, kind)


class _Writes(Writer):
    kind = ""

    def integer(self, kind: str, value: Any, path: str) -> None:
        if kind != self.kind:
            super().integer(kind, value, path)
        else:
            self.out += zigzag_bytes(int(value) % 2 ** (32 if kind == "varint" else 64))


class VarintAloneUnsigned(_Unsigned, Mutant, breaks="records.varint-zigzag"):
    """Reads and writes a VARINT that stands alone as two's complement in groups of 7 bits."""

    class Reads(_Reads):
        kind = "varint"

    class Writes(_Writes):
        kind = "varint"


class VarlongAloneUnsigned(_Unsigned, Mutant, breaks="records.varlong-zigzag"):
    """Reads and writes a VARLONG that stands alone as two's complement in groups of 7 bits."""

    class Reads(_Reads):
        kind = "varlong"

    class Writes(_Writes):
        kind = "varlong"
