"""ApiVersions as brokers answer it, and as they should not (KIP-511): what a client makes of it."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from conformance.dialogue import Broken
from conformance.peers import errors
from conformance.peers.cluster import Request, Value
from conformance.peers.errors import Hangup
from conformance.peers.played import Ranges
from conformance.peers.session import Session
from conformance.scenarios import Scenario
from conformance.scenarios.visit import Judgement, Visit, fails, succeeds, survives

API_VERSIONS, METADATA, FIND_COORDINATOR = 18, 3, 10
SOFTWARE_SINCE = 3
MOST_ATTEMPTS = 100
"""More requests than this in one visit are a loop, whatever back-off there is between them."""


def begins_again_with(version: int) -> Judgement:
    """Whatever ApiVersions comes next after a refused one has this version.

    Next on the same connection; on the following one where a client leaves those that refuse.
    """

    def judge(visit: Visit) -> None:
        by_connection: dict[int, list[int]] = {}
        for each in visit.of("ApiVersions"):
            by_connection.setdefault(each.connection, []).append(each.version)
        pairs = [pair for asked in by_connection.values() for pair in pairwise(asked)]
        pairs = pairs or list(pairwise(asked[0] for asked in by_connection.values()))
        after = [following for refused, following in pairs if refused > version]
        if not after:
            asked = visit.versions("ApiVersions")
            due = f"one above {version}, then {version}"
            raise Broken(f"ApiVersions was asked in {asked}", due)
        for following in after:
            if following != version:
                what = f"after a refused ApiVersions came v{following}"
                raise Broken(what, f"v{version}", f"v{following}")

    return judge


def asks_no_more_than(number: int) -> Judgement:
    """So many requests at most, in all."""

    def judge(visit: Visit) -> None:
        if len(visit.sent) > number or len(visit.opened) > number:
            what = f"{len(visit.sent)} requests on {len(visit.opened)} connections"
            raise Broken(what, f"at most {number}", f"{len(visit.sent)}")

    return judge


def never_above(api: str, version: int) -> Judgement:
    """No request of an API has a version above this."""

    def judge(visit: Visit) -> None:
        above = [each for each in visit.of(api) if each.version > version]
        if above:
            what = f"{api} v{above[0].version} was sent, and v{version} is the highest served"
            raise Broken(what, f"at most {version}", above[0].frame)

    return judge


def never_asks(api: str) -> Judgement:
    """No request of this API is sent."""

    def judge(visit: Visit) -> None:
        for each in visit.of(api):
            raise Broken(f"{api} v{each.version} was sent", "nothing", each.frame)

    return judge


def asked_on_each_connection(visit: Visit) -> None:
    """The first request of every connection that carried one is ApiVersions."""
    first: dict[tuple[int, int], str] = {}
    for each in visit.sent:
        first.setdefault((each.node, each.connection), each.api)
    for (_, connection), api in first.items():
        if api != "ApiVersions":
            what = f"connection {connection} begins with {api}"
            raise Broken(what, "ApiVersions", api)


class Plain(Scenario):
    """Serves every version of everything."""

    decides: ClassVar = {
        "client-versions.greets-each-connection": asked_on_each_connection,
    }


class _Serves(Scenario):
    """Serves ApiVersions up to a version, and refuses those above as brokers of its time do."""

    highest: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.versions = {**self.versions, API_VERSIONS: (0, self.highest)}


class ServesUpTo0(_Serves):
    """Serves ApiVersions in version 0 alone, and refuses others with an empty list."""

    highest = 0
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": succeeds,
        "client-fallback.no-hint-means-v0": begins_again_with(0),
    }


class ServesUpTo2(_Serves):
    """Serves ApiVersions up to version 2, and refuses others with an empty list, as before 2.4."""

    highest = 2
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": succeeds,
        "client-fallback.no-hint-means-v0": begins_again_with(0),
    }


class HintsTo(_Serves):
    """Serves ApiVersions up to version 2, and says so in a refusal, as from 2.4 on."""

    highest = 2
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": succeeds,
        "client-fallback.hint-is-followed": begins_again_with(2),
        "client-fallback.refusal-is-no-list": succeeds,
    }

    def versions_to_retry(self) -> list[Value]:
        """The own range."""
        return [self.advertised_range(API_VERSIONS)]


class HintWithoutOwnKey(HintsTo):
    """Refuses with a list that has Metadata in it, and not ApiVersions."""

    decides: ClassVar = {"client-fallback.no-hint-means-v0": begins_again_with(0)}

    def versions_to_retry(self) -> list[Value]:
        """Something else's range."""
        return [self.advertised_range(METADATA)]


class HintAboveAll(HintsTo):
    """Refuses every ApiVersions above 0, and hints at versions that nobody has yet."""

    decides: ClassVar = {
        "client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.nothing-in-common-fails": fails,
    }

    def versions_to_retry(self) -> list[Value]:
        """Nothing that a client of today can ask."""
        return [{"apiKey": API_VERSIONS, "minVersion": 100, "maxVersion": 200}]


class _Refuses(Scenario):
    """Refuses every ApiVersions, whatever its version."""

    hint: ClassVar[tuple[int, int]] = (0, 200)

    class Sessions(Session):
        """Serves none of them."""

        def is_supported(self, api_key: int, version: int) -> bool:
            return api_key != API_VERSIONS and super().is_supported(api_key, version)

    sessions = Sessions

    def versions_to_retry(self) -> list[Value]:
        """The same, however often."""
        low, high = self.hint
        return [{"apiKey": API_VERSIONS, "minVersion": low, "maxVersion": high}]


class HintNeverFalls(_Refuses):
    """Refuses every ApiVersions, and hints at what it has just refused."""

    decides: ClassVar = {"client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS)}


class InvalidRequest(Scenario):
    """Answers every ApiVersions with INVALID_REQUEST, in the version asked."""

    decides: ClassVar = {
        "client-fallback.invalid-request-ends": fails,
        "client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS),
    }

    def api_versions_error(self, request: Request) -> int:
        """Always."""
        del request
        return errors.INVALID_REQUEST


class ClosesOnV3(Scenario):
    """Closes the connection on ApiVersions from version 3 on, as old proxies do."""

    decides: ClassVar = {"client-fallback.closed-is-bounded": asks_no_more_than(MOST_ATTEMPTS)}

    def api_versions(self, request: Request) -> Value:
        """Nothing."""
        if request.version >= SOFTWARE_SINCE:
            raise Hangup
        return super().api_versions(request)


class _Lists(Scenario):
    """Answers ApiVersions with more, or less, than there is."""

    changed: ClassVar[Ranges] = {}

    def advertised_range(self, api_key: int) -> Value:
        """As it is, but for some."""
        low, high = self.changed.get(api_key, self.versions[api_key])
        return {"apiKey": api_key, "minVersion": low, "maxVersion": high}


class UnknownKeys(_Lists):
    """Lists api keys that nobody knows, of either sign."""

    decides: ClassVar = {"client-versions.unknown-keys-ignored": succeeds}

    def advertised(self, version: int) -> list[Value]:
        """The list, and more."""
        unknown = [{"apiKey": key, "minVersion": 0, "maxVersion": 9} for key in (-7, 999, 32767)]
        return [*super().advertised(version), *unknown]


class WiderRanges(_Lists):
    """Lists every API up to version 100."""

    decides: ClassVar = {"client-versions.within-both-ranges": succeeds}

    def advertised_range(self, api_key: int) -> Value:
        """As far as anybody may ask."""
        return {**super().advertised_range(api_key), "maxVersion": 100}


class OldMetadata(_Lists):
    """Serves Metadata up to version 4."""

    decides: ClassVar = {
        "client-versions.within-both-ranges": never_above("Metadata", 4),
        "client-versions.old-versions-suffice": succeeds,
    }

    def __init__(self) -> None:
        super().__init__()
        self.versions = {**self.versions, METADATA: (0, 4)}


class MetadataOutOfReach(_Lists):
    """Lists Metadata in versions that nobody has yet."""

    changed: ClassVar = {METADATA: (100, 120)}
    decides: ClassVar = {
        "client-versions.nothing-in-common-is-not-sent": never_asks("Metadata"),
        "client-versions.nothing-in-common-fails": fails,
    }


class MetadataMissing(_Lists):
    """Leaves Metadata out of its list."""

    decides: ClassVar = {"client-versions.missing-api-survived": survives}

    def advertised(self, version: int) -> list[Value]:
        """The list without it."""
        return [each for each in super().advertised(version) if each["apiKey"] != METADATA]


class KeysTwice(_Lists):
    """Lists each API twice."""

    decides: ClassVar = {"client-versions.nonsense-survived": survives}

    def advertised(self, version: int) -> list[Value]:
        """The list, and again."""
        return super().advertised(version) * 2


class LowAboveHigh(_Lists):
    """Lists FindCoordinator with its lowest version above its highest, others as they are."""

    changed: ClassVar = {FIND_COORDINATOR: (4, 1)}
    decides: ClassVar = {"client-versions.nonsense-survived": survives}


class NegativeVersions(_Lists):
    """Lists FindCoordinator in versions below zero."""

    changed: ClassVar = {FIND_COORDINATOR: (-5, -1)}
    decides: ClassVar = {"client-versions.nonsense-survived": survives}


class FeatureFromZero(Scenario):
    """Lists a feature whose least version is 0, to every version of ApiVersions."""

    decides: ClassVar = {"client-versions.features-tolerated": succeeds}

    def features_of(self, version: int) -> Value:
        """As Kafka 4 would, if it did not spare old clients."""
        feature = {"name": "kraft.version", "minVersion": 0, "maxVersion": 1}
        return {**super().features_of(version), "supportedFeatures": [feature]}
