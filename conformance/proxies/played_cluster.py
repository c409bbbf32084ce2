"""The cluster behind a proxy: three brokers, and their plain answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import DESCRIBE_CLUSTER, FIND_COORDINATOR, PRODUCE
from conformance.brokers.dialogues.talk import framed
from conformance.error_codes import COORDINATOR_NOT_AVAILABLE
from conformance.proxies.sorting import is_known, known_ranges, played_codec
from conformance.reference.broker.broker import Broker
from conformance.reference.proxy.link import api_of
from conformance.schema.filling import filled
from conformance.schema.releases import request_name
from conformance.wire.errors import WireError

BROKERS = {node: (f"broker-{node}.upstream", 9092) for node in (1, 2, 3)}
"""The addresses of the brokers if no socket listens."""


def plain_answer(frame: bytes, brokers: Mapping[int, tuple[str, int]]) -> bytes | None:
    """Return an answer to a request without its length: it names all brokers, and no coordinator.

    It is empty for a Produce with acks 0, and None if a broker ends the connection.
    """
    key, version = api_of(frame)
    if not is_known(key, version):
        return None
    codec = played_codec()
    message = str(request_name(codec.release, key, version)).replace("Request", "Response")
    try:
        header, value, _ = codec.decode_request(frame)
    except WireError:
        return None
    if key == PRODUCE and value["acks"] == 0:
        return b""
    layout = codec.form(message, version).layout
    body = layout.default_value()
    if "brokers" in body:  # proxies learn from it
        name = "brokerId" if key == DESCRIBE_CLUSTER else "nodeId"
        body["brokers"] = [
            {name: node, "host": host, "port": port} for node, (host, port) in brokers.items()
        ]
    elif key == FIND_COORDINATOR and "nodeId" in body:
        body |= {"nodeId": -1, "port": -1, "errorCode": COORDINATOR_NOT_AVAILABLE}
    number = {"correlationId": header["correlationId"]}
    return framed(codec.encode_response(message, version, number, filled(layout, body)))


class UpstreamBroker(Broker):
    """A broker that lists all APIs of the newest release.

    It answers a proxy's own requests as the reference broker does; requests of dialogues are
    answered by the dialogues.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(known_ranges(), **settings)
