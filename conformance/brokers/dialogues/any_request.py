"""A request that is not the plainest of its version is served as well: one of several entries.

The plain request, which another rule is about, leaves most arrays empty. A broker that does not
read a field takes the bytes after it for something else as soon as more follows. Which field that
is shows in drafts of the same request, each without one of its fields: a broker understands the
draft that lacks the field which it does not read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from copy import deepcopy
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.coordinators import BATCHED, creating_nothing, keys
from conformance.brokers.dialogues.entries import ENTRIES, Entries, difference, entries_of
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.results import several
from conformance.brokers.dialogues.talk import ANY_SERVED, Talk, framed
from conformance.brokers.dialogues.topics.metadata import asking
from conformance.brokers.dialogues.topics.requests import removed
from conformance.dialogue import Broken, Dialogue, Receive, Received, Reconnect, Send, Step, Tell
from conformance.results.lines import UNREAD
from conformance.schema.filling import filled
from conformance.schema.layout import Layout, WireField
from conformance.wire.forgetful import written_without

CHANGING = frozenset({"CreateAcls", "FindCoordinator"})
"""APIs whose request of several entries changes something, as a topic of coordinators may be made.
"""
SINCE = {"CreateTopics": 1}
"""The first version that can ask for a validation alone."""
FILLING: Mapping[str, Any] = {"string": "kafka-conformance", "int32": 0x6B6B6B6B, "int16": 0x6B6B}
"""The contents of filled elements, by type: taken for a count or a length, each is far too much."""

Value = dict[str, Any]


def _asks(entries: Entries) -> Callable[[Talk, int], Dialogue]:
    """The question about some versions of one API."""

    def _request_of_several(talk: Talk, version: int) -> Dialogue:
        yield from _is_understood_whole(talk, entries, version, several(talk, entries, version))

    return _request_of_several


def _is_understood_whole(talk: Talk, entries: Entries, version: int, value: Value) -> Dialogue:
    """Expect a whole answer to a request. Raises Broken, with the field that is not read."""
    try:
        yield from talk.ask_for_any(entries.api, version, value)
    except Broken as broken:
        if not broken.unread:
            raise
        field = yield from _unread_field(talk, entries, version, value)
        yield from _ask_again(talk, entries.api, version, value)
        if not field:
            raise
        why = f"{entries.api} v{version}: {field} {UNREAD}{broken.detail}"
        asked = (entries.api, version)
        raise Broken(why, broken.expected, broken.actual, unanswered=asked, unread=True) from None


def _unread_field(
    talk: Talk, entries: Entries, version: int, value: Value
) -> Generator[Step, Received | None, str]:
    """Return the field without which a request is understood, "" if there is none or several.

    Two empty arrays look alike: a second draft tells them apart, in which the others have elements.
    """
    yield Reconnect()
    try:
        yield from talk.ask_for_any(entries.api, version, harmless(talk, entries.api, version))
    except Broken:
        return ""  # nothing is served in this version
    layout = talk.codec.form(f"{entries.api}Request", version).layout
    found = list(_empty_arrays(layout, value))
    for is_filled in (False, True):
        understood = []
        for path in found:
            asked = deepcopy(value)
            for other in found if is_filled else ():
                _put_element(layout, asked, other)
            body = written_without(layout, asked, [path])
            if body and (yield from _is_understood(talk, entries, version, value, body)):
                understood.append(path)
        found = understood
        if len(found) < 2:
            break
    return found[0] if len(found) == 1 else ""


def _empty_arrays(layout: Layout, value: Value, above: str = "") -> Iterator[str]:
    """Yield the paths of empty arrays of structs in the elements of a request.

    Other fields are left where they are: where the broker does read them, what comes after them
    would be taken for numbers and names, and a topic might come to be of that.
    """
    for item in layout.fields:
        if item.type.element is None or item.type.item.struct is None:
            continue
        elements = value[item.name]
        if above and elements == []:
            yield f"{above}{item.name}"
        for element in (elements or [])[:1]:
            yield from _empty_arrays(item.type.item.layout, element, f"{above}{item.name}[].")


def _put_element(layout: Layout, value: Value, path: str) -> None:
    """Put an element into the empty arrays of a path."""
    first, _, rest = path.partition(".")
    name = first.removesuffix("[]")
    inner = next(each.type for each in layout.fields if each.name == name).item.layout
    for each in value[name] if rest else ():
        _put_element(inner, each, rest)
    if not rest:
        given = {item.name: FILLING[item.type.kind] for item in inner.fields if _is_plain(item)}
        value[name] = [{**inner.default_value(), **given}]


def _is_plain(item: WireField) -> bool:
    return item.type.element is None and item.type.kind in FILLING


def _is_understood(
    talk: Talk, entries: Entries, version: int, value: Value, body: bytes
) -> Generator[Step, Received | None, bool]:
    """Send a request with another body; return True if each entry gets its one result."""
    number = talk.number()
    whole = talk.frame(entries.api, version, value, number)
    form = talk.codec.form(f"{entries.api}Request", version)
    head = whole[4 : len(whole) - len(talk.codec.write(form, value))]
    yield Reconnect()
    yield Send(framed(head + body))
    try:
        reply = yield from talk.answer(entries.api, version, number)
    except Broken:
        return False
    return not difference(entries, value, reply.value)


def _ask_again(talk: Talk, api: str, version: int, value: Value) -> Dialogue:
    """Send the request again as it is, so that it stands last among what was sent."""
    yield Reconnect()
    yield Send(talk.frame(api, version, value, talk.number()))
    yield Receive()


for _entries in ENTRIES:
    if _entries.api not in CHANGING:
        _first = max(_entries.versions.start, SINCE.get(_entries.api, 0))
        _versions = range(_first, _entries.versions.stop)
        question(ANY_SERVED, _entries.api, _versions)(_asks(_entries))


@question(ANY_SERVED, "CreateTopics", range(1), wants=("writes",))
def _several_topics(talk: Talk, version: int) -> Dialogue:
    """Create several topics, since this version can't ask for a validation alone."""
    entries = entries_of("CreateTopics", version)
    assert entries is not None
    value = several(talk, entries, version)
    yield from _is_understood_whole(talk, entries, version, value)
    yield from removed(talk, *(each["name"] for each in value["topics"]))


@question(ANY_SERVED, "FindCoordinator", BATCHED, needs=("Metadata",))
def _several_keys(talk: Talk, version: int) -> Dialogue:
    yield from creating_nothing(talk)
    layout = talk.codec.form("FindCoordinatorRequest", version).layout
    value = filled(layout, {"coordinatorKeys": keys(talk, 1, 2)})
    yield from talk.ask_for_any("FindCoordinator", version, value)


@question(ANY_SERVED, "ListOffsets", range(100), needs=("Metadata",))
def _offsets_of_a_topic_that_exists(talk: Talk, version: int) -> Dialogue:
    """Ask for the end of a topic that the broker has, an internal one as well."""
    high = talk.facts.range_of("Metadata")[1]
    reply = yield from talk.ask("Metadata", high, asking(talk, high, None if high else []))
    names = [each["name"] for each in reply.value["topics"] if not each["errorCode"]]
    if not names:
        yield Tell("the broker has no topic")
        return
    value = harmless(talk, "ListOffsets", version)
    value["topics"][0]["name"] = names[0]
    yield from talk.ask_for_any("ListOffsets", version, value)
