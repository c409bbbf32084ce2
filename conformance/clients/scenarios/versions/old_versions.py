"""Removed versions, and brokers of today: a client with newer versions needs none of them
(KIP-896).

Kafka 4.0 lists JoinGroup from version 2 on, other releases from version 0 on. The versions that a
client uses where all are served show what it can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.api_keys import DESCRIBE_CONFIGS, JOIN_GROUP, LIST_OFFSETS, OFFSET_FETCH
from conformance.clients.scenarios.actions import PLAYED, Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.releases import NAMES, Ranges

KAFKA_4 = {
    **PLAYED,
    JOIN_GROUP: (2, PLAYED[JOIN_GROUP][1]),
    LIST_OFFSETS: (1, PLAYED[LIST_OFFSETS][1]),
}
"""The versions of Kafka 4.0: a later release serves the oldest ones of JoinGroup again."""
_ABOUT: dict[Action, str] = {
    "groups": "DescribeGroups",
    "create": "CreateTopics",
    "produce": "Produce",
    "consume": "Fetch",
    "join": "JoinGroup",
    "configs": "DescribeConfigs",
    "offsets": "OffsetFetch",
}
_GONE = {DESCRIBE_CONFIGS: (0, PLAYED[DESCRIBE_CONFIGS][1])}
"""The versions served before Kafka 4 that none of the usual scenarios asks for."""
_OLD: Mapping[Action, Ranges] = {"offsets": {OFFSET_FETCH: (0, 3)}}
"""The versions that Kafka 1.0 served alone, to show by an action that the client can do it."""


def does_as_well(visit: Visit) -> None:
    """Judge that the client succeeds, if all that it asks of an older broker is served."""
    assert visit.control_case is not None
    for key, (low, high) in KAFKA_4.items():
        asked = visit.control_case.versions(NAMES[key])
        if asked and not low <= max(asked) <= high:
            raise NotApplicable(f"it knows {NAMES[key]} in v{max(asked)} alone, which is gone")
    succeeds(visit)


class _BeforeKafka4(Scenario, is_known=False):
    """Serves what Kafka 4 has taken away as well."""

    served: ClassVar = _GONE


def speaks_kafka_4(visit: Visit) -> None:
    """Judge that the client succeeds; if it asks for a version that is gone, that is the cause."""
    gone = [each for each in visit.sent if not each.is_served and each.api != "ApiVersions"]
    if visit.ended.outcome != "ok" and gone:
        what = f"{gone[0].api} v{gone[0].version} was asked, which no Apache Kafka 4 serves"
        raise Broken(what, "a version that Kafka 4 serves", gone[0].frame)
    succeeds(visit)


class _SinceKafka4(Scenario, is_known=False):
    """Serves no version that Kafka 4 has taken away."""

    served: ClassVar = KAFKA_4
    answers = "ApiVersions"
    decides: ClassVar = {"client-versions.old-versions-not-needed": does_as_well}

    @classmethod
    def ranges(cls) -> Ranges:
        """Return the versions of Kafka 4, whatever the client needs."""
        return cls.served


class _Kafka4(_SinceKafka4, is_known=False):
    """Serves no version that Kafka 4 has removed, to a client that may know no other."""

    answers = ""
    decides: ClassVar = {"client-versions.kafka-4-spoken": speaks_kafka_4}


for _action, _api in _ABOUT.items():
    _shared: dict[str, Any] = {
        "__module__": __name__,
        "about": f"{_api}Request",
        "action": _action,
        "beside": classmethod(lambda _: {}),
    }
    _says = {"__doc__": f"Serves the oldest versions too, to a client that is asked for {_action}."}
    _older = {**_shared, **_says, "served": {**_GONE, **_OLD.get(_action, {})}}
    _control_case = type(f"BeforeKafka4Of{_api}", (_BeforeKafka4,), _older)
    _says = {"__doc__": f"Serves what Kafka 4 does, to a client that is asked for {_action}."}
    type(f"Kafka4Of{_api}", (_Kafka4,), {**_shared, **_says, "control_case": _control_case})
    if _action in _OLD:
        continue  # more than the oldest versions differs
    _says = {"__doc__": f"Serves no version that is gone, to a client that is asked for {_action}."}
    type(
        f"SinceKafka4Of{_api}", (_SinceKafka4,), {**_shared, **_says, "control_case": _control_case}
    )
