"""Unknown tagged fields of a request's body: at its top and in its arrays, many, large and odd."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.api_keys import METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup

TAGS = "_unknownTaggedFields"


class BodyTagsRefused(BrokerMutant):
    """Hangs up on unknown tagged fields at the top of a body."""

    breaks = "tags.unknown-skipped"

    def metadata(self, request: Request) -> Value:
        if request.value.get(TAGS):
            raise Hangup
        return super().metadata(request)


class BodyTagsFailRequest(BrokerMutant):
    """Answers a body with unknown tagged fields at its top as a request that failed."""

    breaks = "tags.unknown-skipped"

    def metadata(self, request: Request) -> Value:
        if request.value.get(TAGS):
            topics = request.value["topics"] or []
            return self.metadata_refused(request.version, INVALID_REQUEST, topics)
        return super().metadata(request)


class BodyTagsAskForAll(BrokerMutant):
    """Forgets the topics of a body that has unknown tagged fields at its top."""

    breaks = "tags.unknown-skipped"

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        return self.forgets or super().all_topics_wanted(version, asked)

    forgets = False

    def topics_asked_for(self, request: Request) -> list[Value]:
        self.forgets = bool(request.value.get(TAGS))
        return super().topics_asked_for(request)


class ElementTagsRefused(BrokerMutant):
    """Hangs up on unknown tagged fields in an element of an array."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
        if any(each.get(TAGS) for each in request.value["topics"] or []):
            raise Hangup
        return super().metadata(request)


class ElementWithTagsLeftOut(BrokerMutant):
    """Leaves an element of an array out that has unknown tagged fields."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
        topics = request.value["topics"]
        if topics is not None:
            request.value["topics"] = [each for each in topics if not each.get(TAGS)]
        return super().metadata(request)


class ElementTagsEndArray(BrokerMutant):
    """Loses the elements of an array behind one that has unknown tagged fields."""

    breaks = "tags.unknown-skipped-in-element"

    def metadata(self, request: Request) -> Value:
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
        tagged = any(each.get(TAGS) for each in asked)
        return INVALID_REQUEST if tagged else super().metadata_error(version, asked)


class _Judging(Session):
    """A connection that hangs up on some tagged fields, wherever they are in a body."""

    def handle(self, request: Request) -> Value:
        if any(self.is_too_much(section) for section in sections(request.value)):
            raise Hangup
        return super().handle(request)

    def is_too_much(self, section: list[Value]) -> bool:
        """True if the connection is to be ended for these tagged fields: here for any."""
        return bool(section)


def sections(value: Any) -> Iterator[list[Value]]:
    """The unknown tagged fields of each struct that has some."""
    if isinstance(value, list):
        for each in value:
            yield from sections(each)
    elif isinstance(value, dict):
        if value.get(TAGS):
            yield value[TAGS]
        yield from sections([each for name, each in value.items() if name != TAGS])


class BodyTagsOfOthersRefused(BrokerMutant):
    """Hangs up on unknown tagged fields in any body but that of Metadata."""

    breaks = "tags.unknown-skipped"

    class Sessions(_Judging):
        """A connection that has learned one exception."""

        def handle(self, request: Request) -> Value:
            if request.api_key == METADATA:
                return self.broker.handle(request)
            return super().handle(request)


class LargeTagsRefused(BrokerMutant):
    """Hangs up on a tagged field of more than a kilobyte."""

    breaks = "tags.unknown-skipped"

    class Sessions(_Judging):
        """A connection with a small buffer."""

        def is_too_much(self, section: list[Value]) -> bool:
            """True if one of the tagged fields is large."""
            return any(len(each["bytes"]) > 1400 for each in section)


class EmptyTagsRefused(BrokerMutant):
    """Hangs up on a tagged field of no bytes."""

    breaks = "tags.unknown-empty-value"

    class Sessions(_Judging):
        """A connection that wants a value."""

        def is_too_much(self, section: list[Value]) -> bool:
            """True if one of the tagged fields is empty."""
            return any(not each["bytes"] for each in section)


class TagsOfSixteenBits(BrokerMutant):
    """Hangs up on a tag that takes more than sixteen bits."""

    breaks = "tags.unknown-high-tag"
    implies = ("tags.unknown-skipped-in-element",)

    class Sessions(_Judging):
        """A connection with short numbers."""

        def is_too_much(self, section: list[Value]) -> bool:
            """True if one of the tags is 2^16 or more."""
            return any(each["tag"] >= 2**16 for each in section)


class TagsOfThreeBytes(BrokerMutant):
    """Hangs up on a tag that takes more than three bytes."""

    breaks = "tags.unknown-high-tag"

    class Sessions(_Judging):
        """A connection whose varints end early."""

        def is_too_much(self, section: list[Value]) -> bool:
            """True if one of the tags is 2^21 or more."""
            return any(each["tag"] >= 2**21 for each in section)


class HundredTagsAtMost(BrokerMutant):
    """Hangs up on more than a hundred tagged fields in one section."""

    breaks = "tags.unknown-by-the-thousand"

    class Sessions(_Judging):
        """A connection with a short list."""

        def is_too_much(self, section: list[Value]) -> bool:
            return len(section) > 100


class TagsOfRequestCounted(BrokerMutant):
    """Hangs up on more than a thousand tagged fields in a request as a whole."""

    breaks = "tags.unknown-by-the-thousand"

    class Sessions(Session):
        """A connection that adds up."""

        def handle(self, request: Request) -> Value:
            if sum(map(len, sections(request.value))) > 1000:
                raise Hangup
            return super().handle(request)
