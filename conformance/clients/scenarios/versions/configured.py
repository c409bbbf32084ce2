"""Clients that are configured for a release of Apache Kafka, as all were before KIP-35.

The brokers are of that release, so that it says nothing that their lists of versions do not.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import FIRST
from conformance.clients.scenarios.judging import CONTROLLER_NAMED_SINCE, unless_older
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.highest_common import not_below
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.releases import PLAYED as RELEASES

NEWEST = "4.4.0"
_BEFORE_4 = RELEASES["2.3"].ranges
_OLDEST = RELEASES["0.10"].ranges
TOLD = "client-answers.controller-told"


class ConfiguredForNewest(Scenario, about="MetadataRequest"):
    """A broker as it is, to a client that is configured for the newest release."""

    release = NEWEST


class ConfiguredFor23(Scenario, about="MetadataRequest"):
    """Is a broker of Kafka 2.3, as the client is configured for."""

    answers = "ApiVersions"
    release = "2.3.0"
    control_case = ConfiguredForNewest
    decides: ClassVar = {"client-versions.highest-of-both": not_below(_BEFORE_4)}
    configured: ClassVar = {"versions": _BEFORE_4}


def tells_controller(visit: Visit) -> None:
    """Judge that the driver prints the controller's id."""
    succeeds(visit)
    require(visit.ended.text, "the driver does not tell of the controller")
    if visit.ended.text != str(FIRST):
        what = f"it tells the controller {visit.ended.text}, and that is {FIRST}"
        raise Broken(what, str(FIRST), visit.ended.text)


CONTROLLER_TOLD = {TOLD: unless_older("Metadata", CONTROLLER_NAMED_SINCE, tells_controller)}


class ControllerTold(Scenario, about="MetadataRequest", action="cluster"):
    """Is the controller of its cluster."""

    decides: ClassVar = CONTROLLER_TOLD


class _Of010(Scenario, is_known=False, about="MetadataRequest", action="cluster"):
    """Is of Kafka 0.10.2, as the client is configured for."""

    release = "0.10.2.0"
    configured: ClassVar = {"versions": _OLDEST}


class ServesConfiguredFor010(_Of010):
    """A broker of Kafka 0.10.2, to a client that is configured for it."""


class ConfiguredFor010(_Of010):
    """Is the controller and of Kafka 0.10.2, as the client is configured for."""

    control_case = ServesConfiguredFor010
    decides: ClassVar = CONTROLLER_TOLD
