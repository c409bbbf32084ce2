"""The definitions that a codec knows: those of its release, without tagged fields unknown to it.

A library lags behind Kafka, or leaves out what it has no use for; a tag that it does not know is an
unknown tag to it, whatever the definitions say. Its `hello` declares these tags; a failed case is
never taken as a hint of them. A target that declares none is expected to know all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from conformance.codecs.cases.plan import structs
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.releases import (
    definitions,
    form_for,
    is_known,
    nearest,
    releases,
    wire_forms,
)
from conformance.testee_protocol import ANY_FIELD, Hello

NEEDS_KNOWN_TAGS = frozenset(
    {
        "tags.absent-reads-default",
        "tags.ascending",
        "tags.default-left-out",
        "tags.default-struct-left-out",
        "tags.non-default-written",
        "tags.numbers-per-struct",
        "tags.values-compact",
    }
)
"""The rules about tagged fields that a codec knows: of others it has neither value nor default."""
_Lacking = tuple[tuple[str, frozenset[str]], ...]


def followed_release(hello: Hello) -> str:
    """The stored release whose definitions a target follows, or the nearest one."""
    return hello.definitions if hello.definitions in releases() else nearest(hello.definitions)


def codec_of(hello: Hello) -> ReferenceCodec:
    """The reference codec, with the definitions and the tagged fields that a target knows."""
    return _codec(followed_release(hello), tuple(sorted(hello.unknown_fields.items())))


@cache
def codec_of_release(release: str) -> ReferenceCodec:
    """Return the reference codec with all definitions of a release."""
    return ReferenceCodec(definitions(release).release)


@cache
def _codec(release: str, lacking: _Lacking) -> ReferenceCodec:
    return _Knowing(release, dict(lacking)) if lacking else codec_of_release(release)


def unheld(hello: Hello, message: str, value: Any) -> str:
    """Return why the target's types can't hold a value, by what it declares, "" if they can."""
    if array := unlike_a_map(hello, message, value):
        return f"declares {array} as a map, and its keys are not once each, ascending"
    if array := lost_in_rows(hello, message, value):
        return f"declares rows of {array}, and these do not show each element around them"
    return ""


def lost_in_rows(hello: Hello, message: str, value: Any) -> str:
    """Return the path of an array whose elements are the target's rows, if rows lose a part.

    Rows lose an outer element that has no inner ones, and do not tell an outer element from its
    neighbour if all else in both is equal. "" is returned if nothing is lost.
    """
    for path in hello.rows.get(message, ()):
        *outer, inner = path.split(".")
        for elements in _arrays(value, outer) if outer else [[value]]:
            around = [each for each in elements if inner in each]
            others = [{**each, inner: None} for each in around]
            if not all(each[inner] for each in around) or any(a == b for a, b in pairwise(others)):
                return path
    return ""


def unlike_a_map(hello: Hello, message: str, value: Any) -> str:
    """Return the path of an array that the target holds as a map though it is none, "" without one.

    A map has each key once, and is written by ascending keys.
    """
    for path, key in hello.maps.get(message, {}).items():
        for elements in _arrays(value, path.split(".")):
            keys: list[Any] = [element.get(key) for element in elements]
            if keys != sorted(set(keys)):
                return path
    return ""


def _arrays(value: Any, path: list[str]) -> Iterator[list[dict[str, Any]]]:
    """The arrays at a path, which leads through the elements of others."""
    inner = value.get(path[0]) or []
    if len(path) == 1:
        yield inner
        return
    for element in inner if isinstance(inner, list) else [inner]:
        yield from _arrays(element, path[1:])


def tells_of_tags(hello: Hello) -> str:
    """Return a clause on the tagged fields that a target does not know, "" if it knows them all."""
    if not any(hello.unknown_fields.values()):
        return ""  # without a look at all definitions, which takes longer than a short run
    every = {(name, path) for name in hello.messages for path in tagged_paths(hello, name)}
    unknown = [
        f"{name} {path}"
        for name, path in sorted(every)
        if not {path, ANY_FIELD}.isdisjoint(hello.unknown_fields.get(name, ()))
    ]
    if not unknown:
        return ""
    return (
        f"it does not know {len(unknown)} of the {len(every)} tagged fields of what it declares, "
        f"which are unknown tags to it: {', '.join(unknown)}"
    )


def tagged_paths(hello: Hello, message: str) -> frozenset[str]:
    """The paths of the tagged fields of a message, in the versions that a target declares.

    Nothing is known of a message that no stored release has.
    """
    if not is_known(message):
        return frozenset()
    release, support = followed_release(hello), hello.messages[message]
    forms = (
        form_for(release, message, version)
        for low, high in support.versions
        for version in range(low, min(high, max(wire_forms(message), default=-1)) + 1)
    )
    return frozenset(
        place.path_of(item)
        for form in forms
        if form is not None
        for place in structs(form.layout)
        for item in place.layout.tagged
    )


class _Knowing(ReferenceCodec):
    """The reference codec of a release without the tagged fields that are not known."""

    def __init__(self, release: str, lacking: dict[str, frozenset[str]]) -> None:
        super().__init__(release)
        self._lacking = lacking

    def form(self, message: str, version: int) -> Form:
        """The form, in which a tag that is not known is as any other unknown one."""
        made = (message, version) in self._forms
        found = super().form(message, version)
        if made or not found.flexible or message not in self._lacking:
            return found
        tags = _Lacks(self._lacking[message], _paths(self.release, message))
        found = self._forms[message, version] = replace(found, layout=tags.without(found.layout))
        return found


@cache
def _paths(release: str, message: str) -> dict[tuple[str, int], str]:
    """The paths of a message's tagged fields, by the paths of their structs and their tags."""
    forms = (form_for(release, message, version) for version in wire_forms(message))
    return {
        (place.path, item.tag or 0): place.path_of(item)
        for form in forms
        if form is not None
        for place in structs(form.layout)
        for item in place.layout.tagged
    }


@dataclass(frozen=True)
class _Lacks:
    """The tagged fields of a message that are not known, and the paths of all of them."""

    unknown: frozenset[str]
    paths: dict[tuple[str, int], str]

    def without(self, layout: Layout, path: str = "") -> Layout:
        """The layout of the struct at a path without them."""
        tagged = [item for item in layout.tagged if not self.has(_join(path, item))]
        others = (tag for tag in layout.other_tags if not self.has(self.paths.get((path, tag), "")))
        return replace(
            layout,
            fields=tuple(self._field(item, path) for item in layout.fields),
            tagged=tuple(self._field(item, path) for item in tagged),
            other_tags=frozenset(others),
        )

    def has(self, path: str) -> bool:
        """True if this tagged field is one of those that the target does not know."""
        return path in self.unknown or ANY_FIELD in self.unknown

    def _field(self, item: WireField, path: str) -> WireField:
        return replace(item, type=self._type(item.type, _join(path, item)))

    def _type(self, type_: WireType, path: str) -> WireType:
        if type_.element is not None:
            return replace(type_, element=self._type(type_.element, path))
        if type_.struct is None:
            return type_
        return replace(type_, struct=self.without(type_.struct, path))


def _join(path: str, item: WireField) -> str:
    return f"{path}.{item.name}" if path else item.name
