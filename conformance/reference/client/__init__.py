"""The reference client: keeps every rule that a client has to, and does no I/O.

What it does is a generator: it yields steps for whoever holds its connections, and is sent what
was heard. It meets a broker as Apache Kafka's clients do: ApiVersions first on every connection,
then Metadata, then what it was asked for, each in the highest version that both sides have. To
misbehave, a client overrides one method.

A client is made of classes that know a part of that each, a module each; `Client` is all of them.
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
