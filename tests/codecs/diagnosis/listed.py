"""The defects of a codec that somebody lists, each a class with its cause in one sentence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Defect:
    """A codec with one defect, by the name that it has in its module."""

    name: str
    cause: str
    codec: type


class Defects(list[Defect]):
    """What one module lists, in its order."""

    def __call__(self, cause: str) -> Callable[[C], C]:
        """List a codec with its cause."""

        def keep(codec: C) -> C:
            self.append(Defect(codec.__name__, cause, codec))
            return codec

        return keep
