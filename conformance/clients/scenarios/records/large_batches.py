"""Batches of very many records, of which the heads alone are looked at."""

from __future__ import annotations

import base64
import struct
from collections import Counter
from typing import ClassVar, NamedTuple

from conformance import error_codes
from conformance.clients.scenarios.plain_brokers import ServesMany
from conformance.clients.scenarios.playing import RefusesOnce
from conformance.clients.scenarios.visit import Visit, require
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.produce import BATCHES_SINCE

_HEAD = struct.Struct(">23xi16xqhi")
"""lastOffsetDelta, producerId, producerEpoch and baseSequence of a batch."""


class Head(NamedTuple):
    """Fields of a batch's header."""

    last_delta: int
    producer_id: int
    epoch: int
    sequence: int


def head_of(data: Value) -> Head:
    """The head of the batch that is written to a partition. Raises Refused."""
    raw = base64.b64decode(data["records"] or "")
    if len(raw) < _HEAD.size:
        raise Refused(error_codes.CORRUPT_MESSAGE)
    return Head(*_HEAD.unpack_from(raw))


def comes_again_as_it_was(visit: Visit) -> None:
    """The first batch is sent again, and under a sequence number as many records each time."""
    numbers: dict[tuple[int, int, int], Head] = {}
    times: Counter[Head] = Counter()
    for each in visit.of("Produce"):
        if each.value is None or each.version < BATCHES_SINCE:
            continue
        for data in (one for topic in each.value["topicData"] for one in topic["partitionData"]):
            head = head_of(data)
            if head.producer_id < 0:
                continue
            times[head] += 1
            first = numbers.setdefault(head[1:], head)
            if first != head:
                what = f"another batch was sent under the sequence number {head.sequence}"
                raise Broken(what, f"{first.last_delta + 1} records, as before", each.frame[:256])
    require(numbers, "it wrote nothing as an idempotent producer")
    refused = next(iter(times))
    if times[refused] == 1:
        what = f"the batch of {refused.last_delta + 1} records that was refused was not sent again"
        raise Broken(what, "the same batch", str(refused))


class RefusesManyOnce(RefusesOnce, ServesMany, about="ProduceRequest"):
    """Refuses the first batch of very many records, and takes it the second time."""

    control_case = ServesMany
    decides: ClassVar = {"client-produce.large-batch-sent-again": comes_again_as_it_was}
    refusal = error_codes.NOT_ENOUGH_REPLICAS
