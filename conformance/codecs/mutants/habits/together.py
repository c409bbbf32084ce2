"""Several defects in one codec, as a foreign codec may well have.

Each defect is asked for its version of every form that it changes, one after another. If one of
them hides another, they answer together as that one does.
"""

from __future__ import annotations

from typing import Any

from conformance.codecs.mutants.habits.edited import Edit, changed_by
from conformance.codecs.mutants.mutant import Mutant
from conformance.schema.layout import Form
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

_MADE: dict[tuple[type[Any], ...], type[Any]] = {}


def together(*kinds: type[Mutant]) -> type[Mutant]:
    """A mutant with the defects of all of these."""
    kinds = _without_bases(kinds)
    if len(kinds) == 1:
        return kinds[0]

    def of(form: Form) -> list[type[Mutant]]:
        return [kind for kind in kinds if not kind.messages or form.message in kind.messages]

    def change(self: Mutant, form: Form) -> Form:
        edits = [kind for kind in of(form) if issubclass(kind, Edit)]
        form = changed_by(edits, self.release, form)
        for kind in of(form):
            if not issubclass(kind, Edit):
                form = kind.change(self, form)
        return form

    def bites(self: Mutant, form: Form) -> bool:
        found = of(form) if self.in_headers or form.type != "header" else []
        self.reader = _merged(tuple(kind.reader for kind in found), Reader)
        self.writer = _merged(tuple(kind.writer for kind in found), Writer)
        return bool(found)

    body = {"is_listed": False, "messages": (), "change": change, "_bites": bites}
    return type("And".join(kind.__name__ for kind in kinds), kinds, body)


def _merged(kinds: tuple[type[Any], ...], plain: type[Any]) -> type[Any]:
    """Return one class that combines several readers or writers."""
    key = (plain, *kinds)
    if key not in _MADE:
        _MADE[key] = _combined(kinds, plain)
    return _MADE[key]


def _combined(kinds: tuple[type[Any], ...], plain: type[Any]) -> type[Any]:
    bases = _without_bases(tuple(kind for kind in kinds if kind is not plain))
    return type(plain.__name__, bases, {}) if bases else plain


def _without_bases(kinds: tuple[type[Any], ...]) -> tuple[type[Any], ...]:
    """Return the classes, each once, without bases of others among them."""

    def is_base(kind: type[Any]) -> bool:
        return any(each is not kind and issubclass(each, kind) for each in kinds)

    return tuple(kind for kind in dict.fromkeys(kinds) if not is_base(kind))
