"""The releases whose definitions are stored, and how their forms on the wire relate.

A release is stored whole, or as what differs from the next newer one. Those stored whole are the
ones that vectors are minted of; the others are there for the targets that follow them, to say which
vectors such a target may be judged by and what their fields are called there.

Releases rename fields of versions that were already out, add tagged fields to them, drop old
versions, and change unstable ones outright. So a version of a message has one or more wire forms:
releases share one where each can read what the other writes, names aside, and a form knows them
all, newest first. Names are those of the newest; tags are those of all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources.abc import Traversable

from conformance.data import data_root
from conformance.errors import ConformanceError
from conformance.schema.layout import Form, Layout, WireField, WireType, form
from conformance.schema.model import Message
from conformance.schema.primitives import LAYOUTS, PRIMITIVES, primitive
from conformance.schema.record_batch import (
    MAGIC,
    RECORD_BATCH,
    RECORD_SET,
    record_batch,
    record_sets,
)
from conformance.schema.text.load import DefinitionError, load_message

DIFFERENCE = "difference.json"
"""Beside the definitions that differ: the release that they differ from, and what isn't there."""


UNDEFINED = (PRIMITIVES, RECORD_BATCH, RECORD_SET)
"""The messages that no definition has."""


class UnknownDefinition(ConformanceError):
    """No such release, message or version among the stored definitions."""


class Definitions:
    """The definitions of one release, each read on first use.

    What the folder does not hold is that of `other`, the release it differs from, without `lacks`.
    """

    def __init__(
        self,
        release: str,
        folder: Traversable,
        other: Definitions | None = None,
        lacks: Iterable[str] = (),
    ) -> None:
        self.release = release
        self._files: dict[str, Traversable] = dict(other._files) if other else {}
        for name in lacks:
            del self._files[name]
        self._files |= {
            item.name.removesuffix(".json"): item
            for item in folder.iterdir()
            if item.name.endswith(".json") and item.name != DIFFERENCE
        }
        self.names = tuple(sorted(self._files))
        self._messages: dict[str, Message] = {}
        self._forms: dict[tuple[str, int], Form] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[Message]:
        return (self[name] for name in self.names)

    def __getitem__(self, name: str) -> Message:
        """The definition of this name. Raises UnknownDefinition."""
        if name not in self._messages:
            if name not in self._files:
                raise UnknownDefinition(
                    f"no message {name!r} in Kafka {self.release}",
                    f"`kafka-conformance schema list {self.release}` lists them",
                )
            self._messages[name] = _load(self._files[name])
        return self._messages[name]

    def text(self, name: str) -> str:
        """A definition as it is stored."""
        return self._files[name].read_text("utf-8")

    @cached_property
    def requests(self) -> dict[int, str]:
        """The name of the request of each api key."""
        names = (name for name in self.names if name.endswith("Request"))
        return {self[name].api_key: name for name in names}  # type: ignore[misc]

    def form(self, name: str, version: int) -> Form:
        """The form of one version in this release. Raises UnknownDefinition."""
        if (name, version) not in self._forms:
            self._forms[name, version] = self._form(self[name], version)
        return self._forms[name, version]

    def _form(self, message: Message, version: int) -> Form:
        if version not in message.valid:
            raise UnknownDefinition(
                f"{message.name} has versions {message.valid} in Kafka {self.release}, "
                f"not {version}",
                f"`kafka-conformance schema list {self.release}` lists them",
            )
        found = form(message, version, self.release)
        return replace(found, unstable=True) if self._unstable(message, version) else found

    def stable(self, name: str) -> list[int]:
        """The versions of a message that this release promises to keep, none where it has none."""
        if name not in self:
            return []
        message = self[name]
        return [version for version in message.valid if not self._unstable(message, version)]

    def _unstable(self, message: Message, version: int) -> bool:
        """A response's definition does not say: its request's does, for both."""
        request = message.name.removesuffix("Response") + "Request"
        if message.type == "response" and request in self:
            message = self[request]
        return message.unstable(version)


_LOADED: dict[str, Message] = {}
"""Definitions by their texts: releases have most of them in common."""


def _load(file: Traversable) -> Message:
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise DefinitionError(str(file), "", f"not UTF-8: {error}") from None
    if text not in _LOADED:
        _LOADED[text] = load_message(text, str(file))
    return _LOADED[text]


def release_order(release: str) -> tuple[int, ...]:
    """A key that sorts releases by age."""
    return tuple(int(part) for part in release.split(".") if part.isdecimal())


@cache
def releases() -> tuple[str, ...]:
    """The stored releases, newest first."""
    folder = data_root() / "schemas"
    found = (item.name for item in folder.iterdir() if item.is_dir() and item.name[0].isdecimal())
    return tuple(sorted(found, key=release_order, reverse=True))


@cache
def whole_releases() -> tuple[str, ...]:
    """The stored releases that vectors are minted of, newest first."""
    folder = data_root() / "schemas"
    return tuple(name for name in releases() if not (folder / name / DIFFERENCE).is_file())


def stored(folder: Traversable, release: str) -> Definitions:
    """The definitions of a release in a folder of releases, stored whole or by what differs."""
    here = folder / release
    try:
        difference = json.loads((here / DIFFERENCE).read_text("utf-8"))
    except FileNotFoundError:
        return Definitions(release, here)
    return Definitions(release, here, stored(folder, difference["from"]), difference["lacks"])


@cache
def definitions(release: str = "") -> Definitions:
    """The definitions of a stored release, by default of the newest. Raises UnknownDefinition."""
    known = releases()
    chosen = release or (known[0] if known else "")
    if chosen not in known:
        raise UnknownDefinition(
            f"the definitions of Kafka {chosen or '(any release)'} are not stored",
            f"stored are: {', '.join(known) or 'none'}; see `kafka-conformance schema import`",
        )
    return stored(data_root() / "schemas", chosen)


def nearest(release: str) -> str:
    """The stored release that is the best stand-in: the oldest one not older, else the newest."""
    known = releases()
    later = [name for name in known if release_order(name) >= release_order(release)]
    return later[-1] if release and later else known[0]


@cache
def message_names(release: str = "") -> tuple[str, ...]:
    """The names of all messages of the releases that vectors are minted of, sorted.

    And of `release`, if it is stored.
    """
    chosen = {*whole_releases(), release} & {*releases()}
    return tuple(sorted({name for each in chosen for name in definitions(each).names}))


@cache
def request_names() -> dict[int, str]:
    """The request of each api key, over the releases that vectors are minted of."""
    names: dict[int, str] = {}
    for release in reversed(whole_releases()):
        names |= definitions(release).requests
    return names


def request_name(release: str, api_key: int, version: int) -> str | None:
    """The request of an api key, by its name in the release if that has this version of it."""
    holder = definitions(release)
    own = holder.requests.get(api_key)
    return own if own and version in holder[own].valid else request_names().get(api_key)


@cache
def wire_forms(name: str) -> dict[int, tuple[Form, ...]]:
    """Every version of a message that some release has, with its forms, that of the newest first.

    The releases are those that vectors are minted of. Raises UnknownDefinition.
    """
    known = whole_releases()
    if name == RECORD_BATCH:
        return {MAGIC: (record_batch(known),)}
    if name == RECORD_SET:
        return record_sets(known)
    if name == PRIMITIVES:
        return {version: (primitive(version, known),) for version in range(len(LAYOUTS))}
    holders = [definitions(release) for release in known if name in definitions(release)]
    if not holders:
        raise UnknownDefinition(f"no message {name!r} in any stored release of Kafka")
    forms: dict[int, list[Form]] = {}
    for holder in holders:
        for version in holder[name].valid:
            _place(forms.setdefault(version, []), holder.form(name, version))
    return {version: tuple(forms[version]) for version in sorted(forms)}


def form_for(release: str, name: str, version: int) -> Form | None:
    """Return the wire form for a codec that follows `release`, None if no release has one.

    It is the form of that release; for a version that the release dropped or did not have yet, it
    is the newest stable one.
    """
    if release in whole_releases() or release not in releases():
        forms = _forms(name, version)
    else:
        forms = _forms_with(release, name, version)
    own = [item for item in forms if release in item.releases]
    stable = [item for item in forms if not item.unstable]
    return next(iter(own or stable), None)


def definitions_of(release: str, name: str) -> list[Message]:
    """Return the definitions of a message that have versions: the release's first, then newest."""
    holders = [definitions(release), *map(definitions, whole_releases())]
    known = [holder[name] for holder in dict.fromkeys(holders) if name in holder]
    return [each for each in known if list(each.valid)]


def versions_for(release: str, name: str) -> list[int]:
    """Return the versions of a message that have a form, ascending. Raises UnknownDefinition."""
    return list(_versions_for(release, name))


@cache
def _versions_for(release: str, name: str) -> Sequence[int]:
    holder = definitions(release)
    if name not in holder and name not in message_names():
        return sorted(wire_forms(name))
    own = set(holder[name].valid if name in holder else ())
    return sorted(own.union(*(each.stable(name) for each in map(definitions, whole_releases()))))


def is_known(name: str) -> bool:
    """True if a stored release has a message of this name."""
    return name in message_names() or name in UNDEFINED


def _forms(name: str, version: int) -> tuple[Form, ...]:
    return wire_forms(name).get(version, ()) if is_known(name) else ()


@cache
def _forms_with(release: str, name: str, version: int) -> tuple[Form, ...]:
    """The forms of a version, and that of a release stored by what differs among them.

    It shares one that has vectors, or stands alone without any.
    """
    forms = list(_forms(name, version))
    holder = definitions(release)
    if name in holder and version in holder[name].valid:
        _place(forms, holder.form(name, version))
    return tuple(forms)


def _place(forms: list[Form], found: Form) -> None:
    """Join `found` to the form that it can be read by, or add it as one of its own."""
    for index, known in enumerate(forms):
        merged = _merge_layouts(known.layout, found.layout)
        if merged is not None and not known.unstable and not found.unstable:
            forms[index] = replace(known, layout=merged, releases=known.releases + found.releases)
            return
    forms.append(found)


def _merge_layouts(newer: Layout, older: Layout) -> Layout | None:
    """The newer layout with the tags of both, None where one can't read what the other writes."""
    if newer.flexible != older.flexible or len(newer.fields) != len(older.fields):
        return None
    pairs = zip(newer.fields, older.fields, strict=True)
    fields = [_merge_fields(one, other) for one, other in pairs]
    shared = {tag: older.by_tag[tag] for tag in newer.by_tag if tag in older.by_tag}
    tagged = {
        tag: _merge_fields(item, shared[tag]) if tag in shared else item
        for tag, item in {**older.by_tag, **newer.by_tag}.items()
    }
    if None in fields or None in tagged.values():
        return None
    return replace(
        newer,
        fields=tuple(item for item in fields if item),
        tagged=tuple(tagged[tag] for tag in sorted(tagged) if tagged[tag]),  # type: ignore[misc]
    )


def _merge_fields(newer: WireField, older: WireField) -> WireField | None:
    merged = _merge_types(newer.type, older.type)
    same_default = newer.tag is None or newer.default == older.default
    return replace(newer, type=merged) if merged and same_default else None


def _merge_types(newer: WireType, older: WireType) -> WireType | None:
    if (newer.kind, newer.nullable, newer.compact) != (older.kind, older.nullable, older.compact):
        return None
    if newer.element and older.element:
        element = _merge_types(newer.element, older.element)
        return replace(newer, element=element) if element else None
    if newer.struct and older.struct:
        struct = _merge_layouts(newer.struct, older.struct)
        return replace(newer, struct=struct) if struct else None
    return newer
