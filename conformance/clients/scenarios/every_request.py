"""Judgements on each request in any scenario: well-formed, and of an offered version."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from conformance.clients.scenarios.groups.group_protocol import told_members
from conformance.clients.scenarios.judging import keys_fit
from conformance.clients.scenarios.requests.enumerations import numbers_right
from conformance.clients.scenarios.requests.headers import (
    client_id_not_compact,
    fields_of_v1,
    is_explained,
    tags_where_flexible,
)
from conformance.clients.scenarios.visit import Judgement, Sent, Visit, require
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.records.converting import MAGIC_AT, is_cut, parts
from conformance.reference.codec import ReferenceCodec
from conformance.results.text import json_text
from conformance.schema.record_batch import MAGIC, RECORD_BATCH, RECORD_SET
from conformance.wire.errors import DecodeError

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_INT32 = struct.Struct(">i")
NAMED_SINCE = 3
BATCHES_SINCE = 3
LENGTH_AT = 8
"""The offset of a batch's length field, which counts the bytes after it."""


def readable(visit: Visit) -> None:
    """Judge that every frame is a request of its key and version, to the last byte.

    A frame with another header and no other flaw is left to the rules on headers.
    """
    if not visit.sent and not visit.wrong:
        raise NotApplicable("it sent nothing")
    for wrong in visit.wrong:
        raise Broken(wrong, "a frame")
    for each in visit.sent:
        if each.wrong and not is_explained(each):
            what = f"{each.api or 'a request'} v{each.version}: {each.wrong}"
            raise Broken(what, "a request", each.frame)


def understood(visit: Visit) -> None:
    """Judge that every request could be read, if not to its last byte, and so be answered."""
    readable(replace(visit, sent=[each for each in visit.sent if each.value is None]))


def served(visit: Visit) -> None:
    """Judge that no request has a version that is not served; ApiVersions may have any."""
    for each in visit.sent:
        if not each.is_served and each.api != "ApiVersions":
            what = f"{each.api} v{each.version} was sent, which is not served"
            raise Broken(what, "a version that is", each.frame)


def listed(visit: Visit) -> None:
    """Judge the versions of requests on connections on which the client asked for them first."""
    informed = [each for each in visit.sent if each.api and visit.is_informed(each)]
    require(informed, "it sent nothing on a connection on which it asked what is served")
    served(replace(visit, sent=informed))


def software_named(visit: Visit) -> None:
    """Judge that ApiVersions from version 3 on has names in the form of KIP-511."""
    named = [each for each in visit.of("ApiVersions") if each.version >= NAMED_SINCE and each.value]
    require(named, "it sent no ApiVersions of version 3 or above")
    for each in named:
        for key in ("clientSoftwareName", "clientSoftwareVersion"):
            assert each.value is not None
            if not _SOFTWARE.fullmatch(each.value[key]):
                raise Broken(
                    f"{key} is {json_text(each.value[key])}", _SOFTWARE.pattern, each.frame
                )


def correlated(visit: Visit) -> None:
    """Judge that no two requests of one connection have one correlation id."""
    seen: set[tuple[int, int, int]] = set()
    for each in visit.sent:
        if each.header is None:
            continue
        key = each.node, each.connection, each.header["correlationId"]
        if key in seen:
            what = f"correlation id {key[2]} is used twice on one connection"
            raise Broken(what, "a correlation id that is not in use", each.frame)
        seen.add(key)
    require(seen, "it sent nothing that can be read")


def records_valid(visit: Visit) -> None:
    """Judge that written records begin with a batch of magic 2 whose header is true.

    Older versions of Produce carry messages of older formats in its place.
    """
    for each, data in _written(visit):
        is_old = each.version < BATCHES_SINCE
        if wrong := _wrong_with_messages(data) if is_old else _wrong_with(data):
            wanted = "a set of messages" if is_old else "a record batch"
            raise Broken(f"Produce v{each.version} has {wrong}", wanted, each.frame)


def one_batch(visit: Visit) -> None:
    """Judge that one batch is written to a partition, and nothing after it."""
    for each, data in _written(visit, BATCHES_SINCE):
        left = len(data) - _end_of_batch(data)
        if left > 0:
            what = f"Produce v{each.version} has {left} bytes behind its batch of records"
            raise Broken(what, "one record batch", each.frame)


def _written(visit: Visit, since: int = 0) -> list[tuple[Sent, bytes]]:
    """Return the records of each partition of each Produce, from a version on.

    Raises NotApplicable without any.
    """
    written = [
        (each, base64.b64decode(partition["records"] or ""))
        for each in visit.of("Produce")
        if each.version >= since and each.value
        for topic in each.value["topicData"]
        for partition in topic["partitionData"]
    ]
    if not written:
        raise NotApplicable("it wrote no records")
    return written


def _end_of_batch(data: bytes) -> int:
    """Return the end of the first batch, by its own length."""
    if len(data) < LENGTH_AT + _INT32.size:
        return len(data)
    return LENGTH_AT + _INT32.size + int(_INT32.unpack_from(data, LENGTH_AT)[0])


@lru_cache(maxsize=4096)  # a batch of 80,000 records is written in several visits
def _wrong_with(data: bytes) -> str:
    """Return why the first bytes are no batch; empty if they are one."""
    codec = ReferenceCodec()
    try:
        batch, _ = codec.read(codec.form(RECORD_BATCH, MAGIC), data)
    except DecodeError as error:
        return f"records that are none: {error}"
    deltas = [each["offsetDelta"] for each in batch["records"]]
    if deltas != list(range(len(deltas))) or batch["lastOffsetDelta"] != len(deltas) - 1:
        last = batch["lastOffsetDelta"]
        return f"records with the offset deltas {deltas[:8]} in a batch whose last is {last}"
    return ""


@lru_cache(maxsize=4096)
def _wrong_with_messages(data: bytes) -> str:
    """Return why bytes are no whole messages of magic 0 or 1; empty if they are."""
    codec = ReferenceCodec()
    if any(len(each) <= MAGIC_AT or is_cut(each) for each in parts(data)):
        return "a message that is cut off"
    if any(each[MAGIC_AT] >= MAGIC for each in parts(data)):
        return "a record batch in place of messages"
    try:
        messages, _ = codec.read(codec.form(RECORD_SET, MAGIC - 1), data)
    except DecodeError as error:
        return f"messages that are none: {error}"
    return "" if messages["records"] else "no messages"


def is_no_replica(visit: Visit) -> None:
    """Judge that requests with a field for a replica's id have no broker's id in it."""
    asked = [each for each in visit.sent if "replicaId" in (each.value or {})]
    require(asked, "it sent nothing that has the id of a replica")
    for each in asked:
        told = (each.value or {})["replicaId"]
        if told >= 0:
            raise Broken(f"{each.api} v{each.version} is of replica {told}", "-1", each.frame)


def kept_as_ever(visit: Visit) -> None:
    """Judge that OffsetCommit leaves the retention time of an offset to the broker."""
    asked = [each for each in visit.of("OffsetCommit") if "retentionTimeMs" in (each.value or {})]
    require(asked, "it sent no OffsetCommit that says how long an offset is kept")
    for each in asked:
        told = (each.value or {})["retentionTimeMs"]
        if told != -1:
            what = f"OffsetCommit v{each.version} has the retentionTimeMs {told}"
            raise Broken(what, "-1, as the broker likes", each.frame)


ALWAYS: Mapping[str, Judgement] = {
    "client-requests.readable": readable,
    "client-requests.numbers-as-meant": numbers_right,
    "client-requests.software-named": software_named,
    "client-requests.correlation-ids-differ": correlated,
    "client-versions.within-both-ranges": listed,
    "client-requests.records-valid": records_valid,
    "client-requests.one-batch": one_batch,
    "client-coordinators.keys-fit": keys_fit,
    "client-groups.protocol-readable": told_members,
    "client-requests.no-replica": is_no_replica,
    "client-groups.offsets-kept-as-ever": kept_as_ever,
    "request-header.v1-fields": fields_of_v1,
    "request-header.flexible-adds-tags": tags_where_flexible,
    "request-header.client-id-not-compact": client_id_not_compact,
}
FIRST_OF_ALL: Mapping[str, Judgement] = {
    "request-header.v1-fields": fields_of_v1,
    "request-header.flexible-adds-tags": tags_where_flexible,
    "request-header.client-id-not-compact": client_id_not_compact,
    "client-requests.readable": understood,
    "client-requests.numbers-as-meant": numbers_right,
    "client-coordinators.keys-fit": keys_fit,
    "client-versions.within-both-ranges": served,
    "client-requests.software-named": software_named,
    "client-requests.records-valid": records_valid,
}
"""The rules whose breach makes a request unreadable to any broker, so that later requests prove
nothing; in this order.
"""
ABOUT_VERSIONS = frozenset(
    f"client-versions.{what}"
    for what in (
        "within-both-ranges",
        "kafka-4-spoken",
        "list-of-this-broker",
        "nothing-in-common-is-not-sent",
        "unlisted-is-not-asked",
    )
)
"""The rules that say which version not to ask: where one of them is decided, it is charged."""
