"""The removal of all that a conversation made, so that a long run leaves little around."""

from __future__ import annotations

from typing import Any

from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.exploring.identities import PLACE, Identities
from conformance.brokers.exploring.model import Model
from conformance.dialogue import Dialogue, Reconnect
from conformance.schema.filling import filled

PATIENCE_MS = 10_000


def tidied(talk: Talk, identities: Identities, model: Model) -> Dialogue:
    """Delete the groups and the topics of a conversation. Raises Broken."""
    yield Reconnect()
    yield from _groups(talk, identities, model)
    names = [name for name in model.topics if name.startswith(PLACE)]
    if names and talk.facts.has("DeleteTopics"):
        targets = [identities.to_target(name) for name in names]
        named = [{"name": name} for name in targets]
        yield from _ask(
            talk, "DeleteTopics", topics=named, topicNames=targets, timeoutMs=PATIENCE_MS
        )


def _groups(talk: Talk, identities: Identities, model: Model) -> Dialogue:
    """Have all members leave, and delete the groups."""
    if not all(map(talk.facts.has, ("LeaveGroup", "DeleteGroups"))):
        return
    names = [name for name in (*model.groups, *model.committed) if name.startswith(PLACE)]
    for group in model.groups.values():
        for each in group.members:
            member = {"groupId": group.name, "memberId": each, "members": [{"memberId": each}]}
            yield from _ask(talk, "LeaveGroup", **identities.to_target(member))
    if names:
        targets = [identities.to_target(name) for name in dict.fromkeys(names)]
        yield from _ask(talk, "DeleteGroups", groupsNames=targets)


def _ask(talk: Talk, api: str, **fields: Any) -> Dialogue:
    version = talk.facts.range_of(api)[1]
    layout = talk.codec.form(f"{api}Request", version).layout
    yield from talk.ask_for_any(api, version, filled(layout, fields))
