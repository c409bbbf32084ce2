"""A topic that is not there, which brokers may make for who writes to it."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.plain_brokers import ServesWriting
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.dialogue import Broken, NotApplicable

TOLD_SINCE = 4
"""The first version of Metadata that says whether topics may be made."""
NEW = "made-by-writing"


def may_be_made(visit: Visit) -> None:
    """Judge that a Metadata that names the topic allows its creation."""
    asked = [
        each
        for each in visit.of("Metadata")
        if each.value and each.version >= TOLD_SINCE and not each.wrong
        if NEW in [topic["name"] for topic in each.value["topics"] or ()]
    ]
    if not asked:
        raise NotApplicable("it named the topic in no Metadata that tells of it")
    if not any(each.value and each.value["allowAutoTopicCreation"] for each in asked):
        what = f"Metadata v{asked[0].version} forbids the topic that is to be made"
        raise Broken(what, "allowAutoTopicCreation", asked[0].frame)


class MakesTopic(Scenario):
    """Makes the topic that is written to, where a client says that it may."""

    about = "MetadataRequest"
    action = "made"
    control_case = ServesWriting
    decides: ClassVar = {"client-requests.creation-is-told": may_be_made}
