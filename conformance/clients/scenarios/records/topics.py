"""Topics that a client writes to: one that brokers may make for it, one that it may not write to,
as Metadata says, and two of which one can't be written to.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED, OTHER
from conformance.clients.scenarios.judging import all_of, asks_no_more_than
from conformance.clients.scenarios.plain_brokers import ServesWriting
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.records.writing import MOST_ATTEMPTS, TopicUnknown
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, describe, fails, require, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.schema.layout import Form

TOLD_SINCE = 4
"""The first version of Metadata that says whether topics may be made."""
NEW = "made-by-writing"


def may_be_made(visit: Visit) -> None:
    """Judge that a Metadata that names the topic allows its creation."""
    asked = [
        each
        for each in visit.of("Metadata")
        if each.value and each.version >= TOLD_SINCE and not each.wrong
        if NEW in [topic["name"] for topic in each.value["topics"] or ()]
    ]
    require(asked, "it named the topic in no Metadata that tells of it")
    if not any(each.value and each.value["allowAutoTopicCreation"] for each in asked):
        what = f"Metadata v{asked[0].version} forbids the topic that is to be made"
        raise Broken(what, "allowAutoTopicCreation", asked[0].frame)


class MakesTopic(Scenario, about="MetadataRequest", action="made"):
    """Makes the topic that is written to, where a client says that it may."""

    control_case = ServesWriting
    decides: ClassVar = {"client-requests.creation-is-told": may_be_made}


MOST_ASKED = 12
"""A client that asks more often than this after a topic that it may not see waits for nothing."""


def asked_few_times(visit: Visit) -> None:
    """Judge that Metadata is not asked again and again for the refused topic."""
    asked = [
        each
        for each in visit.of("Metadata")
        if each.value and any(topic["name"] == FILLED for topic in each.value["topics"] or ())
    ]
    if len(asked) > MOST_ASKED:
        what = f"Metadata was asked {len(asked)} times after a topic that it refuses"
        raise Broken(what, f"at most {MOST_ASKED}", asked[MOST_ASKED].frame)


class NoSuchTopic(TopicUnknown):
    """Has no topic of that name, to a client that gives up in the end."""

    holds = staticmethod(all_of(survives, asks_no_more_than(MOST_ATTEMPTS), fails))
    decides: ClassVar = {}


class TopicRefused(Rewrites, about="MetadataRequest", action="produce"):
    """Tells in Metadata that the client may not know of the topic that it is to write to."""

    control_case = NoSuchTopic
    decides: ClassVar = {"client-produce.refused-topic-told": all_of(asked_few_times, fails)}

    def body(self, form: Form, body: Value) -> Value:
        return {**body, "topics": [_refused(each) for each in body["topics"]]}


def _refused(topic: Value) -> Value:
    code = error_codes.TOPIC_AUTHORIZATION_FAILED if topic["name"] == FILLED else topic["errorCode"]
    return {**topic, "errorCode": code, "partitions": []} if code else topic


def writes_the_other(visit: Visit) -> None:
    """Judge that the topic without errors is written to, and reported so."""
    if visit.ended.outcome != "ok" or FILLED not in visit.ended.text.split():
        what = f"the client {describe(visit.ended)}, asked to write to {OTHER} and {FILLED}"
        raise Broken(what, f"a record in {FILLED}", visit.ended.text)


class _OtherWrong(Scenario, is_known=False, about="MetadataRequest", action="both"):
    """Metadata has an error for one of two topics, where that is asked for by its name."""

    decides: ClassVar = {"client-produce.topics-apart": writes_the_other}
    code: ClassVar[int]

    def topic_by_name(self, request: Request, name: str) -> Value:
        if name != OTHER:
            return super().topic_by_name(request, name)
        return self.topic_error(self.code, name)

    def all_topics(self, request: Request) -> list[Value]:
        return [each for each in super().all_topics(request) if each["name"] != OTHER]


class OtherForbidden(_OtherWrong):
    """Metadata forbids the first of two topics that are written to."""

    code = error_codes.TOPIC_AUTHORIZATION_FAILED


class OtherInvalid(_OtherWrong):
    """Metadata calls the first of two topics that are written to an invalid one."""

    code = error_codes.INVALID_TOPIC_EXCEPTION


class OtherRefused(Scenario, about="ProduceRequest", action="both"):
    """Refuses what is written to the first of two topics, and takes what goes to the second."""

    decides: ClassVar = {"client-produce.topics-apart": writes_the_other}

    def append(self, request: Request, topic: Topic, data: Value) -> Any:
        if topic.name == OTHER:
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        return super().append(request, topic, data)
