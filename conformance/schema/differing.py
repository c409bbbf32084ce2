"""Find where two layouts of one version differ on the wire, and in nothing else.

Names are not on the wire, so a renamed field is no difference. Neither is one that leaves the bytes
unchanged: a struct without a tag section is its fields, written where it stands, and records are
bytes to a reader that does not parse them. So both layouts are first taken apart into pieces, each
with bytes of its own, and the pieces are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import product, takewhile, zip_longest
from typing import Any, Literal

from conformance.schema.layout import Layout, WireField, WireType

DifferenceKind = Literal[
    "flexible",
    "field",
    "kind",
    "nullable",
    "compact",
    "tag-added",
    "tag-removed",
    "tag-type",
    "tag-default",
]
ABSENT = "absent"
"""The text of `ours` or `theirs` for a missing field."""

_BYTES = frozenset({"bytes", "records"})
_COMPACT_BYTES = frozenset({"bytes", "records", "string"})
_SAME_NAME, _SAME_BYTES = 15, 10
_MOST_FITS = 40_000
"""Pairs of pieces that are tried; those of larger structs are taken by position."""


@dataclass(frozen=True)
class Difference:
    """One difference, with the field's place in each layout and what it is there, in words.

    `place` and `their_place` are dotted names, or those of the struct that lacks the field. A field
    that only one has is a "field", or of tags "tag-added" where only they have it and "tag-removed"
    where they haven't. Anything within a tagged field that changes its bytes is "tag-type". A tag
    that is added may be one that our definition has in other versions (`of_other_versions`).
    """

    kind: DifferenceKind
    place: str
    their_place: str
    ours: str
    theirs: str
    of_other_versions: bool = False

    @property
    def what(self) -> str:
        """The difference in words, ours first."""
        return f"{self.kind}: {self.ours}, {self.theirs} there"


@dataclass(frozen=True)
class _Piece:
    place: str
    name: str
    type: WireType


def differences(ours: Layout, theirs: Layout) -> Iterator[Difference]:
    """Every difference that changes bytes, or what may be null, in the order of the wire."""
    return _layouts(("", ours), ("", theirs))


_Placed = tuple[str, Layout]


def _layouts(ours: _Placed, theirs: _Placed) -> Iterator[Difference]:
    """Yield the differences; if only one of both is flexible, no further byte can be compared."""
    (place, one), (their_place, other) = ours, theirs
    if one.flexible != other.flexible:
        yield Difference("flexible", place, their_place, _flexible(one), _flexible(other))
        return
    pieces = tuple(_pieces(place, one)), tuple(_pieces(their_place, other))
    yield from _sequences(place, their_place, *pieces)
    if one.flexible:
        yield from _tags(ours, theirs)


def _flexible(layout: Layout) -> str:
    return "flexible" if layout.flexible else "not flexible"


def _pieces(place: str, layout: Layout) -> Iterator[_Piece]:
    for item in layout.fields:
        yield from _parts(_inside(place, item.name), item.name, item.type)


def _parts(place: str, name: str, type_: WireType) -> Iterator[_Piece]:
    """A struct that has neither a marker of null nor a tag section leaves no byte of its own."""
    if type_.kind == "struct" and not type_.nullable and not type_.layout.flexible:
        yield from _pieces(place, type_.layout)
    else:
        yield _Piece(place, name, type_)


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _sequences(
    place: str, their_place: str, ours: Sequence[_Piece], theirs: Sequence[_Piece]
) -> Iterator[Difference]:
    for one, other in _paired(ours, theirs):
        if one and other:
            yield from _types(one, other)
        elif one:
            yield Difference("field", one.place, their_place, _words(one.type), ABSENT)
        elif other:
            yield Difference("field", place, other.place, ABSENT, _words(other.type))


def _paired(
    ours: Sequence[_Piece], theirs: Sequence[_Piece]
) -> list[tuple[_Piece | None, _Piece | None]]:
    """The pieces in pairs: by position, or as they fit best where one side has more of them."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    head = _alike(ours, theirs)
    rest = min(len(ours), len(theirs)) - head
    tail = min(_alike(ours[::-1], theirs[::-1]), rest)
    middle = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    fitted = _fitted if len(middle[0]) * len(middle[1]) <= _MOST_FITS else zip_longest
    return [
        *zip(ours[:head], theirs[:head], strict=True),
        *fitted(*middle),
        *zip(ours[len(ours) - tail :], theirs[len(theirs) - tail :], strict=True),
    ]


def _alike(ours: Sequence[_Piece], theirs: Sequence[_Piece]) -> int:
    """Return how many leading pieces have the same name and frame."""
    pairs = zip(ours, theirs, strict=False)
    same = (a.name == b.name and _same_bytes(a.type, b.type) for a, b in pairs)
    return sum(1 for _ in takewhile(bool, same))


def _fitted(
    ours: Sequence[_Piece], theirs: Sequence[_Piece]
) -> list[tuple[_Piece | None, _Piece | None]]:
    fits = _fits(ours, theirs)
    pairs: list[tuple[_Piece | None, _Piece | None]] = []
    one, other = len(ours), len(theirs)
    while one or other:
        if (
            one
            and other
            and fits[one, other]
            == fits[one - 1, other - 1] + _fit(ours[one - 1], theirs[other - 1])
        ):
            one, other = one - 1, other - 1
            pairs.append((ours[one], theirs[other]))
        elif one and fits[one, other] == fits[one - 1, other]:
            one -= 1
            pairs.append((ours[one], None))
        else:
            other -= 1
            pairs.append((None, theirs[other]))
    return pairs[::-1]


def _fits(ours: Sequence[_Piece], theirs: Sequence[_Piece]) -> dict[tuple[int, int], int]:
    """Return how well the first pieces of each side fit at best, for every number of them."""
    fits = {(0, 0): 0}
    for one, other in product(range(len(ours) + 1), range(len(theirs) + 1)):
        ways = [fits[one - 1, other]] if one else []
        ways += [fits[one, other - 1]] if other else []
        if one and other:
            ways.append(fits[one - 1, other - 1] + _fit(ours[one - 1], theirs[other - 1]))
        fits[one, other] = max(ways, default=0)
    return fits


def _fit(one: _Piece, other: _Piece) -> int:
    alike = SequenceMatcher(None, _plain_name(one.name), _plain_name(other.name)).ratio()
    return round(_SAME_NAME * alike) + _SAME_BYTES * _same_bytes(one.type, other.type)


def _plain_name(name: str) -> str:
    return name.replace("_", "").lower()


def _types(one: _Piece, other: _Piece) -> Iterator[Difference]:
    ours, theirs = one.type, other.type
    if not _same_bytes(ours, theirs):
        yield _of_types("kind", one, other)
    elif ours.compact != theirs.compact:
        yield _of_types("compact", one, other)
    elif ours.kind == "struct":
        yield from _layouts((one.place, ours.layout), (other.place, theirs.layout))
    else:
        if ours.nullable != theirs.nullable:
            yield _of_types("nullable", one, other)
        if ours.kind == "array":
            yield from _items(one, other)


def _items(one: _Piece, other: _Piece) -> Iterator[Difference]:
    pieces = tuple(tuple(_parts(each.place, each.name, each.type.item)) for each in (one, other))
    yield from _sequences(one.place, other.place, *pieces)


def _of_types(kind: DifferenceKind, one: _Piece, other: _Piece) -> Difference:
    return Difference(kind, one.place, other.place, _words(one.type), _words(other.type))


def _same_bytes(ours: WireType, theirs: WireType) -> bool:
    """True if both have the same frame; a nullable struct has one more byte in front."""
    kinds = {ours.kind, theirs.kind}
    if kinds == {"struct"}:
        return ours.nullable == theirs.nullable
    same = _COMPACT_BYTES if ours.compact and theirs.compact else _BYTES
    return len(kinds) == 1 or kinds <= same


def _words(type_: WireType) -> str:
    kind = f"array of {_words(type_.item)}" if type_.kind == "array" else type_.kind
    compact = "compact " if type_.compact else ""
    return f"nullable {compact}{kind}" if type_.nullable else f"{compact}{kind}"


def _tags(ours: _Placed, theirs: _Placed) -> Iterator[Difference]:
    (place, one), (their_place, other) = ours, theirs
    for tag in sorted(one.by_tag.keys() | other.by_tag.keys()):
        mine, yours = one.by_tag.get(tag), other.by_tag.get(tag)
        if mine and yours:
            yield from _both_tagged(place, mine, their_place, yours)
        elif mine:
            at = _inside(place, mine.name)
            yield Difference("tag-removed", at, their_place, _tag_words(mine), ABSENT)
        elif yours:
            at = _inside(their_place, yours.name)
            elsewhere = tag in one.other_tags
            yield Difference("tag-added", place, at, ABSENT, _tag_words(yours), elsewhere)


def _both_tagged(
    place: str, mine: WireField, their_place: str, yours: WireField
) -> Iterator[Difference]:
    """Yield differences of the value and of its default, which a writer omits from the bytes."""
    one = _Piece(_inside(place, mine.name), mine.name, mine.type)
    other = _Piece(_inside(their_place, yours.name), yours.name, yours.type)
    found = [_within_tag(each) for each in _types(one, other)]
    yield from found
    if _value(mine) != _value(yours) and not any(each.kind == "tag-type" for each in found):
        yield Difference("tag-default", one.place, other.place, _default(mine), _default(yours))


def _within_tag(found: Difference) -> Difference:
    frame = found.kind in ("field", "kind", "compact", "flexible")
    return replace(found, kind="tag-type") if frame else found


def _tag_words(item: WireField) -> str:
    return f"tag {item.tag} ({_words(item.type)})"


def _default(item: WireField) -> str:
    return f"default {_value(item)!r}"


def _value(item: WireField) -> Any:
    """A default without names: a writer leaves the tag out where the value equals it."""
    if item.type.kind == "struct" and isinstance(item.default, dict):
        return [_value(each) for each in (*item.type.layout.fields, *item.type.layout.tagged)]
    return item.default
