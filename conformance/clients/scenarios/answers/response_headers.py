"""The header of a response as clients read it, which has a tag section in flexible versions alone.

A client that misses the section, or looks for one where there is none, reads every body from the
wrong byte. So it is met by brokers that serve an API in either kind of version alone, with the
flexible kind where it did well with the other. ApiVersions is for itself: its header never has the
section (KIP-511).
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import ADMINISTERED, MEMBERS, Action, played_for
from conformance.clients.scenarios.answers.tags import HEADER_TAGS, has_header_tags
from conformance.clients.scenarios.judging import reads, where_asked
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.requests.headers import (
    client_id_not_compact,
    fields_of_v1,
    tags_where_flexible,
)
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.refusals import HintsTo
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form
from conformance.schema.releases import definitions

_ASKED: dict[int, Action] = {
    3: "topics",
    10: "groups",
    15: "groups",
    16: "listing",
    19: "create",
    0: "produce",
    1: "consume",
    **dict.fromkeys(MEMBERS, "join"),
    **ADMINISTERED,
}
_TAGGED: dict[int, Action] = {**_ASKED, 22: "produce", 2: "consume"}
INFLEXIBLE: dict[int, type[Scenario]] = {}
"""The brokers that serve only inflexible versions, by api key."""
FLEXIBLE_GREETING = 3
"""The first version of ApiVersions that is flexible, but for its response header."""


def first_flexible(api_key: int) -> int:
    """The first version of an API whose answers are flexible."""
    return definitions()[f"{NAMES[api_key]}Response"].flexible.low


def _pair(api_key: int, action: Action) -> None:
    """Define two brokers for an action, the first of them the other's control case."""
    api = NAMES[api_key]
    border, (low, high) = first_flexible(api_key), played_for(action)[api_key]
    shared = {"__module__": __name__, "about": f"{api}Request", "action": action}
    inflexible = {
        "__doc__": f"Serves {api} in versions alone that are not flexible.",
        "served": {api_key: (low, border - 1)},
        "decides": {
            "response-header.v0-fields": reads(api, range(border)),
            "request-header.v1-fields": fields_of_v1,
            "request-header.flexible-adds-tags": tags_where_flexible,
        },
        # a request shows its header, whatever its answer would be
        "controls": {
            "request-header.v1-fields": ServesTopics,
            "request-header.flexible-adds-tags": ServesTopics,
        },
    }
    control_case = type(f"InflexibleOf{api}", (Scenario,), {**shared, **inflexible})
    INFLEXIBLE[api_key] = control_case
    flexible = {
        "__doc__": f"Serves {api} in flexible versions alone.",
        "served": {api_key: (border, high)},
        "control_case": control_case,
        "decides": {
            "response-header.flexible-adds-tags": reads(api, range(border, 100)),
            "request-header.client-id-not-compact": client_id_not_compact,
        },
    }
    type(f"FlexibleOf{api}", (Scenario,), {**shared, **flexible})


class _TagsInHeader(Rewrites):
    """Answers one API with unknown tags in the header, and in no struct."""

    def frame(self, form: Form, frame: bytes) -> bytes:
        return frame[:4] + HEADER_TAGS + frame[5:] if has_header_tags(form) else frame


def _tagged(api_key: int, action: Action) -> None:
    """A broker that has something to say in the header of one API's answers."""
    api = NAMES[api_key]
    skipped = where_asked(api, succeeds, range(first_flexible(api_key), 100))
    _TagsInHeader.variant(
        f"HeaderTagsIn{api}",
        f"Answers {api} with unknown tags in the header alone.",
        about=f"{api}Request",
        action=action,
        decides={"response-header.unknown-tag-skipped": skipped},
    )


for _key, _action in _ASKED.items():
    _pair(_key, _action)
for _key, _action in _TAGGED.items():
    _tagged(_key, _action)


class GreetsInFlexibleVersions(Scenario):
    """Serves ApiVersions in its flexible versions too, to a client that does well without them."""

    control_case = HintsTo
    decides: ClassVar = {
        "response-header.api-versions-stays-v0": where_asked(
            "ApiVersions", succeeds, range(FLEXIBLE_GREETING, 100)
        )
    }
