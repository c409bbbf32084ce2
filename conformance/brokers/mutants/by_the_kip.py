"""A broker that does as KIP-4 has it where Apache Kafka, and so the reference, went another way.

It has no defect: the rules that a text demands let it pass, as they let Apache Kafka pass.
"""

from __future__ import annotations

from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.topics import DEFAULT
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused

DEFAULTS_SINCE = 4


class ByTheKip(BrokerMutant):
    """Does as KIP-4 has it wherever Apache Kafka does otherwise."""

    def __init__(self, *versions: Any, **settings: Any) -> None:
        super().__init__(*versions, **settings)
        self.gone: set[str] = set()

    def check_time(self, request: Request) -> None:
        """Accept a timeout of 0: the request is checked, and begun."""

    def create_topics(self, request: Request) -> Value:
        """Return the results; topics begun without time have run out of it."""
        return self._out_of_time(request, super().create_topics(request), "topics")

    def delete_topics(self, request: Request) -> Value:
        """Return the results; topics to be deleted without time have run out of it."""
        return self._out_of_time(request, super().delete_topics(request), "responses")

    def _out_of_time(self, request: Request, answer: Value, key: str) -> Value:
        for each in answer[key] if request.value["timeoutMs"] <= 0 else ():
            each["errorCode"] = each["errorCode"] or error_codes.REQUEST_TIMED_OUT
        return answer

    def check_new_name(self, request: Request, name: str) -> None:
        """Refuse a caller that may not create a topic with the cluster's error. Raises Refused."""
        try:
            super().check_new_name(request, name)
        except Refused as refused:
            denied = refused.code == error_codes.TOPIC_AUTHORIZATION_FAILED
            code = error_codes.CLUSTER_AUTHORIZATION_FAILED if denied else refused.code
            raise Refused(code) from None

    def create_topic(self, request: Request, item: Value) -> Value:
        """A topic with an assignment or counts; defaults do not step in. Raises Refused."""
        counts = (item["numPartitions"], item["replicationFactor"])
        if request.version < DEFAULTS_SINCE and not item["assignments"] and DEFAULT in counts:
            raise Refused(error_codes.INVALID_REQUEST)
        return super().create_topic(request, item)

    def add_topic(self, topic: Topic) -> None:
        """A topic that is there is not gone."""
        self.gone.discard(topic.name)
        super().add_topic(topic)

    def remove_topic(self, topic: Topic) -> None:
        """Remember the topic: a second deletion of it succeeds."""
        self.gone.add(topic.name)
        super().remove_topic(topic)

    def asked_twice(self, item: Value) -> None:
        """The second mention is ignored."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        """The result: a topic that is gone already was deleted, and an unknown one is invalid."""
        if refused.code == error_codes.UNKNOWN_TOPIC_OR_PARTITION:
            gone = item["name"] in self.gone
            refused = Refused(error_codes.NONE if gone else error_codes.INVALID_TOPIC_EXCEPTION)
        return super().topic_not_deleted(item, refused)

    def describe_configs(self, request: Request) -> Value:
        """Return one result for each resource, however often it is named."""
        answer = super().describe_configs(request)
        by_name = {(each["resourceType"], each["resourceName"]): each for each in answer["results"]}
        return {**answer, "results": list(by_name.values())}
