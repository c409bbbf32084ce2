"""Clients that are configured for a release of Apache Kafka, as all were before KIP-35.

The brokers are of that release, so that it says nothing that their lists of versions do not.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.clients.scenarios.actions import FIRST, Action
from conformance.clients.scenarios.judging import unless_older
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.highest_common import not_below
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.releases import PLAYED as RELEASES

NEWEST = "4.4.0"
_BEFORE_4 = RELEASES["2.3"].ranges
_OLDEST = RELEASES["0.10"].ranges
TOLD = "client-answers.controller-told"
NAMED_SINCE = 1
"""The first version of Metadata that names the controller."""


class ConfiguredForNewest(Scenario):
    """A broker as it is, to a client that is configured for the newest release."""

    about = "MetadataRequest"
    release = NEWEST


class ConfiguredFor23(Scenario):
    """Is a broker of Kafka 2.3, as the client is configured for."""

    about = "MetadataRequest"
    answers = "ApiVersions"
    release = "2.3.0"
    control_case = ConfiguredForNewest
    decides: ClassVar = {"client-versions.highest-of-both": not_below(_BEFORE_4)}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"versions": _BEFORE_4, **settings})


def tells_controller(visit: Visit) -> None:
    """Judge that the driver prints the controller's id."""
    succeeds(visit)
    if not visit.ended.text:
        raise NotApplicable("the driver does not tell of the controller")
    if visit.ended.text != str(FIRST):
        what = f"it tells the controller {visit.ended.text}, and that is {FIRST}"
        raise Broken(what, str(FIRST), visit.ended.text)


CONTROLLER_TOLD = {TOLD: unless_older("Metadata", NAMED_SINCE, tells_controller)}


class ControllerTold(Scenario):
    """Is the controller of its cluster."""

    about = "MetadataRequest"
    action: ClassVar[Action] = "cluster"
    decides: ClassVar = CONTROLLER_TOLD


class _Of010(Scenario, is_known=False):
    """Is of Kafka 0.10.2, as the client is configured for."""

    about = "MetadataRequest"
    action: ClassVar[Action] = "cluster"
    release = "0.10.2.0"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"versions": _OLDEST, **settings})


class ServesConfiguredFor010(_Of010):
    """A broker of Kafka 0.10.2, to a client that is configured for it."""


class ConfiguredFor010(_Of010):
    """Is the controller and of Kafka 0.10.2, as the client is configured for."""

    control_case = ServesConfiguredFor010
    decides: ClassVar = CONTROLLER_TOLD
