"""The header of a client's requests, told apart from what stands behind it (KIP-482), and the
client id in it: the one that the application gave.

A frame with a wrong header can mostly not be read at all. What is wrong with it shows in how it can
be read: with another header before the same body, to the last byte. One that no header explains is
no matter of headers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from conformance.clients.scenarios.actions import CLIENT_IDS
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Sent, Visit, judgement, require, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.results.text import json_text
from conformance.schema.layout import Form
from conformance.wire.errors import DecodeError
from conformance.wire.frames import header_name, header_version

CLIENT_ID_AT = 8
"""The offset of the client id: after api key, api version and correlation id."""
_LENGTH = struct.Struct(">h")
_CODEC: PlainCodec = ReferenceCodec()

Behind = Callable[[bytes], int]
"""A function that returns the offset after a header of one layout. Raises DecodeError."""


def behind_version(number: int) -> Behind:
    """Return a function for the offset after a header of an existing version."""

    def behind(frame: bytes) -> int:
        return _CODEC.read(_CODEC.form("RequestHeader", number), frame)[1]

    return behind


def behind_correlation_id(_frame: bytes) -> int:
    """Return the offset after a header that ends with the correlation id."""
    return CLIENT_ID_AT


def behind_compact_id(frame: bytes) -> int:
    """Return the offset after a header that ends with a compact client id."""
    reader = _CODEC.reader(frame, CLIENT_ID_AT)
    length = reader.uvarint("clientId")
    return reader.offset + max(length - 1, 0)


def behind_compact_id_and_tags(frame: bytes) -> int:
    """Return the offset after a header with a compact client id and a tag section."""
    at = behind_compact_id(frame)
    plain = frame[:CLIENT_ID_AT] + _LENGTH.pack(-1) + frame[at:]
    return behind_version(2)(plain) - CLIENT_ID_AT - _LENGTH.size + at


@dataclass(frozen=True, slots=True)
class Mistake:
    """A header other than that of a version, flexible or not, with its description."""

    says: str
    in_flexible: bool
    behind: Behind


def _unless(
    expected: str,
    shown_by: Callable[[Form], bool],
    *mistakes: Mistake,
    charged: tuple[Mistake, ...] = (),
) -> Judgement:
    """No frame is one of these mistakes, and some are there that might have been.

    One that may be a mistake of those as well that another rule has `charged` is not judged: an
    empty client id and no tag section are the bytes of a compact null and an empty section.
    """

    def judge(visit: Visit) -> None:
        known = list(_known(visit.sent))
        for each, form in known:
            for mistake in mistakes:
                others = any(_is_one(other, each, form) for other in charged)
                if _is_one(mistake, each, form) and not others:
                    what = f"{each.api} v{each.version} has a header with {mistake.says}"
                    raise Broken(what, expected, each.frame)
        if not any(shown_by(form) and not each.wrong for each, form in known):
            raise NotApplicable("it sent no request that shows this")

    return judge


def _known(sent: Iterable[Sent]) -> Iterator[tuple[Sent, Form]]:
    """The requests whose key and version there are."""
    for each in sent:
        if each.api and (form := _form(f"{each.api}Request", each.version)):
            yield each, form


@cache
def _form(message: str, version: int) -> Form | None:
    """The form of a request, None where it has no such version."""
    return _CODEC.form(message, version) if version in _CODEC.versions(message) else None


def _is_one(mistake: Mistake, sent: Sent, form: Form) -> bool:
    """True if a frame that can't be read can be read with that header."""
    is_possible = sent.wrong and form.flexible == mistake.in_flexible
    if not is_possible or _has_one_zero_more(sent, form):
        return False
    try:
        return _CODEC.read(form, sent.frame, mistake.behind(sent.frame))[1] == len(sent.frame)
    except DecodeError:
        return False


def is_explained(sent: Sent) -> bool:
    """True if a request that can't be read has another header than it should, and no other flaw."""
    return any(_is_one(each, sent, form) for _, form in _known([sent]) for each in _MISTAKES)


def _has_one_zero_more(sent: Sent, form: Form) -> bool:
    """True if a frame ends with one zero too many: it may be of its header or of its body."""
    try:
        _, offset = _CODEC.read(_CODEC.form(header_name(form), header_version(form)), sent.frame)
        return sent.frame[_CODEC.read(form, sent.frame, offset)[1] :] == b"\0"
    except DecodeError:
        return False


_OF_V1 = (
    Mistake("no client id", False, behind_correlation_id),
    Mistake("a compact client id", False, behind_compact_id),
)
_OF_TAGS = (
    Mistake("a tag section", False, behind_version(2)),
    Mistake("no tag section", True, behind_version(1)),
)
_OF_CLIENT_ID = (
    Mistake("a compact client id", True, behind_compact_id_and_tags),
    Mistake("a compact client id and no tag section", True, behind_compact_id),
)
_MISTAKES = (*_OF_V1, *_OF_TAGS, *_OF_CLIENT_ID)
fields_of_v1 = _unless(
    "api key, api version, correlation id and a NULLABLE_STRING",
    lambda form: not form.flexible,
    *_OF_V1,
)
tags_where_flexible = _unless(
    "a tag section in flexible versions alone", lambda form: form.flexible, *_OF_TAGS
)
client_id_not_compact = _unless(
    "a client id with an INT16 length", lambda form: form.flexible, *_OF_CLIENT_ID, charged=_OF_TAGS
)


_SAYS = {
    "nameless": "that has no client id",
    "blank": "whose client id is empty",
    "lengthy": "whose client id has 300 bytes",
    "brimming": "whose client id makes of a flexible header 255 bytes, its length included",
    "foreign": "whose client id has letters of one, two, three and four bytes",
}


@judgement
def names_itself(visit: Visit, given: str | None) -> None:
    """Each header has this client id, and it comes to an end.

    Where it is null or empty, a client may take that for none given: it may be called as in the
    control case.
    """
    survives(visit)
    readable = [each for each in visit.sent if each.header is not None and not each.wrong]
    require(readable, "it sent nothing that can be read")
    usual = visit.control_case.sent if visit.control_case and not given else []
    allowed = {given, *(each.header["clientId"] for each in usual if each.header)}
    for each in readable:
        found = (each.header or {})["clientId"]
        if found not in allowed:
            what = f"{each.api} v{each.version} has the client id {json_text(found)}"
            raise Broken(what, json_text(given), each.frame)


for _action, _given in CLIENT_IDS.items():
    Scenario.variant(
        f"{_action.capitalize()}Client",
        f"Is asked for all topics by a client {_SAYS[_action]}.",
        about="MetadataRequest",
        action=_action,
        answers="",
        control_case=ServesTopics,
        decides={"client-requests.client-id-as-given": names_itself(_given)},
    )
