"""Unknown tagged fields in a struct that stands in a request: `ReplicaState` of Fetch."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import FETCH
from conformance.brokers.mutants.frames.unknown_tags import TAGS
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions

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
