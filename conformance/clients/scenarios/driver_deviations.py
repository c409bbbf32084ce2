"""Deviations of a driver from docs/judge-a-client.md, by a visit where nothing is wrong.

A rule goes by what an application asked of its client, and the driver is that application: if it
writes another value, or joins another group, the result is the driver's fault. So the plain visits
are compared with the page before a client is charged with anything.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

from conformance.clients.scenarios.actions import FILLED, OTHER, Action
from conformance.clients.scenarios.records.writing import written_batches
from conformance.clients.scenarios.visit import Visit
from conformance.dialogue import NotApplicable
from conformance.results.text import json_text
from conformance.wire.records.compression import CODECS

Deviation = Callable[[Visit], str | None]
"""A function that returns a deviation from the page, as a clause to follow the action; "" if the
requests show what the page demands, None if they show neither.
"""
ONE = ("v",)
ALL = -1
"""The acks of a record that all replicas acknowledge."""
BITS = 0x07
"""The bits of a batch's attributes that name its compression."""
EIGHT = tuple(f"v{number}" for number in range(8))
LAST_OF_TWO = "w"


def _values(visit: Visit) -> list[str]:
    """Return the values that were written, each once, in their order."""
    raw = (one["value"] for _, batch in written_batches(visit) for one in batch["records"])
    texts = (base64.b64decode(each or "").decode("utf-8", "replace") for each in raw)
    return list(dict.fromkeys(texts))


def _writes(*values: str) -> Deviation:
    def judge(visit: Visit) -> str | None:
        try:
            found = _values(visit)
        except NotApplicable:  # no batch that can be read is the client's doing
            return None
        if found == list(values):
            return ""
        return f"writes {', '.join(map(repr, found))}, and not {_said(values)}" if found else None

    return judge


def _said(values: tuple[str, ...]) -> str:
    return ", ".join(map(repr, values))


def _names(api: str, *path: str, wanted: str | int) -> Deviation:
    """Return a check that this field of an API's requests has the wanted text and no other."""

    def judge(visit: Visit) -> str | None:
        is_seen = False
        for each in visit.of(api):
            found = set(_at(each.value, path))
            if found and found != {wanted}:
                said = ", ".join(json_text(one) for one in sorted(found, key=str))
                return f"has {said} as {path[-1]} of {api}, and not {json_text(wanted)}"
            is_seen |= bool(found)
        return "" if is_seen else None

    return judge


def _asks_for(api: str, *path: str, wanted: Set[object]) -> Deviation:
    """Return a check that a field of an API's requests has each wanted value; others are allowed.

    A missing value is no deviation: a client may ask in another way. The check returns None then.
    """

    def judge(visit: Visit) -> str | None:
        found = {value for each in visit.of(api) for value in _at(each.value, path)}
        return "" if wanted <= found else None

    return judge


def _at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from _at(each, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _at(value[path[0]], path[1:])


def _compressed(codec: str) -> Deviation:
    """Return a check that no other codec is used; a batch that would grow is left as it is."""

    def judge(visit: Visit) -> str | None:
        try:
            codecs = {CODECS[batch["attributes"] & BITS] for _, batch in written_batches(visit)}
        except (NotApplicable, IndexError):
            return None
        other = codecs - {codec, "none"}
        return f"writes a batch compressed with {_said((*other,))}" if other else ""

    return judge


def _needs(*apis: str) -> Deviation:
    """Return a check that a driver that says `ok` had its client ask for one of these APIs."""

    def judge(visit: Visit) -> str | None:
        is_asked = any(each.api in apis for each in visit.sent)
        is_said = visit.ended.outcome == "ok" and not any(each.wrong for each in visit.sent)
        return f"says `ok` without any {' or '.join(apis)}" if is_said and not is_asked else None

    return judge


def _mechanism(name: str) -> Deviation:
    return _names("SaslHandshake", "mechanism", wanted=name)


_MEMBER = _names("JoinGroup", "groupId", wanted="group-a")
_TRANSACTION = _names("InitProducerId", "transactionalId", wanted="tx-a")
_AS_ASKED: Mapping[str, tuple[Deviation, ...]] = {
    "create": (_names("CreateTopics", "topics", "name", wanted="made-by-a-client"),),
    "produce": (
        _writes(*ONE),
        _names("Produce", "acks", wanted=ALL),
        _names("Produce", "topicData", "name", wanted=FILLED),
    ),
    "unacknowledged": (_writes(*ONE), _names("Produce", "acks", wanted=0)),
    "made": (
        _names("Produce", "topicData", "name", wanted="made-by-writing"),
        _asks_for("Metadata", "topics", "name", wanted={"made-by-writing"}),
    ),
    "stream": (_writes(*EIGHT),),
    "twice": (_TRANSACTION, _writes(*EIGHT, LAST_OF_TWO)),
    "transact": (_TRANSACTION,),
    "empty": (_TRANSACTION,),
    "join": (_MEMBER,),
    "sticky": (_MEMBER,),
    "commits": (_MEMBER,),
    "member": (_names("ConsumerGroupHeartbeat", "groupId", wanted="group-a"),),
    "share": (_names("ShareGroupHeartbeat", "groupId", wanted="share-a"),),
    "login": (_mechanism("PLAIN"),),
    "steady": (_mechanism("PLAIN"),),
    "remain": (_mechanism("PLAIN"),),
    "scram": (_mechanism("SCRAM-SHA-256"),),
    **{codec: (_compressed(codec),) for codec in CODECS[1:]},
    "oauth": (_mechanism("OAUTHBEARER"),),
    "delete": (_names("DeleteTopics", "topicNames", wanted=OTHER),),
    "acls": (_names("CreateAcls", "creations", "principal", wanted="User:alice"),),
    "configs": (_asks_for("DescribeConfigs", "resources", "resourceName", wanted={"1"}),),
    "brokers": (_asks_for("DescribeConfigs", "resources", "resourceName", wanted={"1"}),),
    "describe": (_asks_for("Metadata", "topics", "name", wanted={FILLED}),),
    "groups": (_asks_for("DescribeGroups", "groups", wanted={"group-a", "group-b"}),),
    "offsets": (_asks_for("OffsetFetch", "groups", "groupId", wanted={"group-a"}),),
}


_OF_WRITERS = (
    *("produce", "batch", "idempotent", "stream", "flush", "many", "large"),
    *("both", "made", "later", "steady", "patient", "transact", "twice", *CODECS[1:]),
)
_OF_READERS = ("consume", "read", "uncommitted", "pause", "aside", "widen", "resume")
_NEEDED: Mapping[str, Deviation] = {
    **dict.fromkeys(_OF_WRITERS, _needs("Produce")),
    **dict.fromkeys(_OF_READERS, _needs("Fetch")),
    **dict.fromkeys(("join", "sticky", "commits", "change", "remain"), _needs("JoinGroup")),
    **dict.fromkeys(("member", "again"), _needs("ConsumerGroupHeartbeat")),
    "share": _needs("ShareGroupHeartbeat"),
    "create": _needs("CreateTopics"),
    "groups": _needs("DescribeGroups", "ConsumerGroupDescribe"),
    "listing": _needs("ListGroups"),
    "offsets": _needs("OffsetFetch"),
    "configs": _needs("DescribeConfigs"),
    "brokers": _needs("DescribeConfigs"),
    "delete": _needs("DeleteTopics"),
    "trim": _needs("DeleteRecords"),
    "lookup": _needs("ListOffsets"),
    "latest": _needs("ListOffsets"),
    "ends": _needs("ListOffsets"),
}
"""The checks by action that a driver which says `ok` has its client do anything of it."""


def deviation(action: Action, visit: Visit) -> str:
    """Return how the driver deviated from the page; "" if no deviation shows."""
    checks = [*_AS_ASKED.get(action, ()), *filter(None, [_NEEDED.get(action)])]
    return next(filter(None, (judge(visit) for judge in checks)), "")


def is_as_asked(action: Action, visit: Visit) -> bool:
    """True if the requests show that the driver asked its client for what the page demands.

    A failure is then not the driver's: the client fails, or a time limit ended it. False if the
    requests of an action do not show enough to decide.
    """
    found = [judge(visit) for judge in _AS_ASKED.get(action, ())]
    return "" in found and not any(found)
