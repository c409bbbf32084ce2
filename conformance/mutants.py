"""The base of mutants of all kinds: the rule that each breaks, and the sentence that says how.

A mutant is a reference implementation with one defect, to show that a rule catches it. It is a
class, since it overrides a method or two and calls the usual one by `super()`: so mypy holds it to
the signature, and a reader sees the difference alone. Its docstring is printed as its defect.

    class NullDeletes(BrokerMutant, breaks="configs.null-refused"):
        \"\"\"Takes null for the value of a config that is to be set.\"\"\"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from conformance.modules import import_all

_known: list[type[Breaks]] = []
T = TypeVar("T", bound="Breaks")


class Breaks:
    """An implementation with one defect, which the first paragraph of its docstring says.

    `breaks` is the rule that it breaks, `implies` are rules that can't be kept by whatever breaks
    that one in this way. A mutant that is not listed shows no rule: a diagnosis looks at it, or
    a baseline is made with it.
    """

    breaks: ClassVar[str] = ""
    implies: ClassVar[tuple[str, ...]] = ()
    is_listed: ClassVar[bool] = True

    def __init_subclass__(cls, breaks: str | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if breaks is not None:
            cls.breaks = breaks
        if cls.is_listed:
            _known.append(cls)

    @classmethod
    def says(cls) -> str:
        """Return what the mutant does wrongly, in one sentence."""
        return " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def known(kind: type[T]) -> list[type[T]]:
    """Return the listed mutants of a kind that were defined so far, in that order."""
    return [each for each in _known if issubclass(each, kind) and each.breaks]


def by_name(kind: type[T], package: str, path: Iterable[str]) -> dict[str, type[T]]:
    """Return the mutants of a kind by their names, with all modules of their package imported."""
    import_all(package, path)
    return {each.__name__: each for each in known(kind)}
