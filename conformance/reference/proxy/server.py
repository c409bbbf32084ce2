"""TCP around the reference proxy: a listening address for each broker behind it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread

from conformance.reference.proxy.link import Link
from conformance.reference.proxy.proxy import Proxy

CHUNK_BYTES = 64 * 1024
Address = tuple[str, int]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Carrier:
    """Moves bytes between two connections and the link between them."""

    def __init__(self, link: Link, client: Streams, broker: Streams) -> None:
        self._link = link
        self._client, self._broker = client, broker

    async def carry(self) -> None:
        """Until either has ended, and what was there has been written."""
        sides = [
            asyncio.ensure_future(self._from_client()),
            asyncio.ensure_future(self._from_broker()),
        ]
        try:
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
            if not self._link.closed:  # the client has ended, and waits for its answers
                await asyncio.wait(sides)
        finally:
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)

    async def _from_client(self) -> None:
        while not self._link.closed:
            data = await self._client[0].read(CHUNK_BYTES)
            if not data:
                self._link.end_client()
                await self._write()
                return
            self._link.client_sent(data)
            await self._write()

    async def _from_broker(self) -> None:
        while not self._link.closed:
            data = await self._broker[0].read(CHUNK_BYTES)
            if data:
                self._link.upstream_sent(data)
            else:
                self._link.end_upstream()
            await self._write()

    async def _write(self) -> None:
        for waiting, (_, writer) in (
            (self._link.to_client, self._client),
            (self._link.to_upstream, self._broker),
        ):
            if waiting:
                writer.write(bytes(waiting))
                waiting.clear()
                await writer.drain()


async def _serve_one(
    proxy: Proxy,
    node: int,
    to: Address,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    broker: Streams | None = None
    try:
        broker = await asyncio.open_connection(*proxy.behind.get(node, to))
        await _Carrier(proxy.link(), (reader, writer), broker).carry()
    except (OSError, asyncio.CancelledError):  # a peer went away, or we stop
        pass
    finally:
        for line in (writer, *((broker[1],) if broker else ())):
            with suppress(OSError):
                line.close()


async def _serve(
    proxy: Proxy, lines: Mapping[int, socket.socket], to: Mapping[int, Address], stop: asyncio.Event
) -> None:
    servers = [
        await asyncio.start_server(partial(_serve_one, proxy, node, to[node]), sock=line)
        for node, line in lines.items()
    ]
    await stop.wait()
    for server in servers:
        server.close()
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await asyncio.sleep(0)  # what was closed is torn down in the loop's next turn


@contextmanager
def serving_proxy(proxy: Proxy, brokers: Mapping[int, Address]) -> Iterator[Address]:
    """Where clients find the proxy in front of broker 1; behind the `with` nothing is left."""
    lines = {node: socket.create_server(("127.0.0.1", 0), backlog=1024) for node in brokers}
    proxy.addresses = {node: line.getsockname()[:2] for node, line in lines.items()}
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = Thread(
        target=loop.run_until_complete, args=(_serve(proxy, lines, brokers, stop),), name="proxy"
    )
    thread.start()
    try:
        yield proxy.addresses[1]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
        for line in lines.values():
            line.close()
