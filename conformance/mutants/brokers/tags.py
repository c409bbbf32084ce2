"""Unknown tagged fields of a request's body, at its top and in its arrays."""

from __future__ import annotations

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers.cluster import Request, Value
from conformance.peers.errors import INVALID_REQUEST, Hangup

TAGS = "_unknownTaggedFields"


class BodyTagsRefused(BrokerMutant):
    """Hangs up on unknown tagged fields at the top of a body."""

    breaks = "tags.unknown-skipped"

    def metadata(self, request: Request) -> Value:
        """The cluster, for whom it knows all about."""
        if request.value.get(TAGS):
            raise Hangup
        return super().metadata(request)


class BodyTagsFailRequest(BrokerMutant):
    """Answers a body with unknown tagged fields at its top as a request that failed."""

    breaks = "tags.unknown-skipped"

    def metadata(self, request: Request) -> Value:
        """The cluster, or an error with each topic."""
        if request.value.get(TAGS):
            topics = request.value["topics"] or []
            return self.metadata_refused(request.version, INVALID_REQUEST, topics)
        return super().metadata(request)


class BodyTagsAskForAll(BrokerMutant):
    """Forgets the topics of a body that has unknown tagged fields at its top."""

    breaks = "tags.unknown-skipped"

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        """Whether all are, or were forgotten."""
        return self.forgets or super().all_topics_wanted(version, asked)

    forgets = False

    def topics_asked_for(self, request: Request) -> list[Value]:
        """All topics, or those asked for."""
        self.forgets = bool(request.value.get(TAGS))
        return super().topics_asked_for(request)


class ElementTagsRefused(BrokerMutant):
    """Hangs up on unknown tagged fields in an element of an array."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
        """The cluster, for whom it knows all about."""
        if any(each.get(TAGS) for each in request.value["topics"] or []):
            raise Hangup
        return super().metadata(request)


class ElementWithTagsLeftOut(BrokerMutant):
    """Leaves an element of an array out that has unknown tagged fields."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
        """The cluster, and the topics that it knows all about."""
        topics = request.value["topics"]
        if topics is not None:
            request.value["topics"] = [each for each in topics if not each.get(TAGS)]
        return super().metadata(request)


class ElementTagsEndArray(BrokerMutant):
    """Loses the elements of an array behind one that has unknown tagged fields."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
        """The cluster, and the topics up to there."""
        topics = request.value["topics"] or []
        for index, each in enumerate(topics):
            if each.get(TAGS):
                del topics[index + 1 :]
                break
        return super().metadata(request)


class ElementTagsFailRequest(BrokerMutant):
    """Answers with an error for each topic where one has unknown tagged fields."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        """The error of any of them."""
        tagged = any(each.get(TAGS) for each in asked)
        return INVALID_REQUEST if tagged else super().metadata_error(version, asked)
