"""ApiVersions as brokers answer it, and as they should not (KIP-511): what a client makes of it."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.dialogue import Broken, NotHere
from conformance.peers import errors
from conformance.peers.cluster import Request, Value
from conformance.peers.errors import Hangup
from conformance.peers.played import NAMES, Ranges
from conformance.peers.session import Session
from conformance.scenarios import Action, Scenario
from conformance.scenarios.judging import asks_no_more_than, never_above, never_asks, where_asked
from conformance.scenarios.visit import Judgement, Sent, Visit, fails, succeeds, survives

PRODUCE, FETCH, METADATA, FIND_COORDINATOR, API_VERSIONS, CREATE_TOPICS = 0, 1, 3, 10, 18, 19
SOFTWARE_SINCE = 3
MOST_ATTEMPTS = 100
"""More requests than this in one visit are a loop, whatever back-off there is between them."""
MOST_A_SECOND = 30
"""More connections than this in one second are tried without a back-off."""


def begins_again_with(version: int, highest: int) -> Judgement:
    """Whatever ApiVersions comes next after one above the highest, which is refused, has a version.

    Next on the same connection; on the following one where a client leaves those that refuse.
    """

    def judge(visit: Visit) -> None:
        asked = visit.of("ApiVersions")
        refused = [each for each in asked if each.version > highest]
        if not refused:
            raise NotHere(f"it asks no ApiVersions above {highest}")
        after = [following for each in refused if (following := _next(visit, each)) is not None]
        if not after:
            shown = [each.version for each in asked]
            raise Broken(f"ApiVersions was asked in {shown}", f"{shown[0]}, then {version}")
        for following in after:
            if following.version != version:
                what = f"after a refused ApiVersions came v{following.version}"
                raise Broken(what, f"v{version}", f"v{following.version}")

    return judge


def _next(visit: Visit, refused: Sent) -> Sent | None:
    """The ApiVersions that follows a refused one."""
    later = visit.of("ApiVersions")
    later = later[later.index(refused) + 1 :]
    here = [each for each in later if each.connection == refused.connection]
    opened = [each for each in later if visit.opened[each.connection] > refused.at_s]
    return next(iter(here or opened), None)


def _does_well_above(highest: int) -> Judgement:
    """The client got what it wanted, also where it asked what is refused."""
    return where_asked("ApiVersions", succeeds, range(highest + 1, 100))


def reads_as_asked(version: int) -> Judgement:
    """The client goes on by the answer to an ApiVersions of this version, which it asked."""
    return where_asked("ApiVersions", succeeds, range(version, version + 1))


def backs_off(visit: Visit) -> None:
    """No second has more than so many new connections."""
    for first, at_s in enumerate(visit.opened):
        within = [each for each in visit.opened[first:] if each < at_s + 1]
        if len(within) > MOST_A_SECOND:
            what = f"{len(within)} connections in one second"
            raise Broken(what, f"at most {MOST_A_SECOND}", f"{len(within)}")


def asked_on_each_connection(visit: Visit) -> None:
    """The first request of every connection that carried one is ApiVersions."""
    first: dict[tuple[int, int], str] = {}
    for each in visit.sent:
        first.setdefault((each.node, each.connection), each.api)
    for (_, connection), api in first.items():
        if api != "ApiVersions":
            what = f"connection {connection} begins with {api}"
            raise Broken(what, "ApiVersions", api)


def fails_where_refused(visit: Visit) -> None:
    """A client that asked in a version that is not served said that it could not go on."""
    if all(version <= HintAboveAll.highest for version in visit.versions("ApiVersions")):
        raise NotHere("it asked in a version that is served")
    fails(visit)


class Plain(Scenario):
    """Serves every version of everything."""

    decides: ClassVar = {
        "client-versions.greets-each-connection": asked_on_each_connection,
    }


class _Serves(Scenario):
    """Serves ApiVersions up to a version, and refuses those above as brokers of its time do."""

    highest: ClassVar[int]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, API_VERSIONS: (0, self.highest)}


class ServesUpTo0(_Serves):
    """Serves ApiVersions in version 0 alone, and refuses others with an empty list."""

    highest = 0
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(0),
        "client-fallback.no-hint-means-v0": begins_again_with(0, 0),
        "client-fallback.answer-read-as-asked": reads_as_asked(0),
    }


class ServesUpTo2(_Serves):
    """Serves ApiVersions up to version 2, and refuses others with an empty list, as before 2.4."""

    highest = 2
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(2),
        "client-fallback.no-hint-means-v0": begins_again_with(0, 2),
    }


class ServesUpTo3(_Serves):
    """Serves ApiVersions up to version 3, and refuses others with an empty list."""

    highest = 3
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(3),
        "client-fallback.no-hint-means-v0": begins_again_with(0, 3),
    }

    def versions_to_retry(self) -> list[Value]:
        """None."""
        return []


class ServesUpTo4(ServesUpTo3):
    """Serves ApiVersions up to version 4, and refuses others with an empty list."""

    highest = 4
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(4),
        "client-fallback.no-hint-means-v0": begins_again_with(0, 4),
    }


class HintsTo3(_Serves):
    """Serves ApiVersions up to version 3, and says so in a refusal."""

    highest = 3
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(3),
        "client-fallback.hint-is-followed": begins_again_with(3, 3),
        "client-fallback.refusal-is-no-list": _does_well_above(3),
        "client-fallback.answer-read-as-asked": reads_as_asked(3),
    }


class HintsTo4(_Serves):
    """Serves ApiVersions up to version 4, and says so in a refusal."""

    highest = 4
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(4),
        "client-fallback.hint-is-followed": begins_again_with(4, 4),
        "client-fallback.refusal-is-no-list": _does_well_above(4),
        "client-fallback.answer-read-as-asked": reads_as_asked(4),
    }


class HintsTo(_Serves):
    """Serves ApiVersions up to version 2, and says so in a refusal, as from 2.4 on."""

    highest = 2
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(2),
        "client-fallback.hint-is-followed": begins_again_with(2, 2),
        "client-fallback.refusal-is-no-list": _does_well_above(2),
        "client-fallback.answer-read-as-asked": reads_as_asked(2),
    }

    def versions_to_retry(self) -> list[Value]:
        """The own range."""
        return [self.advertised_range(API_VERSIONS)]


class HintsTo1(HintsTo):
    """Serves ApiVersions up to version 1, and says so in a refusal."""

    highest = 1
    decides: ClassVar = {
        "client-fallback.refusal-is-v0": _does_well_above(1),
        "client-fallback.hint-is-followed": begins_again_with(1, 1),
        "client-fallback.answer-read-as-asked": reads_as_asked(1),
    }


class HintWithoutOwnKey(HintsTo):
    """Refuses with a list that has Metadata in it, and not ApiVersions."""

    decides: ClassVar = {"client-fallback.no-hint-means-v0": begins_again_with(0, 2)}

    def versions_to_retry(self) -> list[Value]:
        """Something else's range."""
        return [self.advertised_range(METADATA)]


class HintAboveAll(HintsTo):
    """Refuses every ApiVersions above 0, and hints at versions that nobody has yet."""

    decides: ClassVar = {
        "client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.nothing-in-common-fails": fails_where_refused,
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


class RefusesAllWithoutAHint(_Refuses):
    """Refuses every ApiVersions, version 0 as well, with an empty list."""

    decides: ClassVar = {"client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS)}

    def versions_to_retry(self) -> list[Value]:
        """None."""
        return []


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

    decides: ClassVar = {
        "client-fallback.closed-is-bounded": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.closed-backs-off": backs_off,
    }

    def api_versions(self, request: Request) -> Value:
        """Nothing."""
        if request.version >= SOFTWARE_SINCE:
            raise Hangup
        return super().api_versions(request)


class ClosesOnAll(ClosesOnV3):
    """Closes the connection on every ApiVersions."""

    decides: ClassVar = {**ClosesOnV3.decides}

    def api_versions(self, request: Request) -> Value:
        """Nothing."""
        del request
        raise Hangup


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

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, METADATA: (0, 4)}


class KeysTwice(_Lists):
    """Lists each API twice."""

    decides: ClassVar = {"client-versions.nonsense-survived": survives}

    def advertised(self, version: int) -> list[Value]:
        """The list, and again."""
        return super().advertised(version) * 2


class _Leaves(_Lists):
    """Leaves an API out of its list."""

    left_out: ClassVar[int]

    def advertised(self, version: int) -> list[Value]:
        """The list without it."""
        return [each for each in super().advertised(version) if each["apiKey"] != self.left_out]


def _make(base: type[Scenario], name: str, says: str, api_key: int, **more: Any) -> None:
    """A broker that says something else of one API."""
    api = NAMES[api_key]
    fields = {
        "__doc__": says.replace("API", api),
        "__module__": __name__,
        "about": f"{api}Request",
        "action": _ACTIONS[api_key],
        **more,
    }
    type(f"{api}{name}", (base,), fields)


_ACTIONS: dict[int, Action] = {
    METADATA: "topics",
    FIND_COORDINATOR: "groups",
    CREATE_TOPICS: "create",
    PRODUCE: "produce",
    FETCH: "consume",
}
_NONSENSE = {"client-versions.nonsense-survived": survives}
for _key in _ACTIONS:
    _never = never_asks(NAMES[_key])
    _make(
        _Lists,
        "LowAboveHigh",
        "Lists API with its lowest version above its highest.",
        _key,
        changed={_key: (4, 1)},
        decides=_NONSENSE,
    )
    _make(
        _Lists,
        "NegativeVersions",
        "Lists API in versions below zero.",
        _key,
        changed={_key: (-5, -1)},
        decides=_NONSENSE,
    )
    _make(
        _Lists,
        "OutOfReach",
        "Lists API in versions that nobody has yet.",
        _key,
        changed={_key: (100, 120)},
        decides={
            "client-versions.nothing-in-common-is-not-sent": _never,
            "client-versions.nothing-in-common-fails": fails,
        },
    )
    _make(
        _Leaves,
        "Missing",
        "Leaves API out of its list.",
        _key,
        left_out=_key,
        decides={"client-versions.missing-api-survived": survives},
    )


class FeatureFromZero(Scenario):
    """Lists a feature whose least version is 0, to every version of ApiVersions."""

    decides: ClassVar = {"client-versions.features-tolerated": succeeds}

    def features_of(self, version: int) -> Value:
        """As Kafka 4 would, if it did not spare old clients."""
        feature = {"name": "kraft.version", "minVersion": 0, "maxVersion": 1}
        return {**super().features_of(version), "supportedFeatures": [feature]}
