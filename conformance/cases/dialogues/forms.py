"""Which header a request and its answer have, and that both are of one version.

Each question is asked in versions on one side of the flexible border alone: there the header, and
nothing else, is what a broker gets wrong. The answer has to be whole, and to be about what was
asked for, since a header that is read one byte too long or short shifts all that is behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.cases.dialogues import question
from conformance.cases.dialogues.harmless import harmless
from conformance.cases.dialogues.headers import no_topics, software
from conformance.cases.dialogues.talk import Talk
from conformance.dialogue import Broken, Dialogue, Send
from conformance.protocol import Value

FIRST_FLEXIBLE: Mapping[str, int] = {
    "Metadata": 9,
    "FindCoordinator": 3,
    "DescribeConfigs": 4,
    "DescribeAcls": 2,
    "CreateTopics": 5,
    "DeleteTopics": 4,
}
"""APIs that are asked, and where each becomes flexible."""
NUMBER = 0x0102_0304
"""A correlation id that no other number of a header is part of."""
CLIENT_IDS = (None, "", "x", "x" * 127, "x" * 128, "x" * 300)


def _whole(api: str, client_id: str | None = "kafka-conformance") -> Callable[..., Dialogue]:
    def _whole_answer(talk: Talk, version: int) -> Dialogue:
        value = harmless(talk, api, version)
        reply = yield from talk.ask(api, version, value, number=NUMBER, clientId=client_id)
        echoed(talk, api, value, reply.value)

    return _whole_answer


def _each_client_id(api: str) -> Callable[..., Dialogue]:
    def _client_ids_of_each_kind(talk: Talk, version: int) -> Dialogue:
        value = harmless(talk, api, version)
        for client_id in CLIENT_IDS:
            reply = yield from talk.ask(api, version, value, clientId=client_id)
            echoed(talk, api, value, reply.value)

    return _client_ids_of_each_kind


def echoed(talk: Talk, api: str, asked: Value, answer: Value) -> None:
    """Raises Broken where the answer is about something else than what was asked for."""
    if api == "DescribeConfigs":
        due = [each["resourceName"] for each in asked["resources"]]
        talk.expect("the resources", due, [each["resourceName"] for each in answer["results"]])
    elif topics := asked.get("topics") or asked.get("topicNames"):
        due = sorted(each if isinstance(each, str) else each["name"] for each in topics)
        found = answer.get("topics") or answer.get("responses") or []
        talk.expect("the topics", due, sorted(each["name"] for each in found))


for _api, _first in FIRST_FLEXIBLE.items():
    question("request-header.v1-fields", _api, range(_first))(_each_client_id(_api))
    question("request-header.flexible-adds-tags", _api, range(_first, 100))(_whole(_api))
    question("request-header.client-id-not-compact", _api, range(_first, 100))(
        _each_client_id(_api)
    )
    question("response-header.v0-fields", _api, range(_first))(_whole(_api))
    question("response-header.flexible-adds-tags", _api, range(_first, 100))(_whole(_api))


@question("response-header.api-versions-stays-v0", "ApiVersions", range(3, 100))
def _header_before_the_list(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("ApiVersions", version, software(version), number=NUMBER)
    talk.expect("the error code", 0, reply.value["errorCode"])
    talk.expect("the bytes behind the correlation id", "0000", reply.frame[4:6].hex())
    if not reply.value["apiKeys"]:
        raise Broken("no API is listed", "at least one", reply.frame)


@question("response-header.body-has-request-version", "Metadata", range(1, 100))
def _answer_of_the_version_asked(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("Metadata", version, no_topics(talk, version))
    talk.expect("the topics", [], reply.value["topics"])
    if not reply.value["brokers"]:
        raise Broken("no broker is listed", "at least one broker", reply.frame)


@question("response-header.body-has-request-version", "Metadata")
def _versions_mixed_on_one_connection(talk: Talk) -> Dialogue:
    """Up, down and in one go: a version belongs to its request and to nothing else."""
    low, high = talk.facts.range_of("Metadata")
    known = range(max(low, 1), high + 1)
    sent = [(version, talk.number()) for version in (*known, *reversed(known), high, *known[:1])]
    requests = (
        talk.frame("Metadata", version, no_topics(talk, version), number)
        for version, number in sent
    )
    yield Send(b"".join(requests))
    for version, number in sent:
        reply = yield from talk.answer("Metadata", version, number)
        talk.expect(f"the topics in version {version}", [], reply.value["topics"])
