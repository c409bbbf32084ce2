"""What a codec knows: the definitions of its release, but for tagged fields that it never heard of.

A library lags behind Kafka, or leaves out what it has no use for; a tag that it does not know is an
unknown tag to it, whatever the definitions say. Which it knows is what its `hello` declares, and
never what a failed case suggests: so whoever declares nothing is held to know them all.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from conformance.cases.plan import structs
from conformance.protocol import Hello
from conformance.reference import ReferenceCodec
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.releases import definitions, form_for, nearest, releases, wire_forms

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
_Known = tuple[tuple[str, frozenset[str]], ...]


def followed_release(hello: Hello) -> str:
    """The stored release whose definitions a target follows, or the nearest one."""
    return hello.definitions if hello.definitions in releases() else nearest(hello.definitions)


def codec_of(hello: Hello) -> ReferenceCodec:
    """The reference codec, with the definitions and the tagged fields that a target knows."""
    known = hello.known_tags
    return _codec(followed_release(hello), None if known is None else tuple(sorted(known.items())))


@cache
def codec_of_release(release: str) -> ReferenceCodec:
    """The reference codec with all that a release has."""
    return ReferenceCodec(definitions(release).release)


@cache
def _codec(release: str, known: _Known | None) -> ReferenceCodec:
    return codec_of_release(release) if known is None else _Knowing(release, dict(known))


def tells_of_tags(hello: Hello) -> str:
    """How many of the tagged fields of its messages a target does not know, "" where it has all."""
    if hello.known_tags is None:
        return ""
    every = {(name, path) for name in hello.messages for path in tagged_paths(hello, name)}
    known = {(name, path) for name, paths in hello.known_tags.items() for path in paths}
    unknown = sorted(every - known)
    if not unknown:
        return ""
    listed = ", ".join(f"{name} {path}" for name, path in unknown)
    return (
        f"it does not know {len(unknown)} of the {len(every)} tagged fields of what it declares, "
        f"which are unknown tags to it: {listed}"
    )


def tagged_paths(hello: Hello, message: str) -> frozenset[str]:
    """The paths of the tagged fields of a message, in the versions that a target declares."""
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

    def __init__(self, release: str, known: dict[str, frozenset[str]]) -> None:
        super().__init__(release)
        self._known = known

    def form(self, message: str, version: int) -> Form:
        """The form, in which a tag that is not known is as any other unknown one."""
        made = (message, version) in self._forms
        found = super().form(message, version)
        if not made and found.flexible:
            known = self._known.get(message, frozenset())
            numbers = _numbers(self.release, message)
            layout = _without(found.layout, known, numbers, "")
            found = self._forms[message, version] = replace(found, layout=layout)
        return found


@cache
def _numbers(release: str, message: str) -> dict[tuple[str, int], str]:
    """The paths of a message's tagged fields, by the paths of their structs and their tags."""
    forms = (form_for(release, message, version) for version in wire_forms(message))
    return {
        (place.path, item.tag or 0): place.path_of(item)
        for form in forms
        if form is not None
        for place in structs(form.layout)
        for item in place.layout.tagged
    }


def _without(
    layout: Layout, known: frozenset[str], numbers: dict[tuple[str, int], str], path: str
) -> Layout:
    def here(item: WireField) -> str:
        return f"{path}.{item.name}" if path else item.name

    def kept(item: WireField) -> WireField:
        return replace(item, type=_type(item.type, known, numbers, here(item)))

    return replace(
        layout,
        fields=tuple(map(kept, layout.fields)),
        tagged=tuple(kept(item) for item in layout.tagged if here(item) in known),
        other_tags=frozenset(
            tag for tag in layout.other_tags if numbers.get((path, tag), "") in known
        ),
    )


def _type(
    type_: WireType, known: frozenset[str], numbers: dict[tuple[str, int], str], path: str
) -> WireType:
    if type_.element is not None:
        return replace(type_, element=_type(type_.element, known, numbers, path))
    if type_.struct is None:
        return type_
    return replace(type_, struct=_without(type_.struct, known, numbers, path))
