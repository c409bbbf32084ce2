"""What holds of a client's requests whatever is played: each is one, and one that was offered."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from conformance.dialogue import Broken, NotHere
from conformance.reference import ReferenceCodec
from conformance.scenarios.judging import keys_fit
from conformance.scenarios.request_headers import (
    client_id_not_compact,
    fields_of_v1,
    tags_where_flexible,
)
from conformance.scenarios.visit import Judgement, Sent, Visit
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.errors import DecodeError

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
NAMED_SINCE = 3
BATCHES_SINCE = 3


def readable(visit: Visit) -> None:
    """Every frame is a request of its key and version, header and body, to the last byte."""
    if not visit.sent and not visit.wrong:
        raise NotHere("it sent nothing")
    for wrong in visit.wrong:
        raise Broken(wrong, "a frame")
    for each in visit.sent:
        if each.wrong:
            what = f"{each.api or 'a request'} v{each.version}: {each.wrong}"
            raise Broken(what, "a request", each.frame)


def software_named(visit: Visit) -> None:
    """ApiVersions from version 3 on carries names as KIP-511 has them."""
    named = [each for each in visit.of("ApiVersions") if each.version >= NAMED_SINCE and each.value]
    if not named:
        raise NotHere("it sent no ApiVersions of version 3 or above")
    for each in named:
        for key in ("clientSoftwareName", "clientSoftwareVersion"):
            assert each.value is not None
            if not _SOFTWARE.fullmatch(each.value[key]):
                raise Broken(f"{key} is {each.value[key]!r}", _SOFTWARE.pattern, each.frame)


def correlated(visit: Visit) -> None:
    """No two requests of one connection have one correlation id."""
    seen: set[tuple[int, int, int]] = set()
    for each in visit.sent:
        if each.header is None:
            continue
        key = each.node, each.connection, each.header["correlationId"]
        if key in seen:
            what = f"correlation id {key[2]} is used twice on one connection"
            raise Broken(what, "another", each.frame)
        seen.add(key)
    if not seen:
        raise NotHere("it sent nothing that can be read")


def records_valid(visit: Visit) -> None:
    """What is written is one batch of magic 2 that says the truth about itself.

    Older versions of Produce carry older formats too, of which this says nothing.
    """
    shown = False
    for each in visit.of("Produce"):
        for data in _written(each) if each.version >= BATCHES_SINCE else ():
            shown = True
            wrong = _wrong_with(base64.b64decode(data))
            if wrong:
                raise Broken(f"Produce v{each.version} has {wrong}", "a record batch", each.frame)
    if not shown:
        raise NotHere("it wrote no records")


def _written(sent: Sent) -> list[str]:
    """The records of each partition of a Produce."""
    topics = sent.value["topicData"] if sent.value else []
    return [each["records"] or "" for topic in topics for each in topic["partitionData"]]


def _wrong_with(data: bytes) -> str:
    """Why bytes are no batch; empty where they are one."""
    codec = ReferenceCodec()
    try:
        batch, end = codec.read(codec.form(RECORD_BATCH, MAGIC), data)
    except DecodeError as error:
        return f"records that are none: {error}"
    if end < len(data):
        return f"{len(data) - end} bytes behind its batch of records"
    deltas = [each["offsetDelta"] for each in batch["records"]]
    if deltas != list(range(len(deltas))) or batch["lastOffsetDelta"] != len(deltas) - 1:
        last = batch["lastOffsetDelta"]
        return f"records with the offset deltas {deltas[:8]} in a batch whose last is {last}"
    return ""


ALWAYS: Mapping[str, Judgement] = {
    "client-requests.readable": readable,
    "client-requests.software-named": software_named,
    "client-requests.correlation-ids-differ": correlated,
    "client-requests.records-valid": records_valid,
    "client-coordinators.keys-fit": keys_fit,
    "request-header.v1-fields": fields_of_v1,
    "request-header.flexible-adds-tags": tags_where_flexible,
    "request-header.client-id-not-compact": client_id_not_compact,
}
