"""Messages that begin with their own version, or with a number that identifies it.

The consumer protocol and the values of coordinators' records begin with an INT16 of their version
(KIP-345, KIP-848), their keys with an INT16 of their type, control records likewise. Some messages
have that number as a field of their own. Records of the metadata log begin with three varints: the
frame version, the type and the version (KIP-631). Batches have their format at offset 16.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from conformance.schema.record_batch import RECORD_BATCH, RECORD_SET
from conformance.schema.releases import definitions, message_names, releases, whole_releases

Lead = Literal["version", "type", "own field", "metadata", "format"]
"""The begin of a message that identifies its version."""

_BY_TYPE: Mapping[str, Lead] = {
    "coordinator-key": "type",
    "coordinator-value": "version",
    "metadata": "metadata",
}
_BY_NAME: Mapping[str, Lead] = {
    RECORD_BATCH: "format",
    RECORD_SET: "format",
    "ConsumerProtocolAssignment": "version",
    "ConsumerProtocolSubscription": "version",
    "ControlRecordTypeSchema": "version",
    "DefaultPrincipalData": "version",
    "EndTxnMarker": "version",
    "KRaftVersionRecord": "own field",
    "LeaderChangeMessage": "own field",
    "SnapshotFooterRecord": "own field",
    "SnapshotHeaderRecord": "own field",
    "VotersRecord": "own field",
}
_REMOTE_LOG = "Remote"
"""The begin of the names of records of the remote log's metadata.

They are of another topic, and have no varint of the frame version.
"""
_OTHER_TOPICS = ("TransactionLog", "ShareSnapshot", "ShareUpdate")
"""The begins of the names of keys that belong to no group."""
LEGACY = "Legacy"
"""The begin of the name of a key that was version 0 of the key named after it."""
_FIRST = (
    "OffsetCommitKey",
    "OffsetCommitValue",
    "GroupMetadataKey",
    "GroupMetadataValue",
    "ConsumerProtocolSubscription",
    "ConsumerProtocolAssignment",
    "TransactionLogKey",
    "TransactionLogValue",
)
"""The messages that are met most often."""


@cache
def leads() -> Mapping[str, Lead]:
    """Return the kind of begin that identifies each message's version; common messages first."""
    found: dict[str, Lead] = {name: _BY_NAME.get(name, "version") for name in _FIRST}
    for name in message_names():
        lead = _BY_NAME.get(name) or _BY_TYPE.get(_type(name))
        if lead and not name.startswith(_REMOTE_LOG):
            found[name] = lead
    return {**found, RECORD_BATCH: "format", RECORD_SET: "format"}


@cache
def key_of(number: int, name: str) -> str:
    """Return the key of a number, in the same topic as the key `name`; "" for none."""
    own = name.startswith(_OTHER_TOPICS)
    names = (each for each in leads() if each.endswith("Key") and number in key_types(each))
    return next((each for each in names if each.startswith(_OTHER_TOPICS) == own), "")


@cache
def key_types(name: str) -> tuple[int, ...]:
    """Return the numbers that a key of this name may begin with."""
    found = next((d[name] for d in map(definitions, whole_releases()) if name in d), None)
    return () if found is None or found.api_key is None else (found.api_key,)


@cache
def former_version(name: str, number: int) -> str:
    """Return a note on the version of this key in older releases, whose keys had no types.

    Return "" if the name and the version are the same.
    """
    former = name.removeprefix(LEGACY)
    if number == 0 and former == name:
        return ""
    for release in releases():
        held = definitions(release)
        if former in held and held[former].type == "data" and number in held[former].valid:
            return (
                f"the first two bytes are the type, {number}: up to Kafka {release} they were the"
                f" version, and this {former} version {number}"
            )
    return ""


def _type(name: str) -> str:
    return next((d[name].type for d in map(definitions, whole_releases()) if name in d), "")
