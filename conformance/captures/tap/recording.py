"""The tapped traffic as a pcapng: each segment as it came, or, without secrets, frame by frame.

Without secrets, one packet is written for each frame that was cut out of its stream. Bytes that are
in no frame, and the bytes after the begin of a frame that was not judged, are left out as soon as
they are known to be in no frame, as in a capture that keeps only the begin of each packet: a reader
of the file misses what was missed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from conformance.api_keys import SASL_HANDSHAKE
from conformance.captures.audit.masking import ANSWER_HEAD, Masker, behind_head
from conformance.captures.packets.network import ACK, FIN, RST, SYN, Key, Segment
from conformance.captures.packets.writing import PcapngWriter
from conformance.captures.streams.conversation import TOKENS, Conversation
from conformance.captures.streams.events import (
    Captured,
    Event,
    Side,
    Skipped,
    SkippedFrame,
    Unanswering,
)
from conformance.captures.streams.request_head import LEAST_REQUEST
from conformance.captures.tap.lines import MOST_PAYLOAD

_NUMBERS = 1 << 32
_NO_API = b"\xff"
"""The byte that overwrites tokens without a header: zeros would be a request of api key 0."""


class Recorder:
    """A recorder that writes nothing.

    `keeps_numbers` is true if a reader of the file finds each frame under the number that it had
    here.
    """

    keeps_numbers = True

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """Yield the segments unchanged; subclasses write them."""
        yield from segments

    def watch(self, conversation: Conversation, event: Event) -> None:
        """Take an event that the last segment completed."""

    def flush(self) -> None:
        """Write all that passed so far to the file."""


class FileRecorder(Recorder):
    """A recorder that writes to a file."""

    def __init__(self, file: PcapngWriter) -> None:
        self.file = file

    def flush(self) -> None:
        """Write all that passed so far to the file. Raises CaptureError."""
        self.file.flush()


class RawRecorder(FileRecorder):
    """A recorder that writes each segment as it came."""

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """Write each segment, and yield it unchanged."""
        for segment in segments:
            self.file.write(segment)
            yield segment


class _Stream:
    """One direction: the number of its first byte, how many bytes passed, how many were written."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.passed = 0
        self.written = 0
        self.has_ended = False

    @property
    def next(self) -> int:
        """Return the sequence number of the next byte."""
        return (self.first + self.written) % _NUMBERS


class MaskingRecorder(FileRecorder):
    """A recorder of frames as they are cut, without secrets, by the definitions of a release."""

    def __init__(self, file: PcapngWriter, release: str = "") -> None:
        super().__init__(file)
        self._masker = Masker(release)
        self._streams: dict[Key, _Stream] = {}
        self._of: dict[Key, Conversation] = {}
        self._with_tokens: set[Key] = set()
        self._at_ns = 0
        self._has_lost_way = False

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """Yield the segments unchanged, and write the begins and ends of connections."""
        for segment in segments:
            self._at_ns = segment.at_ns
            if segment.flags & SYN:
                self._begin(segment)
            ends = segment.source, segment.target
            self._streams[ends].passed += len(segment.payload) + segment.lost
            self._has_lost_way = False
            yield segment
            if self._has_lost_way or segment.flags & (FIN | RST):
                self._leave_out(ends, self._streams[ends].passed)
            if segment.flags & (FIN | RST):
                self._end(segment)

    def watch(self, conversation: Conversation, event: Event) -> None:
        """Write the frame of an event.

        A conversation that is entered in the middle, since too many others were open, counts its
        bytes from there: its frames are left out.
        """
        ends = conversation.client, conversation.server
        key = min(ends, ends[::-1])
        if self._of.setdefault(key, conversation) is not conversation:
            return
        match event:
            case Captured():
                frame = self._masked(event, key in self._with_tokens)
                self._frame(ends, event.side, event.offset, frame)
                if event.side == "request" and event.asked[:2] == (SASL_HANDSHAKE, 0):
                    self._with_tokens.add(key)
            case Unanswering():
                frame = behind_head(event.frame, ANSWER_HEAD)
                frame = _no_api(frame) if key in self._with_tokens else frame
                self._frame(ends, "response", event.offset, frame)
            case SkippedFrame():
                frame, lost = _skipped(event, key in self._with_tokens)
                self._frame(ends, event.side, event.offset, frame, lost)
            case Skipped():
                self._has_lost_way = True
                if not (conversation.foreign or conversation.closed):
                    self.keeps_numbers = False  # the next frame found may depend on zeroed bytes

    def _masked(self, captured: Captured, with_tokens: bool) -> bytes:
        """Return a frame without secrets; one of no known API may be a token sent early."""
        if with_tokens and not captured.message:
            return _no_api(captured.frame)
        return self._masker.frame(captured)

    def _begin(self, segment: Segment) -> None:
        if not segment.flags & ACK:
            self._forget(segment)
        first = (segment.sequence + 1) % _NUMBERS
        self._streams[segment.source, segment.target] = _Stream(first)
        self.file.write(segment)

    def _end(self, segment: Segment) -> None:
        """Write the end of a direction, or of both, at its place in the written stream."""
        ends = segment.source, segment.target
        stream, back = self._streams[ends], self._streams[ends[::-1]]
        numbers = {"sequence": stream.next, "acknowledged": back.next}
        self.file.write(msgspec.structs.replace(segment, **numbers))
        stream.has_ended = True
        if segment.flags & RST or back.has_ended:
            self._forget(segment)

    def _forget(self, segment: Segment) -> None:
        """Drop what is kept of a connection that is over."""
        self._with_tokens.discard(segment.key)
        self._of.pop(segment.key, None)
        for ends in (segment.key, segment.key[::-1]):
            self._streams.pop(ends, None)

    def _frame(self, ends: Key, side: Side, offset: int, frame: bytes, lost: int = 0) -> None:
        """Write a frame with its size; `lost` bytes at its end are left out."""
        ends = ends if side == "request" else ends[::-1]
        self._leave_out(ends, offset)
        data = (len(frame) + lost).to_bytes(4, "big") + frame
        for start in range(0, len(data), MOST_PAYLOAD):
            self._packet(ends, data[start : start + MOST_PAYLOAD], 0)
        self._leave_out(ends, self._streams[ends].written + lost)

    def _leave_out(self, ends: Key, offset: int) -> None:
        """Write empty packets up to an offset, in place of bytes that are not recorded."""
        stream = self._streams[ends]
        while stream.written < offset:
            self._packet(ends, b"", min(offset - stream.written, MOST_PAYLOAD))

    def _packet(self, ends: Key, payload: bytes, lost: int) -> None:
        stream, back = self._streams[ends], self._streams[ends[::-1]]
        key = min(ends, ends[::-1])
        numbers = stream.next, back.next
        self.file.write(Segment(self._at_ns, key, *ends, *numbers, ACK, payload, lost))
        stream.written += len(payload) + lost


def _skipped(event: SkippedFrame, with_tokens: bool) -> tuple[bytes, int]:
    """Return the shown bytes of a frame that was not judged, and how many are left out."""
    is_whole = event.size == len(event.head)
    kept = LEAST_REQUEST if event.side == "request" else ANSWER_HEAD
    shown = behind_head(event.head, kept) if is_whole else event.head[:kept]
    if with_tokens or event.why == TOKENS:
        shown = _no_api(shown)
    return shown, event.size - len(shown)


def _no_api(frame: bytes) -> bytes:
    return _NO_API * len(frame)


@contextmanager
def recording(
    path: Path | None, port: int, release: str = "", *, secrets: bool = False
) -> Iterator[Recorder]:
    """Record to a file, with `secrets` or without, or nowhere; `port` is the broker's.

    Raises CaptureError.
    """
    if path is None:
        yield Recorder()
        return
    with PcapngWriter(path, port) as file:
        yield RawRecorder(file) if secrets else MaskingRecorder(file, release)
