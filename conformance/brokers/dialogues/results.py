"""One result for each entry (KIP-4 and others): every API with entries is asked with several.

The requests are made of the harmless request of each API: its first entry several times, each time
under another name, with several entries inside each. So they change nothing, and a broker answers
with errors as a rule; that each entry has its one result is what counts. Whatever else is asked
anywhere is held against the same table.
"""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import Acl, creation, forget, nobody
from conformance.brokers.dialogues.entries import ENTRIES, ITSELF, Entries, Level, entries_of
from conformance.brokers.dialogues.harmless import NO_SUCH_MEMBER, harmless
from conformance.brokers.dialogues.talk import ANY_SERVED, ONE_FOR_EACH, Talk, first_error
from conformance.brokers.dialogues.topics.requests import created, new, removed
from conformance.dialogue import Broken, Dialogue, Tell
from conformance.schema.filling import filled
from conformance.schema.layout import Layout, WireType
from conformance.schema.record_batch import LAYOUT, MAGIC, RECORD_BATCH

SEVERAL = 3
VALIDATING = 1
"""The first version of CreateTopics that can ask for a validation alone."""
NO_SUCH_TYPE = 99
_PARTITIONED: list[Mapping[str, Any]] = [{"partitions": [{}]}]
_STRANGER = {"memberId": NO_SUCH_MEMBER, "generationIdOrMemberEpoch": 1, "generationId": 1}
INSTEAD: Mapping[str, Mapping[str, Any]] = {
    "OffsetCommit": {**_STRANGER, "topics": _PARTITIONED},
    "TxnOffsetCommit": {**_STRANGER, "topics": _PARTITIONED},
    "OffsetDelete": {"topics": _PARTITIONED},
    "ElectLeaders": {"topicPartitions": [{"partitions": [0]}]},
    "DeleteShareGroupOffsets": {"topics": [{}]},
    "LeaveGroup": {"members": [{"groupInstanceId": None}]},
    "FindCoordinator": {"keyType": NO_SUCH_TYPE},  # no internal topic comes to be by that
    "Produce": {"topicData": [{"partitionData": [{}]}]},
}
"""The request fields for APIs whose harmless request has no entries. A client that is no member of
a group commits nothing to it.
"""


def several(talk: Talk, entries: Entries, version: int) -> dict[str, Any]:
    """The harmless request of an API with several entries, and several inside each."""
    api = entries.api
    layout = talk.codec.form(f"{api}Request", version).layout
    instead = INSTEAD.get(api, {})
    given = filled(layout, instead)
    value = harmless(talk, api, version)
    value |= {name: given[name] for name in instead if name in given}
    if api == "Produce":
        for each in value["topicData"][0]["partitionData"]:
            each["records"] = _batch(talk)
    return {**value, **_multiplied(layout, value, entries.levels, talk.facts.name("absent"))}


def _multiplied(
    layout: Layout, value: Mapping[str, Any], levels: Sequence[Level], prefix: str
) -> dict[str, Any]:
    """The list of the outermost level, with several entries."""
    if not levels:
        return {}
    level, *deeper = levels
    item = _type_of(layout, level.asked).item
    found = value[level.asked]
    if level.by == (ITSELF,):
        return {level.asked: [_key(item, index, prefix) for index in range(SEVERAL)]}
    first = found[0] if found else item.layout.default_value()
    entries = []
    for index in range(SEVERAL):
        names = {
            name: _key(_type_of(item.layout, name), index, prefix)
            for name in level.by
            if name != "resourceType" and first.get(name) is not None
        }
        if level.either:  # one of the names is enough, as the first entry has it
            names = dict(list(names.items())[:1])
        if not level.by and isinstance(first.get("resourceNameFilter"), str):
            names["resourceNameFilter"] = f"{prefix}-{index}"
        entries.append({**first, **names, **_multiplied(item.layout, first, deeper, prefix)})
    return {level.asked: entries}


def _key(kind: WireType, index: int, prefix: str) -> Any:
    """A name, an id or a number that nothing has."""
    if kind.kind == "string":
        return f"{prefix}-{index}"
    if kind.kind == "uuid":
        return urlsafe_b64encode(bytes([0xC7] * 15 + [index])).decode().rstrip("=")
    if kind.element is not None:
        return [{"entityType": "user", "entityName": f"{prefix}-{index}"}]
    return index


def _type_of(layout: Layout, name: str) -> WireType:
    return next(each.type for each in layout.fields if each.name == name)


def _batch(talk: Talk) -> str:
    """Return a batch of one record, for a partition of Produce."""
    record: dict[str, Any] = {
        "attributes": 0,
        "timestampDelta": 0,
        "offsetDelta": 0,
        "key": None,
        "value": "AAE=",
        "headers": [],
    }
    batch = {**LAYOUT.default_value(), "records": [record]}
    return b64encode(talk.codec.encode(RECORD_BATCH, MAGIC, batch)).decode()


ODD = {
    "FindCoordinator": "coordinators.unknown-type-refused",
    "CreateTopics": "topics.no-time-to-create",
}
"""The rules about a type that does not exist, and about no time."""


def _asks(entries: Entries) -> Callable[[Talk, int], Dialogue]:
    """The question about some versions of one API."""

    def _several_entries(talk: Talk, version: int) -> Dialogue:
        yield from _answered(talk, entries, version, {})

    return _several_entries


def _answered(talk: Talk, entries: Entries, version: int, fields: Mapping[str, Any]) -> Dialogue:
    """Each of several entries has its result. Raises Broken.

    That what is odd about a request is answered at all is judged by the rule about that.
    """
    value = several(talk, entries, version)
    try:
        reply = yield from talk.ask(entries.api, version, {**value, **fields})
    except Broken as broken:
        if broken.unanswered:
            broken.judged_by = broken.judged_by or ODD.get(entries.api, ANY_SERVED)
            broken.about = broken.unanswered
        raise
    whole = reply.value.get("errorCode")
    yield Tell(f"the whole has error {whole}" if whole else _told(reply.value))


def _told(answer: Mapping[str, Any]) -> str:
    error = first_error(answer)
    return f"error {error}" if error else "no error"


for _entries in ENTRIES:
    if _entries.api == "CreateTopics":
        question(ONE_FOR_EACH, "CreateTopics", range(VALIDATING, 100))(_asks(_entries))
    elif _entries.api != "CreateAcls":
        question(ONE_FOR_EACH, _entries.api, _entries.versions)(_asks(_entries))


@question(ONE_FOR_EACH, "CreateTopics", range(VALIDATING), wants=("writes",))
def _several_topics_created(talk: Talk, version: int) -> Dialogue:
    names = [talk.facts.name("several") for _ in range(SEVERAL)]
    yield from created(talk, version, *map(new, names))
    yield from removed(talk, *names)


@question(ONE_FOR_EACH, "CreateAcls", range(100), needs=("DeleteAcls",), wants=("writes",))
def _several_acls_created(talk: Talk, version: int) -> Dialogue:
    """Create several ACLs, one of them twice. Without an authorizer each result says so."""
    acls = [Acl(talk.facts.name("several"), nobody(talk)) for _ in range(SEVERAL)]
    layout = talk.codec.form("CreateAclsRequest", version).layout
    asked = filled(layout, {"creations": list(map(creation, [*acls, acls[0]]))})
    yield from talk.ask("CreateAcls", version, asked)
    yield from forget(talk, *acls)


@question(ONE_FOR_EACH, "CreateTopics", range(VALIDATING, 100))
def _several_entries_without_time(talk: Talk, version: int) -> Dialogue:
    """Expect a result for each entry, also if time has run out."""
    entries = entries_of("CreateTopics", version)
    assert entries is not None
    yield from _answered(talk, entries, version, {"timeoutMs": 0})
