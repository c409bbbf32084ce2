"""A request that is not the plainest of its version is served as well: one of several entries.

The plain request, which another rule is about, leaves most arrays empty. A broker that does not
read a field takes the bytes after it for something else as soon as more follows. Which field that
is shows in drafts of the same request, each without one of its fields: a broker understands the
draft that lacks the field which it does not read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from copy import deepcopy
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.entries import ENTRIES, Entries, difference
from conformance.brokers.dialogues.results import several
from conformance.brokers.dialogues.talk import ANY_SERVED, Talk, framed
from conformance.dialogue import Broken, Dialogue, Receive, Received, Reconnect, Send, Step
from conformance.results.lines import UNREAD
from conformance.schema.layout import Layout
from conformance.wire.forgetful import paths, written_without

CHANGING = frozenset({"CreateAcls"})
"""APIs whose request of several entries changes something, so that a rule about that asks it."""
SINCE = {"CreateTopics": 1}
"""The first version that can ask for a validation alone."""

Value = dict[str, Any]


def _asks(entries: Entries) -> Callable[[Talk, int], Dialogue]:
    """The question about some versions of one API."""

    def _request_of_several(talk: Talk, version: int) -> Dialogue:
        value = several(talk, entries, version)
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
            raise Broken(
                why, broken.expected, broken.actual, unanswered=asked, unread=True
            ) from None

    return _request_of_several


def _unread_field(
    talk: Talk, entries: Entries, version: int, value: Value
) -> Generator[Step, Received | None, str]:
    """Return the field without which a request is understood, "" if there is none or several."""
    layout = talk.codec.form(f"{entries.api}Request", version).layout
    found = list(paths(layout))
    for given in (value, None):
        understood = []
        for path in found:
            others = [each for each in found if each != path]
            asked = given or _with_elements(layout, value, others)  # two empty arrays look alike
            body = written_without(layout, asked, [path])
            if body and (yield from _is_understood(talk, entries, version, value, body)):
                understood.append(path)
        found = understood
        if len(found) < 2:
            break
    return found[0] if len(found) == 1 else ""


def _with_elements(layout: Layout, value: Value, names: Sequence[str]) -> Value:
    """Return a value with an element in each empty array of these paths."""
    whole = deepcopy(value)
    for name in names:
        _put_element(layout, whole, name)
    return whole


def _put_element(layout: Layout, value: Value, path: str) -> None:
    first, _, rest = path.partition(".")
    name = first.removesuffix("[]")
    type_ = next(each.type for each in layout.fields if each.name == name)
    if type_.element is None or type_.item.struct is None:
        return
    if rest:
        for each in value[name] or []:
            _put_element(type_.item.layout, each, rest)
    elif not value[name]:
        value[name] = [type_.item.layout.default_value()]


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
