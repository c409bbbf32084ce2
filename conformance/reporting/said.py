"""What is said of several cases: the words that they share, and one of them as an example."""

from __future__ import annotations

import re
from collections.abc import Sequence

REFUSED = re.compile(r"refused(?: while it \w+)?: ")


class Said:
    """What is said of several cases: the whole text of one, else the words that all share."""

    def __init__(self, text: str, alike: str) -> None:
        self._whole: str | None = text
        self._before = self._behind = alike.split()

    def beside(self, other: Said) -> Said:
        """What both say."""
        both = Said("", "")
        both._whole = _alike_whole(self._whole, other._whole)
        both._before = _shared(self._before, other._before)
        both._behind = _shared(self._behind[::-1], other._behind[::-1])[::-1]
        return both

    @property
    def is_cut(self) -> bool:
        """Whether some of what is said of each differs, and is left out."""
        return self._whole is None

    @property
    def text(self) -> str:
        """The words, with `…` where they vary."""
        if self._whole is not None:
            return self._whole
        if self._before == self._behind:
            return " ".join(self._before)
        words = [*self._before, "…", *self._behind]
        return " ".join(
            word for at, word in enumerate(words) if word != "…" or words[at - 1] != "…"
        )


def _alike_whole(one: str | None, other: str | None) -> str | None:
    """The text that two cases have in common, whatever they did when it was refused; else None."""
    if one is None or other is None or one == other:
        return one if one == other else None
    one, other = (REFUSED.sub("refused: ", text, count=1) for text in (one, other))
    return one if one == other else None


def with_example(said: str, example: str) -> str:
    """What all cases have in common, and what is said of one."""
    return f"{example}, and more" if example.startswith(said) else f"{said} ({example})"


def _shared(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The words that both begin with."""
    found = []
    for word, same in zip(one, other, strict=False):
        if word != same:
            break
        found.append(word)
    return found
