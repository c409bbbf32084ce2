"""A topic that a client may not write to, as Metadata says: that does not pass by itself."""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.judging import all_of, asks_no_more_than
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.records.writing import MOST_ATTEMPTS, TopicUnknown
from conformance.clients.scenarios.visit import Visit, fails, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Value
from conformance.schema.layout import Form

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


class TopicRefused(Rewrites):
    """Tells in Metadata that the client may not know of the topic that it is to write to."""

    about = "MetadataRequest"
    action = "produce"
    control_case = NoSuchTopic
    decides: ClassVar = {"client-produce.refused-topic-told": all_of(asked_few_times, fails)}

    def body(self, form: Form, body: Value) -> Value:
        del form
        return {**body, "topics": [_refused(each) for each in body["topics"]]}


def _refused(topic: Value) -> Value:
    code = error_codes.TOPIC_AUTHORIZATION_FAILED if topic["name"] == FILLED else topic["errorCode"]
    return {**topic, "errorCode": code, "partitions": []} if code else topic
