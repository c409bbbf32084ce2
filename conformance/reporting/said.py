"""The words that the details of all cases of one cause share, whatever varies in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:-\d+)+|(?<!\w)-?\d+|\d+|'[^' ]*'|\"[^\" ]*\"")
_PLURAL = re.compile(r"(?<=[a-z]{2}[a-rt-z])s\b")
_VERBS = {"are": "is", "were": "was", "have": "has"}
_LIST = re.compile(r"\[…(?:, …)+\]")
"""A list of which each element varies, and so may their number."""
_REFUSED = re.compile(r"refused(?: while it \w+)?: ")


def refused_while_encoding(words: str) -> bool:
    """True if these words on a round trip say that it read the bytes and refused to write them."""
    return words.startswith("refused while it encoded")


class Said:
    """The text on several cases: the whole text if all agree, else the words that all share."""

    def __init__(self, text: str, alike: str) -> None:
        self._whole: str | None = text
        self._before = self._behind = alike.split()

    def beside(self, other: Said) -> Said:
        """Return the text that both share."""
        both = Said("", "")
        both._whole = _alike_whole(self._whole, other._whole)
        both._before = _shared(self._before, other._before)
        both._behind = _shared(self._behind[::-1], other._behind[::-1])[::-1]
        return both

    @property
    def is_cut(self) -> bool:
        """True if the texts of the cases differ, and the differing words are left out."""
        return self._whole is None

    @property
    def text(self) -> str:
        """Return the words, with `…` where they vary."""
        if self._whole is not None:
            return self._whole
        if self._before == self._behind:
            return " ".join(self._before)
        words = [*self._before, "…", *self._behind]
        return " ".join(
            word for at, word in enumerate(words) if word != "…" or words[at - 1] != "…"
        )


def _alike_whole(one: str | None, other: str | None) -> str | None:
    """Return the text of two cases if it is equal but for the stage of a refusal, else None."""
    if one is None or other is None or one == other:
        return one if one == other else None
    one, other = (_REFUSED.sub("refused: ", text, count=1) for text in (one, other))
    return one if one == other else None


def with_example(said: str, example: str) -> str:
    """Return the words that all cases share, and the text of one case as an example."""
    return f"{example}, and more" if example.startswith(said) else f"{said} ({example})"


def _shared(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the words with which both begin."""
    found = []
    for word, same in zip(one, other, strict=False):
        if word != same:
            break
        found.append(word)
    return found


def alike_words(detail: str, message: str) -> str:
    """Return the words of a detail that stay equal between cases and between messages."""
    text = _REFUSED.sub("refused: ", detail, count=1)
    text = text.replace(message, "…") if message else text  # "" is in every text
    return " ".join(_LIST.sub("[…]", _VARYING.sub("…", text)).split())


def one_wording(words: str) -> str:
    """Return words as a key: those of one thing and of several of it, or of a range, are equal.

    >>> one_wording("can't encode characters in position …")
    "can't encode character in position"
    >>> one_wording("can't encode character … in position …")
    "can't encode character in position"
    """
    singular = _PLURAL.sub("", words).split()
    return " ".join(_VERBS.get(word, word) for word in singular if word != "…")
