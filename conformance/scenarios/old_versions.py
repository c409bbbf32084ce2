"""Versions that are gone, from brokers of today: nobody needs them who knows newer ones (KIP-896).

What a client can do is told by the versions that it asks of a broker before Kafka 4. Where a broker
of today serves all of those, it can do the same there.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.dialogue import NotHere
from conformance.peers.played import NAMES
from conformance.scenarios import OLDER, PLAYED, Action
from conformance.scenarios.playing import Serves
from conformance.scenarios.visit import Visit, succeeds

_ABOUT: dict[Action, str] = {
    "groups": "DescribeGroups",
    "create": "CreateTopics",
    "produce": "Produce",
    "consume": "Fetch",
    "join": "JoinGroup",
}


def does_as_well(visit: Visit) -> None:
    """The client gets what it wanted, where all that it asks of an older broker is served."""
    assert visit.twin is not None
    for key, (low, high) in PLAYED.items():
        asked = visit.twin.versions(NAMES[key])
        if asked and not low <= max(asked) <= high:
            raise NotHere(f"it knows {NAMES[key]} in v{max(asked)} alone, which is gone")
    succeeds(visit)


class _BeforeKafka4(Serves, is_known=False):
    """Serves all versions that Kafka 3.9 has."""

    served: ClassVar = OLDER


class _SinceKafka4(Serves, is_known=False):
    """Serves no version that Kafka 4 has taken away."""

    served: ClassVar = PLAYED
    answers = "ApiVersions"
    decides: ClassVar = {"client-versions.old-versions-not-needed": does_as_well}


for _action, _api in _ABOUT.items():
    _shared: dict[str, Any] = {
        "__module__": __name__,
        "about": f"{_api}Request",
        "action": _action,
        "beside": classmethod(lambda _: {}),
    }
    _says = {"__doc__": f"Serves what Kafka 3.9 has, to a client that is asked for {_action}."}
    _twin = type(f"BeforeKafka4Of{_api}", (_BeforeKafka4,), {**_shared, **_says})
    _says = {"__doc__": f"Serves no version that is gone, to a client that is asked for {_action}."}
    type(f"SinceKafka4Of{_api}", (_SinceKafka4,), {**_shared, **_says, "twin": _twin})
