"""Fields that a value leaves out, at something else than their defaults."""

from __future__ import annotations

from typing import Any

from conformance.codecs.cases.values.fill import zero
from conformance.codecs.mutants.mutant import Mutant
from conformance.schema.layout import WireField


class LeftOutNullEmpty(Mutant, breaks="versions.left-out-writes-default"):
    """Writes an empty value for a field that is left out and null by default."""

    def left_out(self, item: WireField) -> Any:
        return zero(item.type) if item.default is None else super().left_out(item)


class LeftOutNumberZero(Mutant, breaks="versions.left-out-writes-default"):
    """Writes zero for a number that is left out, whatever its default is."""

    def left_out(self, item: WireField) -> Any:
        return 0 if type(item.default) is int else super().left_out(item)
