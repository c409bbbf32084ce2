"""What passed as a pcapng: each segment as it came, or without secrets, frame by frame.

Without secrets a packet is made of each frame that was cut out of its stream. Bytes that are in no
frame, and what is behind the begin of one that was not judged, are left out, as where a capture
keeps the begin of each packet, as soon as they are known to be in none: who reads the file misses
what was missed here.
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
"""What tokens without a header are overwritten with: zeros would be a request of api key 0."""


class Recorder:
    """Writes nothing.

    `keeps_numbers` says that who reads the file finds each frame under the number that it had here.
    """

    keeps_numbers = True

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """The same segments, which are written if they are to be."""
        yield from segments

    def watch(self, conversation: Conversation, event: Event) -> None:
        """What the segment that was given out last has completed."""

    def flush(self) -> None:
        """Have the file hold all that passed so far."""


class FileRecorder(Recorder):
    """Writes to a file."""

    def __init__(self, file: PcapngWriter) -> None:
        self.file = file

    def flush(self) -> None:
        """Have the file hold all that passed so far. Raises CaptureError."""
        self.file.flush()


class RawRecorder(FileRecorder):
    """Writes each segment as it came."""

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """The same segments, each written."""
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
        """The number of the next byte."""
        return (self.first + self.written) % _NUMBERS


class MaskingRecorder(FileRecorder):
    """Writes frames as they are cut, without their secrets, by the definitions of a release."""

    def __init__(self, file: PcapngWriter, release: str = "") -> None:
        super().__init__(file)
        self._masker = Masker(release)
        self._streams: dict[Key, _Stream] = {}
        self._of: dict[Key, Conversation] = {}
        self._with_tokens: set[Key] = set()
        self._at_ns = 0
        self._has_lost_way = False

    def recorded(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """The same segments; begins and ends of connections are written."""
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

        A conversation that is entered in the middle, since too many others were there, counts its
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
                    self.keeps_numbers = False  # which frame is found next may hang on what is zero

    def _masked(self, captured: Captured, with_tokens: bool) -> bytes:
        """A frame without secrets; what is of no API may be a token that came too early."""
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
        """Write the end of a direction, or of both, where the stream has it."""
        ends = segment.source, segment.target
        stream, back = self._streams[ends], self._streams[ends[::-1]]
        numbers = {"sequence": stream.next, "acknowledged": back.next}
        self.file.write(msgspec.structs.replace(segment, **numbers))
        stream.has_ended = True
        if segment.flags & RST or back.has_ended:
            self._forget(segment)

    def _forget(self, segment: Segment) -> None:
        """A connection is over."""
        self._with_tokens.discard(segment.key)
        self._of.pop(segment.key, None)
        for ends in (segment.key, segment.key[::-1]):
            self._streams.pop(ends, None)

    def _frame(self, ends: Key, side: Side, offset: int, frame: bytes, lost: int = 0) -> None:
        """Write a frame with its size, `lost` bytes at the end of which are left out."""
        ends = ends if side == "request" else ends[::-1]
        self._leave_out(ends, offset)
        data = (len(frame) + lost).to_bytes(4, "big") + frame
        for start in range(0, len(data), MOST_PAYLOAD):
            self._packet(ends, data[start : start + MOST_PAYLOAD], 0)
        self._leave_out(ends, self._streams[ends].written + lost)

    def _leave_out(self, ends: Key, offset: int) -> None:
        """Go on at an offset; what is not written before it is left out."""
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
    """What is shown of a frame that was not judged, and how much is left out behind that."""
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
    """Record to a file, with secrets if they are asked for, or nowhere; `port` is the broker's.

    Raises CaptureError.
    """
    if path is None:
        yield Recorder()
        return
    with PcapngWriter(path, port) as file:
        yield RawRecorder(file) if secrets else MaskingRecorder(file, release)
