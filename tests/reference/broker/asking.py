"""A client of the reference broker: values in, values out, through a session or a socket."""

import socket
import struct

from conformance.reference.broker.broker import Broker
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import ZERO_UUID
from conformance.schema.releases import definitions

CODEC = ReferenceCodec()
KEYS = {name: key for key, name in definitions().requests.items()}


def frame(name, version, value, correlation_id=7, client_id="test"):
    """A request with its length."""
    header = {"correlationId": correlation_id, "clientId": client_id}
    return sized(CODEC.encode_request(f"{name}Request", version, header, value))


def sized(data):
    return struct.pack(">i", len(data)) + data


def bare(api_key, version, rest=b"", correlation_id=7):
    """A request's header with a null client id and whatever follows it, with its length."""
    return sized(struct.pack(">hhih", api_key, version, correlation_id, -1) + rest)


def read(name, version, data):
    """What an answer says, which has to be exactly one."""
    (size,) = struct.unpack_from(">i", data)
    assert size == len(data) - 4
    header, value, left, spoken = CODEC.decode_response(f"{name}Response", version, data[4:])
    assert left == 0
    assert spoken == version
    return header["correlationId"], value


def ask(session, name, version, value, client_id="test"):
    """One request and its answer; None where the broker hung up instead."""
    if isinstance(session, Broker):
        session = session.session()
    answers = session.receive(frame(name, version, value, client_id=client_id))
    if not answers:
        assert session.closed
        return None
    (answer,) = answers
    correlation_id, found = read(name, version, answer)
    assert correlation_id == 7
    return found


def connect(port):
    return socket.create_connection(("127.0.0.1", port), 10)


def receive(connection):
    """A whole answer with its length, empty where the connection ended before one."""
    data = _exactly(connection, 4)
    if len(data) < 4:
        return b""
    return data + _exactly(connection, *struct.unpack(">i", data))


def _exactly(connection, size):
    data = b""
    while len(data) < size and (chunk := connection.recv(size - len(data))):
        data += chunk
    return data


def metadata(topics, version=9, auto=False, **more):
    if topics is not None:
        topics = [{"name": each} if isinstance(each, str) else each for each in topics]
    if version >= 10 and topics is not None:
        topics = [{"topicId": ZERO_UUID, "name": None, **each} for each in topics]
    value = {"topics": topics}
    if version >= 4:
        value["allowAutoTopicCreation"] = auto
    if version >= 8:
        value["includeTopicAuthorizedOperations"] = False
    if 8 <= version <= 10:
        value["includeClusterAuthorizedOperations"] = False
    return value | more


def topic(name, partitions=-1, factor=-1, assignments=None, configs=None):
    return {
        "name": name,
        "numPartitions": partitions,
        "replicationFactor": factor,
        "assignments": [
            {"partitionIndex": index, "brokerIds": ids} for index, ids in assignments or []
        ],
        "configs": [{"name": key, "value": value} for key, value in (configs or {}).items()],
    }


def create(broker, *topics, version=7, validate=False, timeout_ms=1000):
    """The result of each topic, by name."""
    value = {"topics": list(topics), "timeoutMs": timeout_ms}
    if version >= 1:
        value["validateOnly"] = validate
    results = ask(broker, "CreateTopics", version, value)["topics"]
    assert len({result["name"] for result in results}) == len(results)
    return {result["name"]: result for result in results}


def with_topics(*names, **settings):
    broker = Broker(**settings)
    for result in create(broker, *map(topic, names)).values():
        assert result["errorCode"] == 0
    return broker
