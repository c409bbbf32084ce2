"""Edits: codecs that have one line of one message's definition wrong.

An author who writes a message's layout by hand gets a type, a version or a place wrong, in one
message alone. There are too many such codecs to compare each failing codec with all of them. So a
message that fails, and that no other suspect explains, is compared with the edits of its own
definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from conformance.codecs.mutants.habits.edited import (
    MORE,
    Edit,
    Line,
    LineChange,
    redefined,
    reshaped,
    taken_from,
)
from conformance.codecs.mutants.habits.misread import Fields, with_fields
from conformance.schema.layout import Layout, WireField, WireType, form, json_name
from conformance.schema.model import Field, Message, Type
from conformance.schema.releases import definitions_of
from conformance.schema.versions import MAX_VERSION, NONE, Versions

Path = tuple[str, ...]
FIELD_TYPES = "versions.field-types"
FIELD_VERSIONS = "versions.only-fields-of-version"
FIRST_FLEXIBLE = "compact.first-flexible-version"
NULLABLE_VERSIONS = "versions.nullable-from-version"
_TAKEN_FOR = {
    "bool": ("int16", "int32"),
    "int8": ("int16", "int32", "bool"),
    "int16": ("int8", "int32", "uint16"),
    "int32": ("int16", "int64", "uint32"),
    "int64": ("int32", "uint32"),
    "uint16": ("int16", "int32"),
    "uint32": ("int32", "int64"),
    "float64": ("int64",),
    "uuid": ("string", "bytes"),
    "string": ("bytes", "uuid"),
    "bytes": ("string", "records"),
    "records": ("bytes",),
}
"""The types that each type is taken for."""
_WIDTHS = {"bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8}
_OF_SAME_WIDTH = (
    "The application is handed another value than the peer sent, or cannot send its own."
)
_LOW_TAGS = range(4)
"""Tags under which a field may be that another stands under."""
_INTEGERS = {"int8", "int16", "int32", "int64", "uint16", "uint32"}


def edits(name: str, release: str) -> list[type[Edit]]:
    """Each codec that has one line of a message's definition wrong.

    It has that in the versions of the release, and then in those that the release has dropped.
    """
    known = definitions_of(release, name)
    found = [_edit(name, line, 1) for each in known[:1] for line in _lines(each)]
    if {v for each in known[1:] for v in each.valid} - {
        v for each in known[:1] for v in each.valid
    }:
        lines = {line.says: line for each in known[::-1] for line in _lines(each)}
        found += [_edit(name, line, len(known)) for line in lines.values()]
    return found


def restricted(kind: type[Edit], versions: Sequence[int]) -> type[Edit]:
    """An edit as it is in these versions alone."""

    alone = f"{in_versions(str(kind.__doc__), versions)} alone"
    body = {"__doc__": f"{kind.__doc__}{alone}", "versions_alone": tuple(versions)}
    made: type[Edit] = type(f"{kind.__name__}{alone}", (kind,), body)
    made.name = kind.name
    return made


def numbered(versions: Sequence[int]) -> str:
    """Return versions in words: `version 1`, `versions 1, 3`, `versions 1 to 4`."""
    first, last = versions[0], versions[-1]
    if len(versions) == 1:
        return f"version {first}"
    if len(versions) > 2 and last - first == len(versions) - 1:
        return f"versions {first} to {last}"
    return f"versions {', '.join(map(str, versions))}"


def in_versions(says: str, versions: Sequence[int]) -> str:
    """Return the text to append to a clause that holds in these versions."""
    comma = "," if says.endswith("version") else ""
    return f"{comma} in {numbered(versions)}"


def _edit(name: str, line: Line, most: int) -> type[Edit]:
    """The codec with a line wrong in the versions of so many definitions, the newest first."""
    body = {"__doc__": line.says, "messages": (name,), "line": line.change, "definitions": most}
    dropped = ", in dropped versions too" if most > 1 else ""
    made: type[Edit] = type(f"{name}: {line.says}{dropped}", (Edit,), body)
    made.name, made.led_by = f"an edit of {name}", line.led_by
    made.remedy, made.hurts = line.remedy, line.hurts
    return made


def _lines(message: Message) -> Iterator[Line]:
    """Yield the edits; of those that answer alike, one of a field comes before one of a version."""
    yield from _of_flexible(message)
    for path, siblings, item in _walk(message.fields):
        where = ".".join((message.name, *path))
        yield from _of_type(where, path, item)
        yield from _of_presence(where, path, item)
        yield from _of_null(where, path, item)
        yield from _of_place(where, path, siblings, item)
        if item.tagged:
            yield from _of_tag(where, path, item)
            yield from _of_two_tags(where, path, siblings, item)
        if message.flexible and _is_struct(item):
            says = f"has no tag section in {where}"
            yield Line(says, "tags.section-ends-struct", _without_tags(path))
    for path, siblings, item in _walk(message.fields):
        if not item.tagged:
            yield from _of_more(".".join((message.name, *path)), path, siblings[0] is item)
    yield from _of_inner_tags(message)
    yield from _of_versions(message)


def _of_inner_tags(message: Message) -> Iterator[Line]:
    """Yield an edit without tag sections in structs, if there are several in a message."""
    inner = [path for path, _, item in _walk(message.fields) if _is_struct(item)]
    if not message.flexible or len(inner) < 2:
        return

    def change(layout: Layout) -> Layout:
        for path in inner:
            layout = _without_tags(path).layout(layout)
        return layout

    says = f"has no tag section in the structs within {message.name}"
    yield Line(says, "tags.section-ends-struct", reshaped(change))


def _is_struct(item: Field) -> bool:
    return (item.type.element or item.type).kind == "struct"


def _without_tags(path: Path) -> LineChange:
    return _reshaped(path, lambda layout: replace(layout, flexible=False))


def _of_more(where: str, path: Path, is_first: bool) -> Iterator[Line]:
    """Yield edits that add a field to a struct, which is skipped on reading and written as 0."""
    for kind in ("int8", "int16", "int32", "int64"):
        more = WireField(MORE, WireType(kind), 0)
        many = f"{kind.upper()} more"
        if is_first:
            yield Line(f"has an {many} before {where}", FIELD_VERSIONS, _beside(path, more, 0))
        yield Line(f"has an {many} after {where}", FIELD_VERSIONS, _beside(path, more, 1))


def _beside(path: Path, more: WireField, after: int) -> LineChange:
    """The form with a field more before or after another, in the versions that have that."""
    name = json_name(path[-1])

    def change(layout: Layout) -> Layout:
        at = next((i for i, item in enumerate(layout.fields) if item.name == name), None)
        if at is None:
            return layout
        at += after
        return replace(layout, fields=(*layout.fields[:at], more, *layout.fields[at:]))

    return _reshaped(path[:-1], change) if len(path) > 1 else reshaped(change)


def _of_versions(message: Message) -> Iterator[Line]:
    """Yield edits that take a version for the one before it, alone or with all later ones."""
    for version in message.valid:
        before = version - 1
        if before not in message.valid or (version in message.flexible) != (
            before in message.flexible
        ):
            continue
        if form(message, version).layout == form(message, before).layout:
            continue
        both = f"{message.name} {version} in the form of {before}"
        yield Line(f"has {both}", FIELD_VERSIONS, _as_before(version, version))
        if version < message.valid.high:
            yield Line(f"has {both}, and all later versions", FIELD_VERSIONS, _as_before(version))
        yield Line(
            f"has {message.name} {before} in the form of {version}",
            FIELD_VERSIONS,
            _as_before(before, before, version),
        )


def _of_flexible(message: Message) -> Iterator[Line]:
    """Yield edits that have another first flexible version, or none."""
    low = message.flexible.low
    for first in (low - 1, low + 1) if message.flexible else ():
        if first in message.valid:
            flexible = replace(message.flexible, low=first)
            says = f"takes {message.name} for flexible from version {first} on, not {low}"
            yield Line(says, FIRST_FLEXIBLE, _flexible_in(flexible))
    if message.flexible:
        says = f"never takes {message.name} for flexible"
        yield Line(says, FIRST_FLEXIBLE, _flexible_in(NONE))
        if low > message.valid.low:
            says = f"takes {message.name} for flexible in every version"
            yield Line(says, FIRST_FLEXIBLE, _flexible_in(replace(message.flexible, low=0)))


def _flexible_in(versions: Versions) -> LineChange:
    return redefined(lambda message: replace(message, flexible=versions))


def _as_before(first: int, last: int = MAX_VERSION, taken: int | None = None) -> LineChange:
    """The versions from the first to the last in the form of another, the one before the first."""

    other = first - 1 if taken is None else taken
    return taken_from(lambda version: other if first <= version <= last else version)


def _of_type(where: str, path: Path, item: Field) -> Iterator[Line]:
    is_array = item.type.element is not None
    element = item.type.element or item.type
    each = f"the elements of {where}" if is_array else where
    for kind in _TAKEN_FOR.get(element.kind, ()):
        taken = replace(element, kind=kind)
        type_ = replace(item.type, element=taken) if is_array else taken
        default = item.default if {kind, element.kind} <= _INTEGERS else None
        yield Line(
            f"has {each} as {_typed(kind)}, not {_typed(element.kind)}",
            FIELD_TYPES,
            _with(path, replace(item, type=type_, default=default)),
            f"Write and read {each} as {_typed(element.kind)} in each version that has the field.",
            _OF_SAME_WIDTH if _WIDTHS.get(kind) == _WIDTHS.get(element.kind, -1) else "",
        )
    if is_array:
        one = replace(item, type=element, nullable=NONE, default=None)
        yield Line(f"has one element where {where} is an array", FIELD_TYPES, _with(path, one))
    elif element.kind == "struct":
        many = replace(item, type=Type("array", element), default=None)
        yield Line(f"has an array where {where} is one struct", FIELD_TYPES, _with(path, many))


def _of_presence(where: str, path: Path, item: Field) -> Iterator[Line]:
    has = f"Write and read {where} in exactly the versions {_ranged(item.versions)}, in its place."
    yield Line(f"lacks {where}", FIELD_VERSIONS, _with(path), has)
    for versions, says in _moved(item.versions):
        nullable = item.nullable  # of one that may be null from the first, in the new first as well
        if nullable and nullable.low == item.versions.low:
            nullable = replace(nullable, low=versions.low)
        moved = replace(item, versions=versions, nullable=nullable)
        yield Line(f"has {where} {says}", FIELD_VERSIONS, _with(path, moved), has)
    if item.versions.high < MAX_VERSION:
        yield Line(
            f"has {where} in all versions after {item.versions.high} as well",
            FIELD_VERSIONS,
            _with(path, replace(item, versions=replace(item.versions, high=MAX_VERSION))),
            has,
        )
    every = Versions(0, MAX_VERSION)
    if item.versions != every:
        yield Line(
            f"has {where} in every version",
            FIELD_VERSIONS,
            _with(path, replace(item, versions=every)),
            has,
        )


def _of_null(where: str, path: Path, item: Field) -> Iterator[Line]:
    takes = f"Write and read null for {where} in exactly the versions {_ranged(item.nullable)}."
    for versions, says in _moved(item.nullable) if item.nullable else ():
        yield Line(
            f"takes null for {where} {says}",
            NULLABLE_VERSIONS,
            _with(path, replace(item, nullable=versions)),
            takes,
        )
    if item.nullable:
        never = replace(item, nullable=NONE, default=None)
        yield Line(f"never takes null for {where}", NULLABLE_VERSIONS, _with(path, never), takes)
    elif item.type.kind in ("string", "bytes", "records", "array", "struct"):
        also = replace(item, nullable=Versions(0, MAX_VERSION))
        yield Line(f"takes null for {where} as well", NULLABLE_VERSIONS, _with(path, also))


def _of_place(where: str, path: Path, siblings: Fields, item: Field) -> Iterator[Line]:
    plain = [each for each in siblings if not each.tagged]
    if item not in plain or len(plain) < 2:
        return
    at = plain.index(item)
    beside = f"after {plain[at - 1].name}" if at else f"before {plain[1].name}"
    there = f"Write and read {where} {beside}, as the fields stand in the definition."
    if at:
        yield Line(f"has {where} first", FIELD_TYPES, _placed(path, 0), there)
        before = f"has {where} before {plain[at - 1].name}"
        yield Line(before, FIELD_TYPES, _placed(path, at - 1, plain), there)
    if at < len(plain) - 1:
        yield Line(f"has {where} last", FIELD_TYPES, _placed(path, len(siblings)), there)


def _of_tag(where: str, path: Path, item: Field) -> Iterator[Line]:
    known = "tags.section-layout"
    plain = replace(item, tagged=NONE, tag=None)
    yield Line(f"has {where} as a field without a tag", known, _with(path, plain))
    for tag in sorted({*_LOW_TAGS, (item.tag or 0) + 1, max(0, (item.tag or 0) - 1)} - {item.tag}):
        yield Line(
            f"has {where} under tag {tag}, not {item.tag}",
            known,
            _with(path, replace(item, tag=tag)),
            f"Write and read {where} under tag {item.tag}.",
        )
    if item.default not in (None, "null"):
        yield Line(
            f"takes the zero or empty value for the default of {where}",
            "tags.non-default-written",
            _with(path, replace(item, default=None)),
        )


def _of_two_tags(where: str, path: Path, siblings: Fields, item: Field) -> Iterator[Line]:
    """Yield edits in which a tagged field and one of a higher tag have each other's tags."""
    for other in siblings:
        if other.tagged and (other.tag or 0) > (item.tag or 0):
            swapped = _swapped_tags(path, other)
            says = f"has the tags of {where} and {other.name} the other way round"
            yield Line(says, "tags.section-layout", swapped)


def _swapped_tags(path: Path, other: Field) -> LineChange:
    def swapped(fields: Fields, at: int) -> Fields:
        tags = {fields[at].name: other.tag, other.name: fields[at].tag}
        return tuple(replace(each, tag=tags.get(each.name, each.tag)) for each in fields)

    return _edited(path, swapped)


def _moved(versions: Versions) -> Iterator[tuple[Versions, str]]:
    """Yield the range with either end one version off, and the difference in words."""
    low, high = versions.low, versions.high
    yield replace(versions, low=low + 1), f"from version {low + 1} on, not {low}"
    if low:
        yield replace(versions, low=low - 1), f"from version {low - 1} on, not {low}"
    if high < MAX_VERSION:
        yield replace(versions, high=high - 1), f"up to version {high - 1}, not {high}"
        yield replace(versions, high=high + 1), f"up to version {high + 1}, not {high}"


def _ranged(versions: Versions) -> str:
    """Return versions as definitions have them: `3+`, `1-4`."""
    if versions.high == MAX_VERSION:
        return f"{versions.low}+"
    return f"{versions.low}-{versions.high}" if versions.low < versions.high else f"{versions.low}"


def _typed(kind: str) -> str:
    return kind.upper() if kind not in ("string", "bytes", "records", "uuid", "bool") else kind


def _walk(fields: Fields, path: Path = ()) -> Iterator[tuple[Path, Fields, Field]]:
    """Each field with its path and those that stand beside it."""
    for item in fields:
        here = (*path, item.name)
        yield here, fields, item
        yield from _walk((item.type.element or item.type).fields, here)


def _with(path: Path, *items: Field) -> LineChange:
    """The form of a definition with these fields where one stands."""
    return _edited(path, lambda fields, at: (*fields[:at], *items, *fields[at + 1 :]))


def _placed(path: Path, to: int, plain: list[Field] | None = None) -> LineChange:
    """The form of a definition with a field at another place among those beside it."""

    def moved(fields: Fields, at: int) -> Fields:
        others = [*fields[:at], *fields[at + 1 :]]
        beside = plain[to] if plain else None
        others.insert(others.index(beside) if beside in others else to, fields[at])
        return tuple(others)

    return _edited(path, moved)


def _edited(path: Path, edit: Callable[[Fields, int], Fields]) -> LineChange:
    def inside(fields: Fields, left: Path) -> Fields:
        at = next((i for i, item in enumerate(fields) if item.name == left[0]), None)
        if at is None:  # another release has this field
            return fields
        if len(left) == 1:
            return edit(fields, at)
        item = with_fields(fields[at], lambda below: inside(below, left[1:]))
        return (*fields[:at], item, *fields[at + 1 :])

    return redefined(lambda message: replace(message, fields=inside(message.fields, path)))


def _reshaped(path: Path, change: Callable[[Layout], Layout]) -> LineChange:
    """The form with the layout of a struct in it changed, if this version has it."""

    def field(item: WireField, left: Path) -> WireField:
        element = item.type.element or item.type
        if item.name.lower() != left[0].lower() or element.struct is None:
            return item
        rest = left[1:]
        struct = layout(element.struct, rest) if rest else change(element.struct)
        element = replace(element, struct=struct)
        return replace(
            item, type=replace(item.type, element=element) if item.type.element else element
        )

    def layout(whole: Layout, left: Path) -> Layout:
        return replace(
            whole,
            fields=tuple(field(item, left) for item in whole.fields),
            tagged=tuple(field(item, left) for item in whole.tagged),
        )

    return reshaped(lambda whole: layout(whole, path))
