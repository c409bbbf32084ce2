"""The connections of captured traffic: packets of files in, events of conversations out.

A connection is known by its two ends, whose hash decides which of several tasks takes it: each task
reads all packets and keeps its own connections, so that no capture has to fit into the memory of
one task.

Ends that meet again after a connection of theirs was closed begin another one, and files are one
traffic: a connection that continues in the next file of a rotation continues here.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conformance.captures.errors import CaptureError, Limits, Room
from conformance.captures.packets.files import ENDINGS, broker_port, packets
from conformance.captures.packets.network import ACK, ALL, SYN, Key, Passed, Segment, Share, segment
from conformance.captures.streams.boundaries import Requests
from conformance.captures.streams.conversation import Conversation
from conformance.captures.streams.events import Event, Skipped
from conformance.reference.codec import ReferenceCodec

DEFAULT_PORTS = frozenset({9092})
OTHER_PORTS = "packets of other ports"
SNAPPED = "packets of which the capture kept the begin alone"


@dataclass(slots=True)
class PassedOver:
    """Counts of all packets, and, by reason, of those skipped before they had a connection."""

    packets: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the captures among files and folders, those of a folder by their first packet's time.

    Raises CaptureError for a folder without any.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = [each for each in sorted(path.rglob("*")) if each.name.endswith(ENDINGS)]
        if not inside:
            raise CaptureError(f"{path}: no capture in this folder", f"{', '.join(ENDINGS[:3])}")
        found += sorted(inside, key=_begin_ns)
    return found


def ports_of(files: Iterable[Path]) -> frozenset[int]:
    """Return the brokers' ports if none was given: those that the captures name, else 9092."""
    return frozenset(filter(None, map(broker_port, files))) or DEFAULT_PORTS


def segments(paths: Iterable[Path], told: PassedOver, share: Share = ALL) -> Iterator[Segment]:
    """Yield the TCP segments of captures that belong to a task's connections.

    `told` counts the packets and the reasons for skipped ones, equally in each task. Raises
    CaptureError.
    """
    for path in paths:
        for packet in packets(path, lambda why: told.reasons.update([f"the rest of {why}"])):
            told.packets += 1
            try:
                found = segment(packet, share)
            except Passed as passed:
                told.reasons[f"packets: {passed}"] += 1
                continue
            if found is not None:
                yield found


class Traffic:
    """All conversations that are open at one time. `ports` are those of brokers; None tries all."""

    def __init__(
        self,
        codec: ReferenceCodec,
        ports: frozenset[int] | None = DEFAULT_PORTS,
        limits: Limits | None = None,
    ) -> None:
        self.told = PassedOver()
        self.other_ports = 0
        self.snapped = 0
        self._codec = codec
        self._ports = ports
        self._limits = limits or Limits()
        self._room = Room(self._limits.all_bytes)
        self._finder = Requests(codec)
        self._open: OrderedDict[Key, Conversation] = OrderedDict()
        self._times: dict[Key, int] = {}
        self._ended: OrderedDict[Key, int] = OrderedDict()

    def feed(self, found: Segment) -> Iterator[tuple[Conversation, Event]]:
        """Take a segment, and yield the events that it completes."""
        key = found.key
        if self._ports is not None and not {key[0].port, key[1].port} & self._ports:
            self.other_ports += bool(found.payload)
            return
        self.snapped += bool(found.lost)
        conversation = self._open.get(key)
        if conversation is not None and found.flags & SYN and not conversation.is_begun_by(found):
            yield from self._end(key, conversation)
            conversation = None
        if conversation is None:
            is_late = key in self._ended and not found.flags & SYN
            if is_late or not (found.payload or found.flags & SYN):
                return
            conversation = self._begin(key, found)
            yield from self._make_room()
        self._open.move_to_end(key)
        yield from ((conversation, event) for event in conversation.feed(found))
        if conversation.closed:
            yield from self._end(key, conversation)

    def finish(self) -> Iterator[tuple[Conversation, Event]]:
        """Yield the remaining events of all conversations."""
        for conversation in self._open.values():
            yield from ((conversation, event) for event in conversation.finish())
        self._open.clear()

    def _begin(self, key: Key, found: Segment) -> Conversation:
        client, server = self._roles(found)
        times = self._times[key] = self._ended.pop(key, 0) + 1
        name = f"{client}-{server}" if times == 1 else f"{client}-{server}~{times}"
        conversation = Conversation(
            client,
            server,
            self._codec,
            self._limits,
            self._room,
            name=name,
            whole=bool(found.flags & SYN),
            proven=self._ports is not None,
        )
        self._open[key] = conversation
        return conversation

    def _roles(self, found: Segment) -> Key:
        """Return client and broker: by which opens the connection, else by ports, else by bytes."""
        there, back = (found.source, found.target), (found.target, found.source)
        if found.flags & SYN:
            return back if found.flags & ACK else there
        if self._ports is not None:
            return there if found.target.port in self._ports else back
        if self._finder.begins(found.payload):
            return there
        return there if found.target.port < found.source.port else back

    def _end(self, key: Key, conversation: Conversation) -> Iterator[tuple[Conversation, Event]]:
        """End a connection; remember the ends of the latest ones."""
        yield from ((conversation, event) for event in conversation.finish())
        del self._open[key]
        self._ended[key] = self._times.pop(key)
        if len(self._ended) > self._limits.connections:
            self._ended.popitem(last=False)

    def _make_room(self) -> Iterator[tuple[Conversation, Event]]:
        """End the connection that was quiet for longest, if there are too many."""
        if len(self._open) > self._limits.connections:
            key, oldest = next(iter(self._open.items()))
            why = "connections that were quiet while too many others were there"
            yield oldest, Skipped(oldest.name, why)
            yield from self._end(key, oldest)
            del self._ended[key]  # it may continue: it is then entered in the middle


def _begin_ns(path: Path) -> tuple[int, str]:
    first = next(packets(path), None)
    return (first.at_ns if first else 0), path.name
