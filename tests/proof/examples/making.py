"""One maker for all kinds: of the differences that show a rule broken, it takes the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

import msgspec

from conformance.mutants import Breaks
from conformance.rules import catalogue
from conformance.rules.examples import Example, ExampleRow
from conformance.rules.examples.exchanges import Exchange, Side

FOLDER = Path(__file__).parents[3] / "conformance" / "rules" / "examples"
P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=Breaks)
E_co = TypeVar("E_co", Example, Exchange, covariant=True)
E = TypeVar("E", Example, Exchange)


class Candidate(Protocol[E_co]):
    """A candidate for the example of a rule: the least `worth` is the best."""

    @property
    def worth(self) -> tuple[Any, ...]:
        """A sort key, which is the same on every machine."""

    def example(self) -> E_co:
        """Return it in the form in which it is stored."""


def best(shown: Iterable[Candidate[E]]) -> E | None:
    """Return the best example, None without a candidate."""
    found = min(shown, key=lambda each: each.worth, default=None)
    return found.example() if found else None


@dataclass(frozen=True)
class Maker(Generic[M, E]):
    """Makes the examples of a kind of target; `shown` yields what shows the defect of a mutant."""

    kind: str
    file: str
    mutants: Callable[[], Mapping[str, type[M]]]
    shown: Callable[[type[M]], Iterable[Candidate[E]]]

    def made(self) -> list[E]:
        """Return the examples of all rules that have one, in the order of the catalogue."""
        rules = [each for each in catalogue().values() if each.applies[0].startswith(self.kind)]
        found = (best(self._shown(rule.id)) for rule in rules if not rule.not_shown)
        return [each for each in found if each is not None]

    def _shown(self, rule: str) -> Iterable[Candidate[E]]:
        breaking = (each for each in self.mutants().values() if each.breaks == rule)
        return (shown for mutant in breaking for shown in self.shown(mutant))

    def text(self) -> str:
        """Return the text of the file: one example a line."""
        lines = ",\n".join(msgspec.json.encode(each).decode() for each in self.made())
        return f"[\n{lines}\n]\n"

    def write(self) -> None:
        """Write the file."""
        (FOLDER / self.file).write_text(self.text(), encoding="utf-8")


def exchange_of(
    mutant: type[Breaks],
    case: str,
    given: list[Side],
    sides: tuple[Side, Side],
    rows: list[ExampleRow],
) -> Exchange:
    """Return the example in which a mutant differs from the reference, whose side is the first."""
    return Exchange(
        rule=mutant.breaks,
        case=case,
        mutant=mutant.__name__,
        defect=mutant.says(),
        given=given,
        right=sides[0],
        wrong=sides[1],
        rows=rows,
    )


def once(make: Callable[P, T]) -> Callable[P, T]:
    """Return a function that is called once for each of its arguments, which may be classes."""
    return cast("Callable[P, T]", cache(make))
