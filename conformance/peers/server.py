"""TCP around the reference broker.

One loop serves all connections. Each reads a chunk, has it answered one answer at a time and waits
until its peer took most of that before it reads on, so a connection holds one unfinished request
and one chunk, however much the peer sends or leaves unread.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

from conformance.peers.broker import Broker

CHUNK_BYTES = 16 * 1024
BACKLOG = 4096
LINGER_S = 1.0
"""How long a connection that the broker ended is still read: a reset would take the last answers
away from a peer that has not read them yet."""
STOP_S = 10.0


class Server:
    """A broker on a listening socket. `failures` are our own mistakes, met while serving."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.failures: list[BaseException] = []
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, listening: socket.socket, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then leave nothing behind."""
        server = await asyncio.start_server(self.connected, sock=listening, limit=CHUNK_BYTES)
        try:
            await stop.wait()
        finally:
            server.close()
            for connection in list(self._connections):
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await server.wait_closed()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from its begin to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self.converse(reader, writer)
        except (OSError, asyncio.CancelledError):  # the peer went away, or we stop
            pass
        except Exception as error:
            self.failures.append(error)
        finally:
            self._connections.discard(task)
            writer.transport.abort()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read and answer until one side has enough."""
        session = self.broker.session()
        while not session.closed:
            data = await reader.read(CHUNK_BYTES)
            if not data:
                break
            for answer in session.answers(data):
                writer.write(answer)
                await writer.drain()
                await asyncio.sleep(0)  # others have their turn also where it need not wait
        await self.leave(reader, writer)

    async def leave(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say that no more will come, and wait a while for the peer to go."""
        writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while await reader.read(CHUNK_BYTES):
                    pass


@contextmanager
def serving(broker: Broker, host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """The port that the broker listens on; behind the `with`, no thread or socket is left.

    Port 0 is any that is free. A broker without an advertised port advertises this one. Raises
    OSError where it can't listen, and afterwards the first of our own mistakes met while serving.
    """
    listening = socket.create_server((host, port), backlog=BACKLOG)
    bound = int(listening.getsockname()[1])
    broker.port = broker.port or bound
    server = Server(broker)
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


def _run(loop: asyncio.AbstractEventLoop, main: object) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(main)  # type: ignore[arg-type]
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
