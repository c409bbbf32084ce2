"""Frames that are torn, lost, mixed up or made up, and connections that outlive their peers."""

from __future__ import annotations

import struct

from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of

_NUMBER = slice(4, 8)


class CorrelationIdsAbsolute(ProxyMutant, breaks="proxy-frames.correlation-ids-come-back"):
    """Drops the sign of correlation ids on their way back."""

    class Links(Link):
        def send(self, frame: bytes) -> None:
            (number,) = struct.unpack_from(">i", frame)
            super().send(struct.pack(">I", abs(number))[:4] + frame[4:])


class CorrelationIdsCounted(ProxyMutant, breaks="proxy-frames.correlation-ids-come-back"):
    """Gives requests numbers of its own, and leaves them in the answers."""

    class Links(Link):
        number = 1000

        def forwarded(self, frame: bytes) -> bytes:
            self.number += 1
            return frame[:4] + struct.pack(">i", self.number) + frame[8:]


class OneRequestForAnId(ProxyMutant, breaks="proxy-frames.correlation-ids-come-back"):
    """Takes a second request of the same correlation id for the first one again, and drops it."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            if frame[_NUMBER] not in self.under_way:
                self.under_way.add(frame[_NUMBER])
                super().request(frame)

        def answer(self, frame: bytes) -> None:
            self.under_way.discard(frame[:4])
            super().answer(frame)

        @property
        def under_way(self) -> set[bytes]:
            found: set[bytes] = self.__dict__.setdefault("_under_way", set())
            return found


class ReadsAreFrames(ProxyMutant, breaks="proxy-frames.split-anywhere"):
    """Takes what one read brings for whole frames, and drops the begin of the next."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            super().client_sent(data)
            self._requests.clear()


class AnswersInOneRead(ProxyMutant, breaks="proxy-frames.split-anywhere"):
    """Drops the begin of an answer whose end comes in another read."""

    implies = ("proxy-frames.unread-answers-wait",)

    class Links(Link):
        def upstream_sent(self, data: bytes) -> None:
            super().upstream_sent(data)
            self._answers.clear()


class SizeInOneRead(ProxyMutant, breaks="proxy-frames.split-anywhere"):
    """Ends the connection where a size comes in two pieces."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            super().client_sent(data)
            if 0 < len(self._requests) < 4:
                self.close()


class OneRequestARead(ProxyMutant, breaks="proxy-frames.in-order"):
    """Forwards the first of the requests that come together, and forgets the others."""

    implies = (
        "proxy-frames.correlation-ids-come-back",
        "proxy-frames.split-anywhere",
        "proxy-frames.unread-answers-wait",
    )

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            self._requests += data
            frame = self.cut(self._requests)
            if frame is not None:
                self.request(frame)
                self._requests.clear()


class LatestRequestFirst(ProxyMutant, breaks="proxy-frames.in-order"):
    """Forwards requests that arrived together in reverse order."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            self._requests += data
            frames = []
            while not self.closed and (frame := self.cut(self._requests)) is not None:
                frames.append(frame)
            for frame in reversed(frames):
                self.request(frame)


class ShortAnswersOvertake(ProxyMutant, breaks="proxy-frames.in-order"):
    """Writes the shorter of the answers that are there before the longer ones."""

    class Links(Link):
        def upstream_sent(self, data: bytes) -> None:
            before = bytes(self.to_client)
            self.to_client.clear()
            super().upstream_sent(data)
            frames: list[bytes] = []
            rest = bytes(self.to_client)
            while rest:
                size = 4 + int.from_bytes(rest[:4], "big")
                frames.append(rest[:size])
                rest = rest[size:]
            frames.sort(key=len)
            self.to_client[:] = before + b"".join(frames)


class EveryProduceIsAnswered(ProxyMutant, breaks="proxy-frames.unanswered-stalls-nothing"):
    """Waits for the answer to a Produce with acks 0."""

    implies = (
        "proxy-frames.in-order",
        "proxy-frames.unread-answers-wait",
    )

    class Links(Link):
        def has_answer(self, api_key: int, version: int, frame: bytes) -> bool:
            return True

        def send(self, frame: bytes) -> None:
            if len(self._pending) < 2:
                super().send(frame)


class FramesOfAMegabyte(ProxyMutant, breaks="proxy-frames.large-frames-pass"):
    """Ends the connection on a request of more than 1,000,000 bytes."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            self.close() if len(frame) > 1_000_000 else super().request(frame)


class AnswersOf16Megabytes(ProxyMutant, breaks="proxy-frames.large-frames-pass"):
    """Drops an answer of more than 16 MB."""

    class Links(Link):
        def send(self, frame: bytes) -> None:
            if len(frame) < 2**24:
                super().send(frame)


class HalfCloseIsTheEnd(ProxyMutant, breaks="proxy-frames.answered-after-half-close"):
    """Ends both connections when the client closes its half."""

    class Links(Link):
        def end_client(self) -> None:
            self.close()


class ClientsEndIgnored(ProxyMutant, breaks="proxy-frames.client-gone-ends-upstream"):
    """Keeps the connection to the broker when the client ends its own."""

    class Links(Link):
        def end_client(self) -> None:
            self.client_ended = False


class BrokersEndIgnored(ProxyMutant, breaks="proxy-frames.broker-gone-ends-client"):
    """Keeps the client's connection when the broker ends its own."""

    class Links(Link):
        def end_upstream(self) -> None:
            pass


class BrokersEndIsAwaited(ProxyMutant, breaks="proxy-frames.broker-gone-ends-client"):
    """Keeps the client's connection while an answer is due, though the broker has gone."""

    class Links(Link):
        def end_upstream(self) -> None:
            if not self._pending:
                self.close()


class BrokerLostForGood(ProxyMutant, breaks="proxy-frames.broker-connected-again"):
    """Serves no client any more once the broker has ended a connection."""

    is_lost = False

    class Links(Link):
        def end_upstream(self) -> None:
            assert isinstance(self.proxy, BrokerLostForGood)
            self.proxy.is_lost = True
            super().end_upstream()

    def restart(self) -> None:
        self.is_lost = False

    def link(self) -> Link:
        found = super().link()
        found.closed = self.is_lost
        return found


class CutAnswerFilledUp(ProxyMutant, breaks="proxy-frames.cut-frame-not-completed"):
    """Fills an answer up with zeros that the broker did not finish."""

    class Links(Link):
        def end_upstream(self) -> None:
            if len(self._answers) > 4:
                size = int.from_bytes(self._answers[:4], "big")
                self.send(bytes(self._answers[4:]).ljust(size, b"\0"))
            super().end_upstream()


class CutRequestFilledUp(ProxyMutant, breaks="proxy-frames.cut-frame-not-completed"):
    """Forwards a request that the client did not finish, with zeros for the rest."""

    class Links(Link):
        def end_client(self) -> None:
            if len(self._requests) > 4:
                size = int.from_bytes(self._requests[:4], "big")
                self.request(bytes(self._requests[4:]).ljust(size, b"\0"))
            self.finished = True


class CutAnswerWithItsSize(ProxyMutant, breaks="proxy-frames.cut-frame-not-completed"):
    """Writes what came of an answer as a frame of that size, when the broker ends."""

    class Links(Link):
        def end_upstream(self) -> None:
            if len(self._answers) > 4:
                self.send(bytes(self._answers[4:]))
            super().end_upstream()


class UnreadAnswersPileUp(ProxyMutant, breaks="proxy-frames.unread-answers-wait"):
    """Reads on from the broker, however much waits for the client."""

    class Links(Link):
        def is_full(self) -> bool:
            return False


class SharedMutant(ProxyMutant):
    """Knows all its connections."""

    @property
    def opened(self) -> list[Link]:
        """All connections, in the order in which they were made."""
        found: list[Link] = self.__dict__.setdefault("_opened", [])
        return found

    def link(self) -> Link:
        found = super().link()
        self.opened.append(found)
        return found

    def others(self, one: Link) -> list[Link]:
        """Return the open connections except one."""
        return [each for each in self.opened if each is not one and not each.closed]


class StalledRequestStopsAll(SharedMutant, breaks="proxy-frames.stalled-peers-delay-nobody"):
    """Reads nobody's requests while one client has not finished its own."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            assert isinstance(self.proxy, SharedMutant)
            if any(each._requests for each in self.proxy.others(self)):
                self._requests += data
            else:
                super().client_sent(data)


class OneUnderWayAtATime(SharedMutant, breaks="proxy-frames.stalled-peers-delay-nobody"):
    """Forwards nothing while any request has no answer yet."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            assert isinstance(self.proxy, SharedMutant)
            if not any(each._pending for each in self.proxy.others(self)):
                super().request(frame)


class UnacknowledgedSentLast(ProxyMutant, breaks="proxy-frames.in-order"):
    """Keeps each Produce with acks 0 until nothing else is to be forwarded."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            self._requests += data
            last = []
            while not self.closed and (frame := self.cut(self._requests)) is not None:
                key, version = api_of(frame)
                if self.has_answer(key, version, frame):
                    self.request(frame)
                else:
                    last.append(frame)
            for frame in last:
                self.request(frame)
