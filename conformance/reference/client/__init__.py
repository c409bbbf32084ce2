"""The reference client: keeps every rule that a client has to, and does no I/O.

Its actions are generators: they yield steps for the program that holds its connections, and are
sent what was received. It talks to a broker as Apache Kafka's clients do: ApiVersions first on
every connection, then Metadata, then its actual requests, each in the highest version that both
sides have. To misbehave, a client overrides one method.

A client consists of classes that each know one part, a module each; `Client` is all of them.
"""

from conformance.reference.client.batches import (
    COMPRESSION,
    CONTROL,
    MAGIC_AT,
    MESSAGE_HEAD,
    TIMESTAMP_BYTES,
    TRANSACTIONAL,
)
from conformance.reference.client.client import Client
from conformance.reference.client.cluster import RETRIABLE
from conformance.reference.client.steps import (
    Address,
    Asking,
    Course,
    Failed,
    Hold,
    Lost,
    Open,
    Step,
    Trying,
    Wait,
)
from conformance.reference.client.versions import BATCHES_SINCE

__all__ = [
    "BATCHES_SINCE",
    "COMPRESSION",
    "CONTROL",
    "MAGIC_AT",
    "MESSAGE_HEAD",
    "RETRIABLE",
    "TIMESTAMP_BYTES",
    "TRANSACTIONAL",
    "Address",
    "Asking",
    "Client",
    "Course",
    "Failed",
    "Hold",
    "Lost",
    "Open",
    "Step",
    "Trying",
    "Wait",
]
