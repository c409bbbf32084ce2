"""TCP around the reference broker, with TLS if it is given a context.

One loop serves all connections. Each reads a chunk, writes one answer at a time and waits until its
peer read most of that before it reads on, so a connection holds one unfinished request and one
chunk, however much the peer sends or leaves unread. TLS is done between buffers, because asyncio's
own can't end one half, and sends nothing to a peer that it refuses.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import TypeVar

from conformance.reference.broker.broker import Broker

CHUNK_BYTES = 16 * 1024
BACKLOG = 4096
MOST_AT_ONCE = 100
"""The number of connections that are accepted before open ones have their turn."""
LINGER_S = 1.0
"""Seconds that a connection which the broker ended is still read.

A reset would discard the last answers before the peer has read them.
"""
HANDSHAKE_S = 10.0
"""Seconds that a TLS handshake may take."""
FULL_S = 0.1
"""Seconds without accepting after one failed because no file handles were left."""
STOP_S = 10.0
PENDING_S = 0.01
"""Seconds until an answer that waits for other clients is tried again."""
NARROW_BYTES, SEGMENT_BYTES = 2048, 1024
_T = TypeVar("_T")


class Server:
    """A broker on a listening socket, in plaintext unless `tls` is a context.

    If it `is_narrow`, its connections buffer as few unread bytes as possible. `failures` are our
    own errors while serving.
    """

    def __init__(
        self, broker: Broker, tls: ssl.SSLContext | None = None, is_narrow: bool = False
    ) -> None:
        self.broker = broker
        self.tls = tls
        self.is_narrow = is_narrow
        self.failures: list[BaseException] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._stopped = False

    async def serve(self, listening: socket.socket, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then end all connections."""
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        loop.add_reader(listening, self.let_in, listening)
        try:
            await stop.wait()
        finally:
            self._stopped = True
            loop.remove_reader(listening)
            for connection in self._connections:
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await asyncio.sleep(0)  # aborted transports are closed in the loop's next turn

    def let_in(self, listening: socket.socket) -> None:
        """Accept all waiting peers, but only so many that open connections have their turn."""
        loop = asyncio.get_running_loop()
        for _ in range(MOST_AT_ONCE):
            try:
                peer, _ = listening.accept()
            except BlockingIOError:
                return
            except OSError:
                loop.remove_reader(listening)
                loop.call_later(FULL_S, self.let_in_again, listening)
                return
            self.begin(peer)

    def begin(self, peer: socket.socket) -> None:
        """Serve one peer in a task of its own."""
        connection = asyncio.get_running_loop().create_task(self.connected(peer))
        self._connections.add(connection)

        def ended(_: object) -> None:
            self._connections.discard(connection)
            peer.close()  # a task cancelled before it began did not close it

        connection.add_done_callback(ended)

    def let_in_again(self, listening: socket.socket) -> None:
        """Accept again after a pause because no file handles were left."""
        if not self._stopped:
            asyncio.get_running_loop().add_reader(listening, self.let_in, listening)

    async def connected(self, peer: socket.socket) -> None:
        """Serve one connection from its begin to its end."""
        reader, writer = await _streams(peer, NARROW_BYTES if self.is_narrow else CHUNK_BYTES)
        stream = Stream(reader, writer) if self.tls is None else Tls(reader, writer, self.tls)
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                agreed = await stream.begin()
            if agreed:
                await self.converse(stream)
            await self.leave(stream)
        except (OSError, asyncio.CancelledError):  # the peer went away, or we stop
            pass
        except Exception as error:
            self.failures.append(error)
        finally:
            writer.transport.abort()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def converse(self, stream: Stream) -> None:
        """Read and answer until one side ends the connection."""
        session = self.broker.session()
        while not session.closed:
            if session.pending is None:
                data = await stream.read()
                if not data:
                    for answer in session.at_end():
                        await stream.write(answer)
                    break
            else:
                await asyncio.sleep(PENDING_S)
                if stream.reader.at_eof():
                    break
                data = b""
            session.now_s = time.time()
            for answer in session.answers(data):
                if session.delay_s:
                    await asyncio.sleep(session.delay_s)
                    session.delay_s = 0.0
                await stream.write(answer)
                await asyncio.sleep(0)  # give others their turn even if it need not wait
            if session.rest_s:
                await asyncio.sleep(session.rest_s)
                session.rest_s = 0.0
        if session.torn:
            stream.tear()
            raise ConnectionResetError

    async def leave(self, stream: Stream) -> None:
        """Close our half of the connection, and wait a while for the peer to leave."""
        stream.finish()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while await stream.reader.read(CHUNK_BYTES):
                    pass


class Stream:
    """A plain connection that a session's bytes are read from and written to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def begin(self) -> bool:
        """Return True once both sides are ready to speak."""
        return True

    async def read(self) -> bytes:
        """Return some bytes, once there are any; none at the end."""
        return await self.reader.read(CHUNK_BYTES)

    async def write(self, data: bytes) -> None:
        """Write, and wait until the peer read most of it."""
        self.writer.write(data)
        await self.writer.drain()

    def finish(self) -> None:
        """Close our half of the connection."""
        self.writer.write_eof()

    def tear(self) -> None:
        """Reset the connection."""
        line = self.writer.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class Tls(Stream):
    """A connection through TLS."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        context: ssl.SSLContext,
    ) -> None:
        super().__init__(reader, writer)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    async def begin(self) -> bool:
        """Return True if the handshake succeeds."""
        try:
            await self._done(self._tls.do_handshake)
        except ssl.SSLError:
            return False
        return True

    async def read(self) -> bytes:
        """Return some bytes, once there are any; none at the end, even without close_notify."""
        try:
            return await self._done(partial(self._tls.read, CHUNK_BYTES))
        except ssl.SSLError:
            return b""

    async def write(self, data: bytes) -> None:
        """Write, and wait until the peer read most of it."""
        await self._done(partial(self._tls.write, data))
        await self.writer.drain()

    def finish(self) -> None:
        """Send close_notify, and close our half of the connection."""
        with suppress(ssl.SSLError):  # no close_notify of the peer yet, or no handshake
            self._tls.unwrap()
        self.writer.write(self._outgoing.read())
        super().finish()

    async def _done(self, step: Callable[[], _T]) -> _T:
        """Return the outcome of a step once the peer sent what it needs; alerts are always sent."""
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self._flush()
                data = await self.reader.read(CHUNK_BYTES)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            finally:
                self._flush()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data:
            self.writer.write(data)


async def _streams(
    peer: socket.socket, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return both ends of an accepted connection; up to twice `limit` bytes are read ahead."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(lambda: protocol, peer)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


@contextmanager
def serving(
    broker: Broker,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    is_narrow: bool = False,
) -> Iterator[int]:
    """Yield the port that the broker listens on; afterwards, no thread or socket is left.

    With `tls`, a context of a server, it speaks TLS only. If it `is_narrow`, its connections buffer
    as few unread bytes as possible. Port 0 is any free one. A broker without an advertised port
    advertises this one. Raises OSError if it can't listen, and afterwards the first of our own
    errors while serving.
    """
    listening = socket.create_server((host, port), backlog=BACKLOG)
    if is_narrow:
        _narrow(listening)
    bound = int(listening.getsockname()[1])
    broker.port = broker.port or bound
    server = Server(broker, tls, is_narrow)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = Thread(target=_run, args=(loop, server.serve(listening, stop)), name="broker")
    thread.start()
    try:
        yield bound
    finally:
        with suppress(RuntimeError):  # the loop ended by itself
            loop.call_soon_threadsafe(stop.set)
        thread.join(STOP_S)
        listening.close()
    if server.failures:
        raise server.failures[0]


def _narrow(listening: socket.socket) -> None:
    """Make connections begin with short segments and a small window.

    So a peer's send buffer stays small as well.
    """
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW_BYTES)
    with suppress(OSError, AttributeError):  # not every system has this option
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)


def _run(loop: asyncio.AbstractEventLoop, main: object) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(main)  # type: ignore[arg-type]
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
