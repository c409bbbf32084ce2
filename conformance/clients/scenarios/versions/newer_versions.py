"""Newer versions beside old ones: a client that knows the old ones need not know them (KIP-35).

The versions that a client uses where the first two of each are served show what it can do.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.clients.scenarios.actions import Action, played_for
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.highest_common import first, part_of
from conformance.clients.scenarios.visit import Visit, does_well, succeeds

_ABOUT: dict[Action, str] = {"offsets": "OffsetFetch", "join": "JoinGroup"}


def does_well_so(visit: Visit) -> None:
    """Judge that the client does as well there as with a plain broker that lists topics."""
    does_well(visit)


class _FirstOnes(Scenario, is_known=False):
    """Serves the first two versions of each API."""

    control_case = ServesTopics
    holds = staticmethod(does_well_so)


class _Newer(Scenario, is_known=False):
    """Serves these and all that came later."""

    answers = "ApiVersions"
    decides: ClassVar = {"client-versions.newer-versions-not-needed": succeeds}


for _action, _api in _ABOUT.items():
    _shared: dict[str, Any] = {
        "__module__": __name__,
        "about": f"{_api}Request",
        "action": _action,
        "beside": classmethod(lambda _: {}),
    }
    _says = f"Serves the first two versions of each API, to a client that is asked for {_action}."
    _served = part_of(played_for(_action), first)
    _first = type(
        f"FirstOnesOf{_api}", (_FirstOnes,), {**_shared, "__doc__": _says, "served": _served}
    )
    _says = f"Serves all versions of each API, to a client that is asked for {_action}."
    type(f"NewerOnesOf{_api}", (_Newer,), {**_shared, "__doc__": _says, "control_case": _first})
