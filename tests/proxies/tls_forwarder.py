"""Forwards bytes from TLS to TLS: `tls_forwarder.py LISTEN UPSTREAM KEY AUTHORITY`.

KEY is a file with its key and certificate, AUTHORITY who signed that of the broker.
"""

import asyncio
import contextlib
import ssl
import sys


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def main(listen: str, upstream: str, key: str, authority: str) -> None:
    (here, port), (there, to) = (each.rsplit(":", 1) for each in (listen, upstream))
    before = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    before.load_cert_chain(key)
    behind = ssl.create_default_context(cafile=authority)
    behind.load_cert_chain(key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answers, requests = await asyncio.open_connection(there, int(to), ssl=behind)
        except OSError:
            writer.close()
            return
        await asyncio.gather(forward(reader, requests), forward(answers, writer))

    server = await asyncio.start_server(serve, here, int(port), ssl=before)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
