"""A client's use of the list of versions, as brokers give it and as they should not."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.api_keys import (
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    CREATE_TOPICS,
    FETCH,
    FIND_COORDINATOR,
    METADATA,
    PRODUCE,
)
from conformance.clients.scenarios.actions import MEMBERS, Action
from conformance.clients.scenarios.judging import never_above, never_asks, where_asked, where_usual
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Sent, Visit, fails, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import NAMES, Ranges

SOFTWARE_SINCE = 3
FEATURES_FROM_ZERO = 4
"""The first version of ApiVersions that may list features whose least version is 0."""


def asked_on_each_connection(visit: Visit) -> None:
    """The first request of every connection that carried one is ApiVersions."""
    first: dict[tuple[int, int], Sent] = {}
    for each in visit.sent:
        first.setdefault((each.node, each.connection), each)
    for (_, connection), sent in first.items():
        if sent.api != "ApiVersions":
            what = f"connection {connection} begins with {sent.api}"
            raise Broken(what, "ApiVersions", sent.frame)


class Plain(Scenario):
    """Serves every version of everything."""

    answers = ""
    decides: ClassVar = {
        "client-versions.greets-each-connection": asked_on_each_connection,
    }


class PlainToMembers(Plain, action="join"):
    """Serves every version of everything, to a client that opens several connections."""


class _ListedSession(Session):
    """Answers what is listed, and hangs up on all else, as Apache Kafka does."""

    def is_supported(self, api_key: int, version: int) -> bool:
        """True if a version is in the list, and exists."""
        listed = {each["apiKey"]: each for each in self.broker.advertised(version)}
        own = listed.get(api_key, {"minVersion": 0, "maxVersion": -1})
        is_listed = own["minVersion"] <= version <= own["maxVersion"]
        return is_listed and super().is_supported(api_key, version)


class _Lists(Scenario):
    """Answers ApiVersions with more, or less, than there is."""

    changed: ClassVar[Ranges] = {}
    answers = "ApiVersions"
    sessions = _ListedSession

    def advertised_range(self, api_key: int) -> Value:
        """Return the range of an API, changed for some."""
        low, high = self.changed.get(api_key, self.versions[api_key])
        return {"apiKey": api_key, "minVersion": low, "maxVersion": high}


class UnknownKeys(_Lists):
    """Lists api keys that nobody knows."""

    keys: ClassVar[tuple[int, ...]] = (999, 32767)
    decides: ClassVar = {"client-versions.unknown-keys-ignored": succeeds}

    def advertised(self, version: int) -> list[Value]:
        unknown = [{"apiKey": key, "minVersion": 0, "maxVersion": 9} for key in self.keys]
        return [*super().advertised(version), *unknown]


class KeysBelowZero(UnknownKeys):
    """Lists api keys that are negative."""

    keys = (-7, -32768)
    control_case = UnknownKeys
    decides: ClassVar = {"client-versions.nonsense-survived": survives}


class WiderRanges(_Lists):
    """Lists every API but ApiVersions up to version 100."""

    decides: ClassVar = {"client-versions.within-both-ranges": succeeds}

    def advertised_range(self, api_key: int) -> Value:
        """Return the range of an API, up to version 100."""
        listed = super().advertised_range(api_key)
        return listed if api_key == API_VERSIONS else {**listed, "maxVersion": 100}


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
        return super().advertised(version) * 2


class _Leaves(_Lists):
    """Leaves an API out of its list."""

    left_out: ClassVar[int]

    def advertised(self, version: int) -> list[Value]:
        return [each for each in super().advertised(version) if each["apiKey"] != self.left_out]


def _make(base: type[Scenario], name: str, says: str, api_key: int, **more: Any) -> None:
    """A broker that says something else of one API."""
    api = NAMES[api_key]
    base.variant(
        f"{api}{name}",
        says.replace("API", api),
        about=f"{api}Request",
        action=_ACTIONS[api_key],
        **more,
    )


_ACTIONS: dict[int, Action] = {
    METADATA: "topics",
    FIND_COORDINATOR: "groups",
    CREATE_TOPICS: "create",
    PRODUCE: "produce",
    FETCH: "consume",
    **dict.fromkeys(MEMBERS, "join"),
    CONSUMER_GROUP_HEARTBEAT: "member",
}
_NONSENSE = {"client-versions.nonsense-survived": survives}
_IN_COMMON = "client-versions.nothing-in-common-fails"
_BESIDE = frozenset({8, 9, 12, 13, CONSUMER_GROUP_HEARTBEAT})
"""Commits, beats and farewells, without which a member may well read on, and what a member of the
classic protocol does without."""
_NO_RANGE = frozenset({"client-versions.within-both-ranges"})
for _key in _ACTIONS:
    _never = never_asks(NAMES[_key])
    _make(
        _Lists,
        "LowAboveHigh",
        "Lists API with its lowest version above its highest.",
        _key,
        changed={_key: (4, 1)},
        leaves_open=_NO_RANGE,
        decides=_NONSENSE,
    )
    _make(
        _Lists,
        "NegativeVersions",
        "Lists API in versions below zero.",
        _key,
        changed={_key: (-5, -1)},
        leaves_open=_NO_RANGE,
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
            **({} if _key in _BESIDE else {_IN_COMMON: where_usual(NAMES[_key], fails)}),
        },
    )
    _make(
        _Leaves,
        "Missing",
        "Leaves API out of its list.",
        _key,
        left_out=_key,
        decides={
            "client-versions.unlisted-is-not-asked": _never,
            "client-versions.missing-api-survived": survives,
        },
    )


class _Feature(Scenario):
    """Lists one feature, which no client knows."""

    lowest: ClassVar[int] = 0
    since: ClassVar[int] = FEATURES_FROM_ZERO

    def features_of(self, version: int) -> Value:
        """Return the features with an unknown one, in versions that may list it."""
        feature = {"name": "unheard.of", "minVersion": self.lowest, "maxVersion": 1}
        listed = [feature] if version >= self.since else []
        return {**super().features_of(version), "supportedFeatures": listed}


class UnknownFeature(_Feature):
    """Lists a feature that nobody knows, whose least version is 1."""

    lowest = 1
    since = SOFTWARE_SINCE
    decides: ClassVar = {
        "client-versions.features-tolerated": where_asked(
            "ApiVersions", succeeds, range(SOFTWARE_SINCE, 100)
        )
    }


class FeatureFromZero(_Feature):
    """Lists a feature whose least version is 0, from version 4 of ApiVersions on."""

    control_case = UnknownFeature
    decides: ClassVar = {
        "client-versions.features-tolerated": where_asked(
            "ApiVersions", succeeds, range(FEATURES_FROM_ZERO, 100)
        )
    }


class FeatureFromZeroInV3(_Feature):
    """Lists a feature whose least version is 0 in version 3 of ApiVersions, the highest served."""

    since = SOFTWARE_SINCE
    control_case = UnknownFeature
    decides: ClassVar = {
        "client-versions.feature-from-zero-survived": where_asked(
            "ApiVersions", survives, range(SOFTWARE_SINCE, FEATURES_FROM_ZERO)
        )
    }

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, API_VERSIONS: (0, SOFTWARE_SINCE)}
