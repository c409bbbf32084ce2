"""Whom a failing codec may look like: mutants, habits and draft readings of a KIP.

Each is a suspect as a whole, and on one side alone where its defect is one of reading and of
writing: a codec may write what it does not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.codecs.mutants import Mutant, mutants, unseen
from conformance.codecs.mutants.habits.drafts import Draft, unlisted
from conformance.codecs.mutants.habits.edited import Edit
from conformance.codecs.mutants.habits.edits import edits, in_versions, restricted
from conformance.codecs.mutants.habits.together import together
from conformance.reference.codec import PlainCodec
from conformance.wire.errors import LengthError

_OF_NO_SIDE = {
    "name",
    "breaks",
    "hurts",
    "remedy",
    "messages",
    "is_listed",
    "led_by",
    "reader",
    "writer",
}
"""What a mutant may have of its own besides its defect; `reader` and `writer` are its defect's."""

_SIDES = ("writing", "reading")
_EDITS: dict[str, Suspect] = {}
_DIGITS = re.compile(r"\b\d+\b")
_VERSIONS = re.compile(r",? in versions? \d+(?:(?:,| to) \d+)*(?=, \w+ing alone \(| \()")
"""The versions that a codec fails in, where that is said of an edit."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A mutant or a draft reading, or one that is it on one side alone, `reading` or `writing`."""

    kind: type[Mutant]
    side: str = ""

    @property
    def is_draft(self) -> bool:
        """Whether it keeps to a text, which tells more than a mutant does."""
        return issubclass(self.kind, Draft)

    @property
    def is_edit(self) -> bool:
        """Whether it has one line of one message's definition wrong, and no more."""
        return issubclass(self.kind, Edit)

    @property
    def refuses(self) -> bool:
        """Whether it is said to refuse, and not to lose its way in the bytes."""
        return "refuse" in self.kind.says().lower()

    @property
    def lead(self) -> str:
        """The rule that tells most of it, "" where there is none."""
        return self.kind.breaks or str(getattr(self.kind, "led_by", ""))

    @property
    def words(self) -> tuple[str, str]:
        """Return the harm and the remedy that are its own, "" for those of its rule."""
        return self.kind.hurts, self.kind.remedy

    def concerns(self, message: str) -> bool:
        """Whether its defect is in a message, or in what goes around it."""
        return not self.kind.messages or message in self.kind.messages

    def __str__(self) -> str:
        return self.said_of(())

    def said_of(self, versions: Sequence[int]) -> str:
        """What a codec is that it explains, which fails in these versions, none for all of them."""
        says = self.kind.says().removesuffix(".")
        alone = f", {self.side} alone" if self.side else ""
        where = in_versions(says, versions) if versions and not _DIGITS.search(says) else ""
        return f"a codec that {says[:1].lower()}{says[1:]}{where}{alone} ({self.kind.name})"


def codec_of(
    found: Sequence[Suspect], release: str, drops_tags: bool = False, in_headers: bool = False
) -> PlainCodec:
    """A codec that follows a release and has the defects of these, each on its own side.

    `in_headers` says that it has one reader and one writer, for headers as for bodies.
    """
    sides = [
        together(Mutant, *(each.kind for each in found if each.side in ("", side)))(release)
        for side in ("reading", "writing")
    ]
    for one in sides:
        one.drops_tags, one.in_headers = drops_tags, in_headers
    return _Half(*sides) if any(each.side for each in found) else sides[0]


class _Half(PlainCodec):
    """A codec that reads as one does and writes as another."""

    def __init__(self, reads: PlainCodec, writes: PlainCodec) -> None:
        super().__init__(reads.release)
        self.decode = reads.decode  # type: ignore[method-assign]
        self.decode_request = reads.decode_request  # type: ignore[method-assign]
        self.decode_response = reads.decode_response  # type: ignore[method-assign]
        self.encode = writes.encode  # type: ignore[method-assign]
        self.encode_request = writes.encode_request  # type: ignore[method-assign]
        self.encode_response = writes.encode_response  # type: ignore[method-assign]

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """Decode, then encode what was decoded; bytes left over are an error."""
        value, remaining = self.decode(message, version, data)
        if remaining:
            raise LengthError(f"{remaining} bytes after the last field", "", len(data) - remaining)
        try:
            return self.encode(message, version, value)
        except Exception as error:
            error.stage = "encode"  # type: ignore[attr-defined]
            raise


@cache
def suspects() -> dict[str, Suspect]:
    """Everybody that a target may look like, by name; the halves behind all that are whole."""
    return _with_halves({**unlisted(), **mutants(), **unseen()})


@cache
def edits_of(message: str, release: str, versions: tuple[int, ...] = ()) -> dict[str, Suspect]:
    """The edits of one message's definition in a release, by name, as `suspects` are.

    Where there are `versions`, each is there once more as it is in these alone.
    """
    found = edits(message, release)
    if versions:
        found += [restricted(each, versions) for each in found]
    _EDITS.update(_with_halves({edit.__name__: edit for edit in found}))
    return {edit.__name__: _EDITS[edit.__name__] for edit in found}


def suspect(name: str) -> Suspect:
    """A suspect, or an edit that was asked for before."""
    return suspects().get(name) or _EDITS[name]


def position(name: str) -> int:
    """Where a suspect stands among all: those first that are whole, and edits last."""
    return [*suspects(), *_EDITS].index(name)


def halves(name: str) -> list[str]:
    """The names of a suspect on one side alone, none where its defect has one side."""
    found = (f"{name}, {side}" for side in _SIDES)
    return [each for each in found if each in suspects() or each in _EDITS]


def told_as(text: str) -> Suspect:
    """The suspect of which a diagnosis says this."""
    every = {str(each): each for each in (*suspects().values(), *_EDITS.values())}
    return every.get(text) or every[_VERSIONS.sub("", text)]


def _with_halves(kinds: Mapping[str, type[Mutant]]) -> dict[str, Suspect]:
    whole = {name: Suspect(kind) for name, kind in kinds.items()}
    return whole | {
        f"{name}, {side}": Suspect(kind, side)
        for name, kind in kinds.items()
        if _has_two_sides(kind)
        for side in _SIDES
    }


def who_answers(names: tuple[str, ...], op: str) -> tuple[str, ...]:
    """Those of some suspects, as a whole, whose defect an operation can show.

    Whoever only writes wrongly reads as the reference does. So many a question has one answer.
    """
    side = "reading" if op.startswith("decode") else "writing"
    if op == "roundtrip":
        return names
    return tuple(name.removesuffix(f", {side}") for name in names if side in sides(suspect(name)))


@cache
def sides(suspect: Suspect) -> tuple[str, ...]:
    """The sides that a defect may be on."""
    if suspect.side:
        return (suspect.side,)
    kind = suspect.kind
    above = kind.__mro__[: kind.__mro__.index(Mutant)]
    own = {name for each in above for name in vars(each) if not name.startswith("__")}
    if own - _OF_NO_SIDE <= {"Writes", "write"} and kind.reader is Mutant.reader:
        return ("writing",)
    if own - _OF_NO_SIDE <= {"Reads", "read"} and kind.writer is Mutant.writer:
        return ("reading",)
    return ("reading", "writing")


def _has_two_sides(kind: type[Mutant]) -> bool:
    """Whether a defect is one both of reading and of writing."""

    def differs(*names: str) -> bool:
        return any(getattr(kind, name) is not getattr(Mutant, name) for name in names)

    return differs("change", "header_form", "form") or (
        differs("reader", "read") and differs("writer", "write")
    )
