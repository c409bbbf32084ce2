"""The offsets that a member commits in its generation."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.groups.membership import PROTOCOLS, SYNCED, Member, member
from conformance.brokers.dialogues.records.offsets import METADATA, Group
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import create_topics, ids, newest
from conformance.brokers.dialogues.topics.requests import WRITES, new, removed
from conformance.dialogue import Dialogue, Received, Step
from conformance.error_codes import ILLEGAL_GENERATION

GENERATIONS = range(1, 100)
"""The versions of OffsetCommit that have a generation."""
NEEDS = (*SYNCED, "OffsetFetch", "Metadata", "CreateTopics", "DeleteTopics")


def _reading(talk: Talk) -> Generator[Step, Received | None, tuple[Member, Group]]:
    """Return a member that has its share, and its group with a topic. Raises Broken."""
    topic = talk.facts.name("read")
    yield from create_topics(talk, newest(talk), new(topic))
    named = yield from ids(talk, topic)()
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    return made, Group(talk, made.group, topic, named.get(topic) or "")


def _as(made: Member) -> dict[str, object]:
    """Return the fields of a commit of this member."""
    return {"generationIdOrMemberEpoch": made.generation, "memberId": made.member_id}


@judged_by("groups.offsets-of-member")
def _committed(made: Member, group: Group, version: int) -> Dialogue:
    """Commit the offset 5 of a partition, and find it. Raises Broken."""
    found = yield from group.commit(version, {0: (5, -1, METADATA)}, **_as(made))
    made.talk.expect("the errors by partition", {0: 0}, found)
    kept = yield from group.fetch(newest(made.talk, "OffsetFetch"), [0])
    made.talk.expect("the offset", {0: (5, -1, METADATA)}, kept)


@question("groups.offsets-of-member", "OffsetCommit", GENERATIONS, needs=NEEDS, wants=WRITES)
def _commit_of_a_member(talk: Talk, version: int) -> Dialogue:
    made, group = yield from _reading(talk)
    yield from _committed(made, group, version)
    yield from made.gone()
    yield from removed(talk, group.topic)


@question("groups.old-generation-refused", "OffsetCommit", GENERATIONS, needs=NEEDS, wants=WRITES)
def _commit_of_another_generation(talk: Talk, version: int) -> Dialogue:
    """Expect an error, and the offset that was committed before."""
    made, group = yield from _reading(talk)
    yield from _committed(made, group, version)
    for other in (made.generation - 1, made.generation + 1):
        if other >= 0:
            late = replace(made, generation=other)
            found = yield from group.commit(version, {0: (9, -1, "")}, **_as(late))
            what = f"the errors by partition for generation {other}"
            talk.expect(what, {0: ILLEGAL_GENERATION}, found)
    kept = yield from group.fetch(newest(talk, "OffsetFetch"), [0])
    talk.expect("the offset", {0: (5, -1, METADATA)}, kept)
    yield from made.gone()
    yield from removed(talk, group.topic)
