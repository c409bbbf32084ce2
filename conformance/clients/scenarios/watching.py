"""A played broker under watch: every frame of every connection is kept, with its time.

What is played may read, ignore or tear the bytes as it likes; the frames are cut here a second
time, from the same bytes, so that no scenario has to take part in it.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator

from conformance.api_keys import SASL_AUTHENTICATE
from conformance.clients.scenarios.requests.mistakes import mistake_in
from conformance.clients.scenarios.visit import Sent, Visit
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.results.text import counted
from conformance.schema.releases import definitions
from conformance.wire.errors import DecodeError

MOST_FRAME_BYTES = 100 * 1024 * 1024
"""Apache Kafka's own limit, socket.request.max.bytes."""
MOST_KEY = 1000
"""The highest plausible api key: a frame with a higher one is no request."""
_SIZE = struct.Struct(">i")
_KEY_AND_VERSION = struct.Struct(">hh")


class Watched(Broker):
    """Stands before a played broker, and fills a visit, which several brokers may share.

    `clock` gives seconds. It has no state of a broker of its own: `port` is the played one's.
    """

    def __init__(
        self, played: Broker, visit: Visit, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.played = played
        self.visit = visit
        self.codec: PlainCodec = ReferenceCodec()
        self._clock = clock
        self._began = clock()

    @property
    def port(self) -> int:
        """Return the port of the played broker."""
        return self.played.port

    @port.setter
    def port(self, port: int) -> None:
        self.played.port = port

    def session(self) -> Session:
        self.visit.connected(self.now())
        return WatchedSession(self, self.played.session(), len(self.visit.opened) - 1)

    def now(self) -> float:
        return self._clock() - self._began


class WatchedSession(Session):
    """One connection to the played broker, and the frames that came on it."""

    def __init__(self, watch: Watched, played: Session, number: int) -> None:
        self._watch = watch
        self._played = played
        self._number = number
        self._unread = bytearray()
        self._torn = False
        self.pending = None  # no played broker lets a client wait for another one

    @property
    def closed(self) -> bool:  # type: ignore[override]
        """True if the played broker hung up, or the visit is full."""
        return self._played.closed or self._watch.visit.is_full

    @property
    def torn(self) -> bool:  # type: ignore[override]
        """True if the played broker ends the connection abruptly."""
        return self._played.torn

    @property
    def delay_s(self) -> float:
        """Return the seconds for which the played broker holds its answer back."""
        return self._played.delay_s

    @delay_s.setter
    def delay_s(self, seconds: float) -> None:
        self._played.delay_s = seconds

    @property
    def rest_s(self) -> float:
        """Return the seconds for which the played broker reads nothing more."""
        return self._played.rest_s

    @rest_s.setter
    def rest_s(self, seconds: float) -> None:
        self._played.rest_s = seconds

    def answers(self, data: bytes) -> Iterator[bytes]:
        self._unread += data
        before = len(self._watch.visit.sent)
        self._keep_frames()
        self._played.at_s = self._watch.now()
        if len(self._watch.visit.sent) > before + 1:
            self._watch.visit.together += len(self._watch.visit.sent) - before
        for piece in self._played.answers(data):
            self._watch.visit.answer(self._watch.now(), self._number, piece)
            yield piece
        if self.closed:
            self._watch.visit.answer(self._watch.now(), self._number, b"")

    def _keep_frames(self) -> None:
        while not self._torn and len(self._unread) >= _SIZE.size:
            (size,) = _SIZE.unpack_from(self._unread)
            if not 0 < size <= MOST_FRAME_BYTES and not self._played.expects_token:
                self._torn = True
                self._watch.visit.wrong.append(f"a frame of {size} bytes was announced")
                return
            if len(self._unread) < _SIZE.size + size:
                return
            frame = bytes(self._unread[_SIZE.size : _SIZE.size + size])
            del self._unread[: _SIZE.size + size]
            if not self._played.expects_token or self._is_authenticate(frame):
                self._watch.visit.receive(self._read(frame))

    def _is_authenticate(self, frame: bytes) -> bool:
        """True if a frame is a whole SaslAuthenticate, which a client sent in place of a token."""
        is_begun = frame[:2] == SASL_AUTHENTICATE.to_bytes(2, "big")
        return is_begun and self._read(frame).value is not None

    def _is_newer(self, key: int, version: int) -> bool:
        """True if a request is newer than the known ones: those are not judged."""
        known = definitions().requests
        return max(known) < key <= MOST_KEY or (
            key in known and version > self._watch.codec.versions(known[key])[-1]
        )

    def _read(self, frame: bytes) -> Sent:
        """Return a frame as the request that it states."""
        at_s, number, node = self._watch.now(), self._number, self._watch.played.node_id
        behind = len(self._watch.visit.answered)
        if len(frame) < _KEY_AND_VERSION.size:
            return Sent(
                at_s, number, node, frame, "", -1, None, None, "shorter than a key and a version"
            )
        key, version = _KEY_AND_VERSION.unpack_from(frame)
        api = definitions().requests.get(key, "").removesuffix("Request")
        header, value, wrong = self._parts(key, version, frame)
        is_served = self._is_served(key, version)
        return Sent(
            at_s, number, node, frame, api, version, header, value, wrong, is_served, behind
        )

    def _is_served(self, key: int, version: int) -> bool:
        """True if the played broker has this version."""
        return key in self._watch.played.versions and self._played.is_supported(key, version)

    def _parts(
        self, key: int, version: int, frame: bytes
    ) -> tuple[Value | None, Value | None, str]:
        """Return header and body of a frame, and their flaw."""
        codec = self._watch.codec
        message = definitions().requests.get(key, "")
        if self._is_newer(key, version):
            return None, None, ""
        if not message or version not in codec.versions(message):
            return None, None, f"no request of api key {key} has version {version}"
        form = codec.form(message, version)
        try:
            header, offset = codec.read(codec.header_form(form), frame)
        except DecodeError as error:
            return None, None, str(error)
        try:
            value, end = codec.read(form, frame, offset)
        except DecodeError as error:
            return None, None, _told_by(mistake_in(form, frame, offset), str(error))
        if end == len(frame):
            return header, value, ""
        left = f"{counted(len(frame) - end, 'byte')} behind the last field"
        return header, value, _told_by(mistake_in(form, frame, offset), left)


def _told_by(mistake: str, symptom: str) -> str:
    """Return the flaw of a request: the client's mistake, if known, and where it shows."""
    return f"{mistake} ({symptom})" if mistake else symptom
