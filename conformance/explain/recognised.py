"""The recognition of bytes of unknown kind: frames, whole or cut, records, or parts of them.

A table of guesses is tried, the surest first. Bytes that are cut by their lengths to the last one
are frames; a checksum that fits makes a batch; bytes that are read to the last one as a message are
that message. Only after these does a plausible begin count. Each end of a connection is a stream of
its own; responses are read as answers to the requests that precede them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.explain.coordinated import with_coordinators
from conformance.explain.explainer import LENGTH, Explainer
from conformance.explain.explanation import Explanation
from conformance.explain.parts import (
    Part,
    Stream,
    in_words,
    noted,
    of_all,
    shifted,
    suspecting,
)
from conformance.explain.prefixed import LEGACY, leads
from conformance.explain.reading import HANDSHAKE, SIZE, frames, lacks
from conformance.explain.sasl_tokens import explained as token_explained
from conformance.explain.sasl_tokens import mechanism_of
from conformance.schema.record_batch import MAGIC, RECORD_BATCH, RECORD_SET
from conformance.schema.releases import (
    UnknownDefinition,
    form_for,
    message_names,
    request_name,
    versions_for,
)
from conformance.wire.annotated import Row
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader
from conformance.wire.records.reader import AFTER_LENGTH, MAGIC_OFFSET
from conformance.wire.records.set_reader import HEAD, LEAST_SIZES

_MOST_CLIENT_ID = 1024
_MOST_NEWER = 32
"""The most by which a version may exceed the newest one: above that, it is no version."""
_LEAST_HINTED = 8
_MOST_HINTED = 6
_NOTHING = "nothing of Kafka's is recognised"
_TRIED = (
    "tried as frames with their lengths and without, as batches, coordinators' records and SASL"
    " tokens: none fits (--response or --body, with --message and --api-version, say what it is)"
)
_TO = " to "
"""The separator of the two ends of a connection in the name of a stream."""
_NO_LENGTH = "taken for a frame without the 4 bytes of its length"


class Asked(NamedTuple):
    """A request that waits for its response."""

    correlation_id: int
    message: str
    version: int


def recognised(
    streams: Sequence[Stream], release: str = "", *, lenient: bool = False
) -> list[Part]:
    """Return all parts of the bytes, in order. No byte is left out."""
    parts = _Recogniser(release, lenient).parts(streams)
    return [shifted(suspecting(part, release, lenient)) for part in parts]


def read_as(
    explains: Callable[[Explainer, bytes], Explanation],
    data: bytes,
    release: str = "",
    *,
    lenient: bool = False,
    length: bool | None = None,
) -> list[Part]:
    """Return all parts of bytes of a known kind: one message, or frames one after another."""
    parts = _read_as(explains, data, release, lenient, length)
    return [shifted(suspecting(part, release, lenient)) for part in parts]


def _read_as(
    explains: Callable[[Explainer, bytes], Explanation],
    data: bytes,
    release: str,
    lenient: bool,
    length: bool | None,
) -> list[Part]:
    looked, framed, bare = (
        Explainer(release, lenient=lenient, length=each) for each in (length, True, False)
    )
    found = explains(looked, data)
    if length is False or not found.wrong:
        return [Part(found)]
    whole = frames(data)
    rest = whole[-1][1] if whole else 0
    if len(whole) > 1 or (whole and lacks(data[rest:])):
        each = [Part(explains(framed, data[at:end]), at) for at, end in whole]
        if rest < len(data):
            each.append(Part(explains(framed, data[rest:]), rest))
        return each
    if length is None and lacks(data):
        cut = explains(framed, data)
        if _is_cut(cut, data) and not _is_cut(explains(bare, data), data):
            return [Part(cut)]
    return [Part(found)]


def _is_cut(found: Explanation, data: bytes) -> bool:
    """True if bytes have no fault except that they end too early."""
    ends = (row.end if row.place is None else 0 for row in found.wrong if row.path != LENGTH)
    return all(end >= len(data) for end in ends)


class _Recogniser:
    """A recogniser that uses the definitions of a release."""

    def __init__(self, release: str, lenient: bool) -> None:
        self._framed = Explainer(release, lenient=lenient, length=True)
        self._bare = Explainer(release, lenient=lenient, length=False)
        self._release = self._framed.codec.release
        self._waiting: list[Asked] = []
        self._connections: dict[frozenset[str], list[Asked]] = {}
        self._with_tokens: set[frozenset[str]] = set()
        self._ends: frozenset[str] = frozenset()

    def parts(self, streams: Sequence[Stream]) -> list[Part]:
        """Return the parts of each stream, by connection, in each the requests' stream first."""
        order = list(dict.fromkeys(_ends(stream.side) for stream in streams))

        def place(stream: Stream) -> tuple[int, bool]:
            asks = self._begins_request(stream.data) and self._names_client(stream.data, SIZE)
            return order.index(_ends(stream.side)), not asks

        ordered = sorted(streams, key=place) if len(order) < len(streams) else streams
        return [part for stream in ordered for part in self._stream(*stream)]

    def _stream(self, data: bytes, side: str) -> list[Part]:
        self._ends = _ends(side)
        self._waiting = self._connections.setdefault(self._ends, [])
        whole = frames(data, tokens=self._ends in self._with_tokens)
        rest = whole[-1][1] if whole else 0
        if whole and (rest == len(data) or len(whole) > 1 or self._begins_request(data[:rest])):
            alone = len(whole) == 1
            found = [self._frame(data[at:end], at, side, alone=alone) for at, end in whole]
            if rest < len(data):
                found.append(replace(self._tail(data[rest:]), offset=rest, side=side))
            return found
        for guess in self._guesses:
            part = guess(data)
            if part is not None:
                return [replace(part, side=side)]
        is_request = self._has_header(data, 0)
        return [Part(self._bare.request(data) if is_request else _nothing(data), 0, side)]

    def _frame(self, data: bytes, at: int, side: str, *, alone: bool) -> Part:
        """Return a whole frame with its length; one that is `alone` may look like one by chance."""
        answer = self._answer(data)
        if answer and not (answer.explanation.wrong and self._names_client(data, SIZE)):
            return replace(answer, offset=at, side=side)
        part = self._request(data) or answer or self._token(data)
        part = part or self._unasked(self._framed, data) or (self._led(data) if alone else None)
        part = self._without_request(part or self._unknown_frame(data), data)
        return replace(part, offset=at, side=side)

    def _without_request(self, part: Part, data: bytes) -> Part:
        """Return a response with a note that its correlation id is that of no request."""
        waiting = sorted({asked.correlation_id for asked in self._waiting})
        if part.kind not in ("response", "") or not waiting or len(data) < 2 * SIZE:
            return part
        (number,) = struct.unpack_from(">i", data, SIZE)
        if number in waiting:
            return part
        ids = ", ".join(map(str, waiting[:_MOST_HINTED]))
        more = f" and {len(waiting) - _MOST_HINTED} more" if waiting[_MOST_HINTED:] else ""
        note = (
            f"the correlation id {number} is that of no request before it;"
            f" not answered so far: {ids}{more}"
        )
        return noted(part, note)

    def _token(self, data: bytes) -> Part | None:
        """Return a frame after SaslHandshake v0, or one in the form of a token; None for others."""
        if self._ends in self._with_tokens or mechanism_of(data[SIZE:]):
            return Part(token_explained(data, framed=True), kind="token")
        return None

    def _unknown_frame(self, data: bytes) -> Part:
        if self._has_header(data, SIZE):
            return Part(self._framed.request(data))
        found = self._framed.of_nothing(data)
        note = f"{found.undecided or _NOTHING}; no request begins like it"
        return Part(replace(found, notes=(note,)))

    def _has_header(self, data: bytes, at: int) -> bool:
        """True if a request's header of any version begins at an offset."""
        if len(data) < at + 10:
            return False
        key, version = struct.unpack_from(">hh", data, at)
        return bool(request_name(self._release, key, version)) and self._names_client(data, at)

    def _tail(self, data: bytes) -> Part:
        """Return the bytes after the last whole frame: a frame that is cut, or no frame."""
        answer = self._answer(data) if lacks(data) else None
        if answer and not self._names_client(data, SIZE):
            return answer
        if self._begins_request(data):
            return Part(self._framed.request(data), kind="request")
        if lacks(data):
            return answer or Part(self._framed.of_nothing(data))
        title = f"no frame, {len(data)} bytes"
        says = "behind the last frame" if len(data) >= SIZE else "too few for a frame's length"
        return Part(Explanation(title, (Row(0, data, state="left over", says=says),)))

    @property
    def _guesses(self) -> tuple[Callable[[bytes], Part | None], ...]:
        """Return the guesses, the surest first."""
        return (
            self._sure_batches,
            self._clean_request,
            self._wrong_length,
            _token_alone,
            self._led,
            self._cut_request,
            self._likely_batches,
            self._naming_request,
            lambda data: self._unasked(self._bare, data),
            self._known_request,
            self._newer_request,
        )

    def _sure_batches(self, data: bytes) -> Part | None:
        """Return batches or messages without a fault, None for others."""
        part = self._likely_batches(data)
        return part if part and not part.explanation.wrong else None

    def _likely_batches(self, data: bytes) -> Part | None:
        """Return bytes that begin like a batch or a message of records, None for others."""
        if len(data) <= MAGIC_OFFSET or data[MAGIC_OFFSET] > MAGIC or data[0]:
            return None
        (size,) = struct.unpack_from(">i", data, HEAD - SIZE)
        magic = data[MAGIC_OFFSET]
        least = AFTER_LENGTH if magic == MAGIC else LEAST_SIZES[magic]
        if size < least or (HEAD + size > len(data) and any(data[:SIZE])):
            return None
        alone = magic == MAGIC and HEAD + size >= len(data)
        name = RECORD_BATCH if alone else RECORD_SET
        found = with_coordinators(self._bare.body(data, name), self._bare)
        return Part(found, kind="records")

    def _clean_request(self, data: bytes) -> Part | None:
        part = self._known_request(data)
        return part if part and not part.explanation.wrong else None

    def _known_request(self, data: bytes) -> Part | None:
        """Return a request without its length, of a known version; None for others."""
        if not self._begins(data, 0):
            return None
        found = self._bare.request(data)
        if self._is_by_chance(found, data, 0):
            return None
        return noted(Part(found, kind="request"), _NO_LENGTH)

    def _is_by_chance(self, found: Explanation, data: bytes, at: int) -> bool:
        """True if bytes read as a request name no client and do not fit a request to their end."""
        is_longer = any(row.state == "left over" for row in found.rows)
        is_right = _is_cut(found, data) and not is_longer and not found.undecided
        return not self._names_client(data, at) and not is_right

    def _naming_request(self, data: bytes) -> Part | None:
        """Return a request that names a client, of a known or newer version; else None."""
        if self._names_client(data, 0):
            return self._known_request(data) or self._newer_request(data)
        return self._newer_request(data) if self._names_client(data, SIZE) else None

    def _newer_request(self, data: bytes) -> Part | None:
        for explainer, at, note in ((self._framed, SIZE, ""), (self._bare, 0, _NO_LENGTH)):
            if (not at or lacks(data)) and self._begins(data, at, newer=_MOST_NEWER):
                found = explainer.request(data)
                if not self._is_by_chance(found, data, at):
                    return noted(Part(found, kind="request"), note)
        return None

    def _cut_request(self, data: bytes) -> Part | None:
        """Return a request with a client id that its length says is cut; None for others."""
        if not (lacks(data) and self._begins_request(data) and self._names_client(data, SIZE)):
            return None
        return Part(self._framed.request(data), kind="request")

    def _wrong_length(self, data: bytes) -> Part | None:
        """Return a request that is whole but for a wrong length before it, None for other bytes."""
        if not self._begins_request(data) or not self._names_client(data, SIZE):
            return None
        told = data[:SIZE]
        right = struct.pack(">i", len(data) - SIZE)
        found = self._framed.request(right + data[SIZE:])
        if found.wrong or told == right:
            return None
        (said,) = struct.unpack(">i", told)
        says = f"{said} bytes, the frame has {len(data) - SIZE}"
        row = replace(
            found.rows[0], data=told, value=said, text=str(said), state="wrong", says=says
        )
        assert row.path == LENGTH
        note = (
            f"the length says {said}, and the request is read to its end after {len(data) - SIZE}"
        )
        return noted(Part(replace(found, rows=(row, *found.rows[1:])), kind="request"), note)

    def _request(self, data: bytes) -> Part | None:
        """Return a whole frame that begins like a request, None for others."""
        (key, version, number) = struct.unpack_from(">hhi", data.ljust(12, b"\xff"), SIZE)
        known = self._begins(data, SIZE)
        if not known and not self._begins(data, SIZE, newer=_MOST_NEWER):
            return None
        found = self._framed.request(data)
        is_nameless = len(data) >= SIZE + 10 and not self._names_client(data, SIZE)
        other = self._unasked(self._framed, data) if found.wrong and is_nameless else None
        if other:
            return other
        name = request_name(self._release, key, version)
        if name:
            self._waiting.append(Asked(number, name.removesuffix("Request"), version))
        if data[SIZE:].startswith(HANDSHAKE):
            self._with_tokens.add(self._ends)
        return Part(found, kind="request")

    def _answer(self, data: bytes) -> Part | None:
        """Return a frame with its length and the correlation id of a waiting request, else None."""
        if len(data) < 2 * SIZE:
            return None
        (number,) = struct.unpack_from(">i", data, SIZE)
        asked = next((each for each in self._waiting if each.correlation_id == number), None)
        if asked is None:
            return None
        try:
            found = self._framed.response(data, asked.message, asked.version)
        except UnknownDefinition:
            return None
        if not found.wrong:
            self._waiting.remove(asked)
        return Part(found, kind="response")

    def _unasked(self, explainer: Explainer, data: bytes) -> Part | None:
        """Return a response to a missing request, if bytes can be read as one to the end."""
        at = SIZE if explainer.length else 0
        if len(data) < at + _LEAST_HINTED:
            return None
        fitting = self._fitting(data, at)
        if not fitting:
            return None
        if "ApiVersions" in fitting:
            refusal = explainer.response(data, "ApiVersions", 0)
            code = next(row.value for row in refusal.rows if row.path == "errorCode")
            if code == UNSUPPORTED_VERSION:
                fitting = {"ApiVersions": [0]}
        if len(fitting) == 1:
            [(api, versions)] = fitting.items()
            found = of_all(explainer.response(data, api, versions[-1]), versions)
            fits = in_words(versions)
            note = f"no request says what this answers: read as {api}, which alone fits ({fits})"
            return noted(Part(found, kind="response"), note)
        names = [f"{api} {in_words(versions)}" for api, versions in fitting.items()]
        more = f" and {len(names) - _MOST_HINTED} more" if len(names) > _MOST_HINTED else ""
        note = (
            f"may be a response to: {', '.join(names[:_MOST_HINTED])}{more}"
            " (--response --message NAME --api-version N reads it as one)"
        )
        return noted(Part(explainer.of_nothing(data), kind="response"), note)

    def _fitting(self, data: bytes, at: int) -> dict[str, list[int]]:
        """Return the APIs and versions as whose responses bytes are read to the last byte."""
        codec = self._framed.codec
        found: dict[str, list[int]] = {}
        for name in message_names(self._release):
            if not name.endswith("Response"):
                continue
            for version in versions_for(self._release, name):
                form = form_for(self._release, name, version)
                if form is None:
                    continue
                reader = Reader(data, at)
                try:
                    reader.struct(codec.header_form(form).layout)
                    reader.struct(form.layout)
                except DecodeError:
                    continue
                if not reader.remaining:
                    found.setdefault(name.removesuffix("Response"), []).append(version)
        return found

    def _led(self, data: bytes) -> Part | None:
        """Return a coordinator's record or a member's subscription, read to its last byte."""
        fitting = []
        for name, lead in leads().items():
            if lead in ("version", "type"):
                found = self._bare.body(data, name)
                is_own = found.title.startswith(f"{name} ")  # else it is a key with another name
                if is_own and not found.wrong and not found.undecided and found.is_printable:
                    fitting.append((name, found))
        if not fitting:
            return None
        (name, found), *others = fitting
        others = [each for each in others if each[0] != f"{LEGACY}{name}"]
        names = ", ".join(other for other, _ in others[:_MOST_HINTED])
        note = f"may be as well: {names} (--message NAME says which)" if others else ""
        return noted(Part(found, kind="records"), note)

    def _begins_request(self, data: bytes) -> bool:
        """True if a length and then a request of a known version begin the bytes."""
        return self._begins(data, SIZE)

    def _begins(self, data: bytes, at: int, newer: int = 0) -> bool:
        """True if a request begins at an offset, as far as its header shows.

        Its version may exceed the newest one by `newer`.
        """
        if len(data) < at + 8:
            return False
        key, version = struct.unpack_from(">hh", data, at)
        name = request_name(self._release, key, version)
        if name is None or version < 0:
            return False
        held = versions_for(self._release, name)
        if version > held[-1] + newer or (version not in held and version < held[-1]):
            return False
        return self._client_id(data, at) is not None

    def _names_client(self, data: bytes, at: int) -> bool:
        """True if the header has a client id, or a null in its place."""
        return bool(self._client_id(data, at)) or data[at + 8 : at + 10] == b"\xff\xff"

    def _client_id(self, data: bytes, at: int) -> str | None:
        """Return the client id, as far as the bytes have it; None if it can't be one."""
        if len(data) < at + 10:
            return ""
        (length,) = struct.unpack_from(">h", data, at + 8)
        if not -1 <= length <= _MOST_CLIENT_ID:
            return None
        try:
            text = data[at + 10 : at + 10 + max(length, 0)].decode()
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() else None


def _nothing(data: bytes) -> Explanation:
    """Return an explanation of bytes that are not recognised, and so are not judged."""
    notes = [_TRIED]
    if lacks(data):
        size, here = int.from_bytes(data[:SIZE], "big"), len(data) - SIZE
        notes.append(f"a frame that was cut would have {size} bytes, of which {here} are here")
    rows = (Row(0, data, state="not read"),)
    return Explanation(f"{_NOTHING}, {len(data)} bytes", rows, tuple(notes), undecided=_TRIED)


def _token_alone(data: bytes) -> Part | None:
    """Return a SASL token without its length, None for others."""
    if not mechanism_of(data):
        return None
    return noted(Part(token_explained(data, framed=False), kind="token"), _NO_LENGTH)


def _ends(side: str) -> frozenset[str]:
    """Return the two ends of a connection in the name of a stream; none without such a name."""
    return frozenset(side.split(_TO) if _TO in side else ())


__all__ = ["Part", "Stream", "read_as", "recognised"]
