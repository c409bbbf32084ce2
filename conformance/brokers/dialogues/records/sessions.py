"""Fetch sessions (KIP-227): a broker may keep what a client reads, and then is sent only changes.

A broker that makes no session answers with the id 0, and passes: no client then asks for more.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import TOPICS, Log, append, batch, new_log
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.requests import WRITES, removed
from conformance.dialogue import Dialogue, Received, Step, Tell
from conformance.error_codes import FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH

WRITING = (*TOPICS, "Produce")
SESSIONS = range(7, 100)
BEGINS = 0
NO_SUCH_SESSION = 2**30
"""An id that no session has, but by chance. Apache Kafka 4.3.1 stumbles over the highest int32."""
NO_SESSIONS = "it makes no fetch sessions"


@question("log.session-has-changes-alone", "Fetch", SESSIONS, needs=WRITING, wants=WRITES)
def _changes_of_a_session(talk: Talk, version: int) -> Dialogue:
    """Expect all partitions at first, none without a change, and then the one that changed."""
    made = yield from new_log(talk, 2)
    for index in (0, 1):
        yield from append(made, batch(talk, 0, "a"), 0, index=index)
    first = yield from made.fetched(version, [made.to_read({0: 1, 1: 1})], sessionEpoch=BEGINS)
    talk.expect("the error of the first answer", 0, first["errorCode"])
    talk.expect("the partitions of the first answer", [0, 1], _partitions(first))
    if not (session := first["sessionId"]):
        yield Tell(NO_SESSIONS)
        yield from removed(talk, made.name)
        return
    yield from _next(talk, made, version, session, 1, [])
    yield from append(made, batch(talk, 1, "b"), 1, index=1)
    yield from _next(talk, made, version, session, 2, [1])
    yield from removed(talk, made.name)


def _next(
    talk: Talk, made: Log, version: int, session: int, epoch: int, due: list[int]
) -> Dialogue:
    """Ask for what changed, and expect these partitions."""
    found = yield from made.fetched(version, [], sessionId=session, sessionEpoch=epoch)
    talk.expect(f"the error of an answer in a session at epoch {epoch}", 0, found["errorCode"])
    talk.expect(f"the partitions of an answer at epoch {epoch}", due, _partitions(found))


def _partitions(answer: Any) -> list[int]:
    found = [each for topic in answer["responses"] for each in topic["partitions"]]
    return sorted(each["partitionIndex"] for each in found)


@question("log.session-epoch-refused", "Fetch", SESSIONS, needs=WRITING, wants=WRITES)
def _epoch_that_a_session_does_not_expect(talk: Talk, version: int) -> Dialogue:
    made, session = yield from _session(talk, version)
    if session:
        found = yield from made.fetched(version, [], sessionId=session, sessionEpoch=5)
        code = found["errorCode"]
        talk.expect("the error for epoch 5 after 0", INVALID_FETCH_SESSION_EPOCH, code)
    else:
        yield Tell(NO_SESSIONS)
    yield from removed(talk, made.name)


@question("log.unknown-session-refused", "Fetch", SESSIONS, needs=WRITING, wants=WRITES)
def _session_that_does_not_exist(talk: Talk, version: int) -> Dialogue:
    made = yield from new_log(talk)
    found = yield from made.fetched(version, [], sessionId=NO_SUCH_SESSION, sessionEpoch=1)
    due = FETCH_SESSION_ID_NOT_FOUND
    talk.expect("the error for a session that does not exist", due, found["errorCode"])
    yield from removed(talk, made.name)


def _session(talk: Talk, version: int) -> Generator[Step, Received | None, tuple[Log, int]]:
    """Return a log and the session that a Fetch of it begins, 0 if the broker makes none."""
    made = yield from new_log(talk)
    yield from append(made, batch(talk, 0, "a"), 0)
    found = yield from made.fetched(version, [made.to_read({0: 0})], sessionEpoch=BEGINS)
    talk.expect("the error of the first answer", 0, found["errorCode"])
    return made, found["sessionId"]
