"""Two topics of which one can't be written to: what is wrong with it is nothing to the other."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED, OTHER
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, describe
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused


def writes_the_other(visit: Visit) -> None:
    """Judge that the topic without errors is written to, and reported so."""
    if visit.ended.outcome != "ok" or FILLED not in visit.ended.text.split():
        what = f"the client {describe(visit.ended)}, asked to write to {OTHER} and {FILLED}"
        raise Broken(what, f"a record in {FILLED}", visit.ended.text)


class _OtherWrong(Scenario, is_known=False):
    """Metadata has an error for one of two topics, where that is asked for by its name."""

    about = "MetadataRequest"
    action = "both"
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


class OtherRefused(Scenario):
    """Refuses what is written to the first of two topics, and takes what goes to the second."""

    about = "ProduceRequest"
    action = "both"
    decides: ClassVar = {"client-produce.topics-apart": writes_the_other}

    def append(self, request: Request, topic: Topic, data: Value) -> Any:
        if topic.name == OTHER:
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        return super().append(request, topic, data)
