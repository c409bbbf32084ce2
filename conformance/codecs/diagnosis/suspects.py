"""Suspects: the known ways to be wrong, with which a failing codec is compared.

They are mutants, habits (defects that many codecs have), draft readings of a KIP, and edits (a
message's definition with one line wrong). Each is a suspect as a whole. If its defect is both in
reading and in writing, it is also one on each side alone, since a codec may write what it does not
read. The name of a suspect is that of its mutant, followed by its side if it has one.
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
"""Attributes of a mutant that do not say on which side its defect is.

`reader` and `writer` are compared with those of `Mutant` instead.
"""

_SIDES = ("writing", "reading")
"""The sides on which a suspect may be alone."""
_EDITS: dict[str, Suspect] = {}
"""The edits that were made so far, by name: they are made message by message, on demand."""
_DIGITS = re.compile(r"\b\d+\b")
"""A number in the words on a suspect, which may be a version."""
_VERSIONS = re.compile(r",? in versions? \d+(?:(?:,| to) \d+)*(?=, \w+ing alone \(| \()")
"""The versions that a codec fails in, where the words on an edit have them."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A mutant, habit, draft reading or edit, as a whole or on one side alone.

    `side` is "reading", "writing", or "" for the whole.
    """

    kind: type[Mutant]
    side: str = ""

    @property
    def is_draft(self) -> bool:
        """True if it follows a draft text, which explains more to a reader than a mutant."""
        return issubclass(self.kind, Draft)

    @property
    def is_edit(self) -> bool:
        """True if nothing is wrong with it but one line of one message's definition."""
        return issubclass(self.kind, Edit)

    @property
    def refuses(self) -> bool:
        """True if its words say that it refuses, rather than that it misreads bytes."""
        return "refuse" in self.kind.says().lower()

    @property
    def lead(self) -> str:
        """Return the rule that describes its defect best, "" if there is none."""
        return self.kind.breaks or str(getattr(self.kind, "led_by", ""))

    @property
    def words(self) -> tuple[str, str]:
        """Return its own harm and remedy, each "" if those of its rule fit."""
        return self.kind.hurts, self.kind.remedy

    def concerns(self, message: str) -> bool:
        """True if its defect is in this message, or in what all messages have."""
        return not self.kind.messages or message in self.kind.messages

    def __str__(self) -> str:
        return self.said_of(())

    def said_of(self, versions: Sequence[int]) -> str:
        """Return a clause on a codec with this defect, followed by the name of the mutant.

        The clause lists `versions`, those that fail, unless there are none or its words have
        numbers.
        """
        says = self.kind.says().removesuffix(".")
        alone = f", {self.side} alone" if self.side else ""
        where = in_versions(says, versions) if versions and not _DIGITS.search(says) else ""
        return f"a codec that {says[:1].lower()}{says[1:]}{where}{alone} ({self.kind.name})"


def codec_of(
    found: Sequence[Suspect], release: str, drops_tags: bool = False, in_headers: bool = False
) -> PlainCodec:
    """Return a codec that follows a release and has the defects of `found`, each on its side.

    `drops_tags` says that it drops unknown tags; with `in_headers` the defects are in headers as
    well, as in a codec that has one reader and one writer.
    """
    sides = [
        together(Mutant, *(each.kind for each in found if each.side in ("", side)))(release)
        for side in ("reading", "writing")
    ]
    for one in sides:
        one.drops_tags, one.in_headers = drops_tags, in_headers
    return _Half(*sides) if any(each.side for each in found) else sides[0]


class _Half(PlainCodec):
    """A codec that reads as one codec does and writes as another."""

    def __init__(self, reads: PlainCodec, writes: PlainCodec) -> None:
        super().__init__(reads.release)
        self.decode = reads.decode  # type: ignore[method-assign]
        self.decode_request = reads.decode_request  # type: ignore[method-assign]
        self.decode_response = reads.decode_response  # type: ignore[method-assign]
        self.encode = writes.encode  # type: ignore[method-assign]
        self.encode_request = writes.encode_request  # type: ignore[method-assign]
        self.encode_response = writes.encode_response  # type: ignore[method-assign]

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """Return the value's bytes after decoding and encoding it.

        Raise LengthError for bytes left over; an error of the encoder has the stage "encode".
        """
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
    """Return all suspects but edits, by name, the wholes in front of those on one side."""
    return _with_halves({**unlisted(), **mutants(), **unseen()})


@cache
def edits_of(message: str, release: str, versions: tuple[int, ...] = ()) -> dict[str, Suspect]:
    """Return the edits of one message's definition in a release, as suspects by name.

    With `versions`, each edit is added once more as it is if wrong in just these versions. The
    halves are made too, and found by `suspect`, but not returned.
    """
    found = edits(message, release)
    if versions:
        found += [restricted(each, versions) for each in found]
    _EDITS.update(_with_halves({edit.__name__: edit for edit in found}))
    return {edit.__name__: _EDITS[edit.__name__] for edit in found}


def suspect(name: str) -> Suspect:
    """Return the suspect of this name. An edit has to have been made by `edits_of`."""
    return suspects().get(name) or _EDITS[name]


def position(name: str) -> int:
    """Return the place of a suspect among all: wholes, then halves, then edits."""
    return [*suspects(), *_EDITS].index(name)


def halves(name: str) -> list[str]:
    """Return the names of a suspect on each side alone, none if its defect has one side."""
    found = (f"{name}, {side}" for side in _SIDES)
    return [each for each in found if each in suspects() or each in _EDITS]


def told_as(text: str) -> Suspect:
    """Return the suspect on which a diagnosis has these words."""
    every = {str(each): each for each in (*suspects().values(), *_EDITS.values())}
    return every.get(text) or every[_VERSIONS.sub("", text)]


def _with_halves(kinds: Mapping[str, type[Mutant]]) -> dict[str, Suspect]:
    """Return the suspects of these kinds, wholes first, then those on one side, by name."""
    whole = {name: Suspect(kind) for name, kind in kinds.items()}
    return whole | {
        f"{name}, {side}": Suspect(kind, side)
        for name, kind in kinds.items()
        if _has_two_sides(kind)
        for side in _SIDES
    }


def who_answers(names: tuple[str, ...], op: str) -> tuple[str, ...]:
    """Return the names of those suspects whose defect an operation can show, as wholes.

    A suspect that is wrong on one side answers like its whole in an operation of that side, and
    like the reference codec in others. So many questions share one kept answer.
    """
    side = "reading" if op.startswith("decode") else "writing"
    if op == "roundtrip":
        return names
    return tuple(name.removesuffix(f", {side}") for name in names if side in sides(suspect(name)))


@cache
def sides(suspect: Suspect) -> tuple[str, ...]:
    """Return the sides on which a defect is."""
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
    """True if a defect is both in reading and in writing."""

    def differs(*names: str) -> bool:
        return any(getattr(kind, name) is not getattr(Mutant, name) for name in names)

    return differs("change", "header_form", "form") or (
        differs("reader", "read") and differs("writer", "write")
    )
