"""The content of an ApiVersions answer, its form, and differences between clients.

The forms are read here byte by byte, without a codec: a broker and a client that share a mistake
understand each other, and no other peer does.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from conformance.api_keys import API_VERSIONS
from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.headers import software
from conformance.brokers.dialogues.other_forms import other_form
from conformance.brokers.dialogues.talk import SERVED, Reply, Talk, judged_by
from conformance.dialogue import (
    Broken,
    Dialogue,
    NotApplicable,
    Receive,
    Received,
    Reconnect,
    Send,
    Step,
)

FLEXIBLE = range(3, 100)
CORRELATION_ID_SIZE = 4
ENTRY = struct.Struct(">hhh")
SUPPORTED, EPOCH, FINALIZED, MIGRATION = range(4)
"""The tags at the top of the answer."""
FEATURES_FROM_ZERO = 4
"""The first version that has features whose lowest version is 0 (KAFKA-17011)."""

Entries = list[tuple[int, int, int]]


@dataclass
class Bytes:
    """An answer's bytes, from the front to the end."""

    data: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        """Return this many bytes. Raises Broken if fewer are left."""
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise Broken(
                f"the answer ends at byte {len(self.data)}, {size} were due", "", self.data
            )
        self.at += size
        return taken

    def number(self) -> int:
        """An UNSIGNED_VARINT."""
        value = shift = 0
        while (byte := self.take(1)[0]) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def tags(self) -> dict[int, bytes]:
        """A tag section."""
        return {self.number(): self.take(self.number()) for _ in range(self.number())}

    def text(self) -> str:
        """A compact string."""
        return self.take(self.number() - 1).decode()

    def end(self) -> None:
        """Raise Broken if bytes are left."""
        if self.at < len(self.data):
            left = self.data[self.at :].hex()
            raise Broken(f"{left} behind the last field", "nothing", self.data)


@question("api-versions.throttle-time-after-list", "ApiVersions", range(1, 3))
def _plain_list(talk: Talk, version: int) -> Dialogue:
    found = yield from _frame(talk, version)
    (count,) = struct.unpack(">i", found.take(4))
    entries = [ENTRY.unpack(found.take(ENTRY.size)) for _ in range(count)]
    talk.expect("the versions of ApiVersions", talk.facts.advertised[API_VERSIONS], _own(entries))
    _throttle_time(found)
    found.end()


@question("api-versions.version-0-has-list-alone", "ApiVersions", range(1))
def _oldest_list(talk: Talk, version: int) -> Dialogue:
    found = yield from _frame(talk, version)
    (count,) = struct.unpack(">i", found.take(4))
    entries = [ENTRY.unpack(found.take(ENTRY.size)) for _ in range(count)]
    found.end()
    talk.expect("the versions of ApiVersions", talk.facts.advertised[API_VERSIONS], _own(entries))


@question("api-versions.compact-list", "ApiVersions", FLEXIBLE)
def _compact_list(talk: Talk, version: int) -> Dialogue:
    found = yield from _frame(talk, version)
    entries = _compact_entries(found)
    talk.expect("the versions of ApiVersions", talk.facts.advertised[API_VERSIONS], _own(entries))
    _throttle_time(found)
    found.tags()
    found.end()


@question("api-versions.features-in-tags", "ApiVersions", FLEXIBLE)
def _features(talk: Talk, version: int) -> Dialogue:
    tags = yield from _tags(talk, version)
    for name, low, high in _supported(tags):
        if not name or low > high:
            raise Broken(f"supported: {name!r} from {low} to {high}", "a name and a range")
    if EPOCH in tags and len(tags[EPOCH]) != 8:
        raise Broken("the epoch of the finalized features is no INT64", "8 bytes", tags[EPOCH])
    for name, high, low in _feature_entries(tags, FINALIZED):
        if not name or low > high:
            raise Broken(f"finalized: {name!r} from {low} to {high}", "a name and a range")
    if MIGRATION in tags and len(tags[MIGRATION]) != 1:
        raise Broken("tag 3 is no BOOLEAN", "1 byte", tags[MIGRATION])


@question("api-versions.finalized-is-supported", "ApiVersions", range(4, 100))
def _finalized_levels(talk: Talk, version: int) -> Dialogue:
    tags = yield from _tags(talk, version)
    supported = {name: (low, high) for name, low, high in _supported(tags)}
    for name, high, _ in _feature_entries(tags, FINALIZED):
        least, most = supported.get(name, (0, -1))
        if not least <= high <= most:
            what = f"{name} is finalized at {high}"
            raise Broken(what, f"among the supported, from {least} to {most}")
    finalized = any(_feature_entries(tags, FINALIZED))
    epoch = int.from_bytes(tags.get(EPOCH, b"\xff" * 8), "big", signed=True)
    if finalized and epoch < 0:
        raise Broken(f"features are finalized, and the epoch is {epoch}", "0 or more")


@question("api-versions.zero-features-left-out", "ApiVersions", range(3, FEATURES_FROM_ZERO))
def _features_for_old_clients(talk: Talk, version: int) -> Dialogue:
    tags = yield from _tags(talk, version)
    from_zero = [name for name, low, _ in _supported(tags) if low == 0]
    talk.expect("features whose lowest version is 0", [], from_zero)


@question("api-versions.other-features-kept", "ApiVersions", range(3, FEATURES_FROM_ZERO))
def _features_of_all_clients(talk: Talk, version: int) -> Dialogue:
    _, high = talk.facts.range_of("ApiVersions")
    if high < FEATURES_FROM_ZERO:
        raise NotApplicable("the broker has no version that holds all features")
    tags = yield from _tags(talk, version)
    newer = yield from _tags(talk, high)
    due, found = (
        sorted(each for each in _supported(some) if each[1] > 0) for some in (newer, tags)
    )
    talk.expect(f"those that version {high} has and begin above 0", due, found)


@question("api-versions.version-0-suffices")
def _list_of_version_0(talk: Talk) -> Dialogue:
    """Expect version 0, which every client knows, to list all that any version lists."""
    low, high = talk.facts.range_of("ApiVersions")
    talk.expect("the lowest version of ApiVersions", 0, low)
    oldest = yield from _listed(talk, 0)
    for version in range(1, high + 1):
        found = yield from _listed(talk, version)
        talk.expect(f"the list of version {version} against that of 0", oldest, found)


@question("api-versions.list-lasts")
def _lists_one_after_another(talk: Talk) -> Dialogue:
    first = yield from talk.is_answered("ApiVersions", 0, {})
    for _ in range(5):
        again = yield from talk.is_answered("ApiVersions", 0, {})
        if sorted(_entries(again)) != sorted(_entries(first)):
            raise Broken("asked again on this connection, the list is another", first.hex(), again)


@question("api-versions.same-for-every-caller", wants=("other",))
def _list_for_one_without_rights(talk: Talk) -> Dialogue:
    _, high = talk.facts.range_of("ApiVersions")
    for version in sorted({0, high}):
        own = yield from _listed(talk, version)
        yield Reconnect("other")
        found = yield from _listed(talk, version)
        talk.expect(f"the list of version {version} for who may do nothing", own, found)
        yield Reconnect()


@question("api-versions.same-for-every-caller", wants=("login",))
def _list_for_one_who_has_not_logged_in(talk: Talk) -> Dialogue:
    own = yield from _listed(talk, 0)
    yield Reconnect("nobody")
    found = yield from _listed(talk, 0)
    talk.expect("the list for one who has not logged in", own, found)


@question("api-versions.served-before-login", "ApiVersions", range(100), wants=("login",))
def _list_before_login_and_after(talk: Talk, version: int) -> Dialogue:
    for who in ("nobody", "self"):
        yield Reconnect("nobody" if who == "nobody" else "self")
        reply = yield from talk.ask("ApiVersions", version, software(version))
        talk.expect(f"as {who}: the error", 0, reply.value["errorCode"])
        talk.expect(
            "the versions of ApiVersions", talk.facts.advertised[API_VERSIONS], _own(_of(reply))
        )


def _entries(frame: bytes) -> Iterator[bytes]:
    """The entries of an answer of version 0, as far as they are whole."""
    return (frame[at : at + ENTRY.size] for at in range(10, len(frame), ENTRY.size))


def _own(entries: Entries) -> tuple[int, int] | None:
    return next(((low, high) for key, low, high in entries if key == API_VERSIONS), None)


def _of(reply: Reply) -> Entries:
    entries = reply.value["apiKeys"]
    return sorted((each["apiKey"], each["minVersion"], each["maxVersion"]) for each in entries)


def _listed(talk: Talk, version: int) -> Generator[Step, Received | None, Entries]:
    reply = yield from talk.ask("ApiVersions", version, software(version))
    talk.expect("the error", 0, reply.value["errorCode"])
    return _of(reply)


def _frame(talk: Talk, version: int) -> Generator[Step, Received | None, Bytes]:
    """Return an answer's bytes after its error code, which has to be 0."""
    number = talk.number()
    yield Send(talk.frame("ApiVersions", version, software(version), number))
    received = yield Receive()
    assert received is not None
    try:
        frame = talk.understood("ApiVersions", version, number, received)
    except Broken as broken:
        broken.judged_by = broken.judged_by or SERVED
        raise
    if found := other_form(talk.codec, "ApiVersionsResponse", version, frame):
        what = f"the answer can not be read as ApiVersionsResponse v{version}: {found}"
        raise Broken(what, f"ApiVersionsResponse v{version}", frame)
    answer = Bytes(frame, CORRELATION_ID_SIZE)
    talk.expect("the error", 0, int.from_bytes(answer.take(2), "big", signed=True))
    return answer


def _compact_entries(found: Bytes) -> Entries:
    entries: Entries = []
    for _ in range(found.number() - 1):
        entries.append(ENTRY.unpack(found.take(ENTRY.size)))
        found.tags()
    return entries


def _throttle_time(found: Bytes) -> None:
    (throttled_ms,) = struct.unpack(">i", found.take(4))
    if not 0 <= throttled_ms < 60_000:
        raise Broken(f"throttled for {throttled_ms} ms", "0, or some seconds at most", found.data)


@judged_by("api-versions.compact-list")
def _tags(talk: Talk, version: int) -> Generator[Step, Received | None, dict[int, bytes]]:
    """The tagged fields at the top of an answer."""
    found = yield from _frame(talk, version)
    _compact_entries(found)
    found.take(4)
    tags = found.tags()
    found.end()
    return tags


def _supported(tags: dict[int, bytes]) -> list[tuple[str, int, int]]:
    return list(_feature_entries(tags, SUPPORTED))


def _feature_entries(tags: dict[int, bytes], tag: int) -> Iterator[tuple[str, int, int]]:
    """Yield name and two versions of each feature in one of the tags, in the order of the wire."""
    if tag not in tags:
        return
    found = Bytes(tags[tag])
    for _ in range(found.number() - 1):
        name = found.text()
        first, second = struct.unpack(">hh", found.take(4))
        found.tags()
        yield name, first, second
    found.end()
