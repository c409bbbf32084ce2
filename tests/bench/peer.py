"""Times one library on the workloads that come on stdin, one JSON line each; answers on stdout.

`python peer.py kio` or `python peer.py kafka-python`, with that library importable: each library is
timed in a process of its own, by its own main way, from bytes to its own objects and back.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

from timing import timed

Calls = tuple[Callable[[], Any], Callable[[], Any]]


def kio(message: str, api_key: int, version: int, data: bytes) -> Calls:
    """kio's reader (native where the release has one) and writer."""
    from kio.index import load_payload_module
    from kio.serial import entity_reader, entity_writer
    from kio.static.constants import EntityType

    kind = EntityType.request if message.endswith("Request") else EntityType.response
    entity = getattr(load_payload_module(api_key, version, kind), message)
    read, write = entity_reader(entity), entity_writer(entity)
    try:
        value, _ = read(data, 0)
        decode = lambda: read(data, 0)  # noqa: E731
    except (TypeError, AttributeError):  # releases before 0.6 read from a stream
        value = read(io.BytesIO(data))
        decode = lambda: read(io.BytesIO(data))  # noqa: E731
    return decode, lambda: write(io.BytesIO(), value)


def kafka_python(message: str, api_key: int, version: int, data: bytes) -> Calls:
    """The class of one version of kafka-python's messages."""
    import kafka.protocol.admin
    import kafka.protocol.consumer
    import kafka.protocol.metadata
    import kafka.protocol.producer  # noqa: F401
    from kafka.protocol.api_message import ApiMessage

    known: dict[str, Any] = {}
    pending = [ApiMessage]
    while pending:
        for found in pending.pop().__subclasses__():
            known.setdefault(found.__name__, found)
            pending.append(found)
    kind = known[message][version]
    value = kind.decode(data)
    return lambda: kind.decode(data), value.encode


LIBRARIES = {"kio": kio, "kafka-python": kafka_python}


def main() -> None:
    """Answer each workload with the seconds of a decode and of an encode."""
    library = LIBRARIES[sys.argv[1]]
    for line in sys.stdin:
        ask = json.loads(line)
        decode, encode = library(
            ask["message"], ask["apiKey"], ask["version"], bytes.fromhex(ask["bytes"])
        )
        print(json.dumps({"decode": timed(decode), "encode": timed(encode)}), flush=True)


if __name__ == "__main__":
    main()
