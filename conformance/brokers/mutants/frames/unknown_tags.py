"""Unknown tagged fields of a request's body: at its top, in its arrays and in a struct, many, large
and odd.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import FETCH, METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions

TAGS = "_unknownTaggedFields"


class BodyTagsRefused(BrokerMutant, breaks="tags.unknown-skipped"):
    """Hangs up on unknown tagged fields at the top of a body."""

    def metadata(self, request: Request) -> Value:
        if request.value.get(TAGS):
            raise Hangup
        return super().metadata(request)


class BodyTagsFailRequest(BrokerMutant, breaks="tags.unknown-skipped"):
    """Answers a body with unknown tagged fields at its top as a request that failed."""

    def metadata(self, request: Request) -> Value:
        if request.value.get(TAGS):
            topics = request.value["topics"] or []
            return self.metadata_refused(request.version, INVALID_REQUEST, topics)
        return super().metadata(request)


class BodyTagsAskForAll(BrokerMutant, breaks="tags.unknown-skipped"):
    """Forgets the topics of a body that has unknown tagged fields at its top."""

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        return self.forgets or super().all_topics_wanted(version, asked)

    forgets = False

    def topics_asked_for(self, request: Request) -> list[Value]:
        self.forgets = bool(request.value.get(TAGS))
        return super().topics_asked_for(request)


class ElementTagsRefused(BrokerMutant, breaks="tags.unknown-skipped-in-element"):
    """Hangs up on unknown tagged fields in an element of an array."""

    def metadata(self, request: Request) -> Value:
        if any(each.get(TAGS) for each in request.value["topics"] or []):
            raise Hangup
        return super().metadata(request)


class ElementWithTagsLeftOut(BrokerMutant, breaks="tags.unknown-skipped-in-element"):
    """Leaves an element of an array out that has unknown tagged fields."""

    def metadata(self, request: Request) -> Value:
        topics = request.value["topics"]
        if topics is not None:
            request.value["topics"] = [each for each in topics if not each.get(TAGS)]
        return super().metadata(request)


class ElementTagsEndArray(BrokerMutant, breaks="tags.unknown-skipped-in-element"):
    """Loses the elements of an array behind one that has unknown tagged fields."""

    def metadata(self, request: Request) -> Value:
        topics = request.value["topics"] or []
        for index, each in enumerate(topics):
            if each.get(TAGS):
                del topics[index + 1 :]
                break
        return super().metadata(request)


class ElementTagsFailRequest(BrokerMutant, breaks="tags.unknown-skipped-in-element"):
    """Answers with an error for each topic where one has unknown tagged fields."""

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


class BodyTagsOfOthersRefused(BrokerMutant, breaks="tags.unknown-skipped"):
    """Hangs up on unknown tagged fields in any body but that of Metadata."""

    class Sessions(_Judging):
        def handle(self, request: Request) -> Value:
            if request.api_key == METADATA:
                return self.broker.handle(request)
            return super().handle(request)


class LargeTagsRefused(BrokerMutant, breaks="tags.unknown-skipped"):
    """Hangs up on a tagged field of more than a kilobyte."""

    class Sessions(_Judging):
        def is_too_much(self, section: list[Value]) -> bool:
            return any(len(each["bytes"]) > 1400 for each in section)


class EmptyTagsRefused(BrokerMutant, breaks="tags.unknown-empty-value"):
    """Hangs up on a tagged field of no bytes."""

    class Sessions(_Judging):
        def is_too_much(self, section: list[Value]) -> bool:
            return any(not each["bytes"] for each in section)


class TagsOfSixteenBits(BrokerMutant, breaks="tags.unknown-high-tag"):
    """Hangs up on a tag that takes more than sixteen bits."""

    implies = ("tags.unknown-skipped-in-element",)

    class Sessions(_Judging):
        def is_too_much(self, section: list[Value]) -> bool:
            return any(each["tag"] >= 2**16 for each in section)


class TagsOfThreeBytes(BrokerMutant, breaks="tags.unknown-high-tag"):
    """Hangs up on a tag that takes more than three bytes."""

    class Sessions(_Judging):
        def is_too_much(self, section: list[Value]) -> bool:
            return any(each["tag"] >= 2**21 for each in section)


class HundredTagsAtMost(BrokerMutant, breaks="tags.unknown-by-the-thousand"):
    """Hangs up on more than a hundred tagged fields in one section."""

    class Sessions(_Judging):
        def is_too_much(self, section: list[Value]) -> bool:
            return len(section) > 100


class TagsOfRequestCounted(BrokerMutant, breaks="tags.unknown-by-the-thousand"):
    """Hangs up on more than a thousand tagged fields in a request as a whole."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if sum(map(len, sections(request.value))) > 1000:
                raise Hangup
            return super().handle(request)


MOST_TAGS = 100
WITH_FETCH = stored_versions(names={**IMPLEMENTED, FETCH: FOR_CLIENTS[FETCH]})


class _Serves(BrokerMutant):
    """Serves Fetch as well."""

    made_with: ClassVar = {"versions": WITH_FETCH}

    def tags_of(self, request: Request) -> list[Any]:
        """Return the unknown tagged fields in the state of the caller."""
        return list(request.value["replicaState"].get(TAGS, []))


class StructTagsRefused(_Serves, breaks="tags.unknown-skipped-in-struct"):
    """Hangs up on unknown tagged fields in a nested struct."""

    def fetch(self, request: Request) -> Value:
        if self.tags_of(request):
            raise Hangup
        return super().fetch(request)


class StructTagsFailRequest(_Serves, breaks="tags.unknown-skipped-in-struct"):
    """Answers a request with unknown tagged fields in a nested struct as one that failed."""

    def fetch(self, request: Request) -> Value:
        if self.tags_of(request):
            return {**self.fetched([]), "errorCode": error_codes.INVALID_REQUEST}
        return super().fetch(request)


class StructTagsHideTheRest(_Serves, breaks="tags.unknown-skipped-in-struct"):
    """Forgets what was asked for where a nested struct has more than a hundred tagged fields."""

    def fetch(self, request: Request) -> Value:
        if len(self.tags_of(request)) > MOST_TAGS:
            return self.fetched([])
        return super().fetch(request)
