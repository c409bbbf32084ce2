"""Each version of the requests that clients send, from a broker that has no other."""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

from conformance.api_keys import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, OFFSET_DELETE
from conformance.clients.scenarios.actions import ADMINISTERED, MEMBERS, PLAYED, Action, played_for
from conformance.clients.scenarios.answers.response_headers import INFLEXIBLE, first_flexible
from conformance.clients.scenarios.judging import all_of, never_above, reads, where_usual
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Visit, judgement, succeeds, survives
from conformance.dialogue import NotApplicable
from conformance.reference.broker.cluster import Topic, Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import ZERO_UUID


def _all(key: int, action: Action) -> tuple[int, ...]:
    """Return every version of an API."""
    low, high = played_for(action)[key]
    return tuple(range(low, high + 1))


_ASKED: dict[int, tuple[Action, tuple[int, ...]]] = {
    0: ("produce", (3, 8, 9, 12, 13)),
    1: ("consume", (4, 7, 11, 12, 13, 17)),
    3: ("topics", tuple(range(14))),
    10: ("groups", tuple(range(7))),
    15: ("groups", tuple(range(7))),
    16: ("listing", tuple(range(6))),
    19: ("create", tuple(range(2, 8))),
    **{key: ("join", _all(key, "join")) for key in MEMBERS},
    **{key: (action, _all(key, action)) for key, action in ADMINISTERED.items()},
    OFFSET_DELETE: ("forget", (0,)),
    CONSUMER_GROUP_HEARTBEAT: ("member", (0, 1)),
}
"""By api key, the action and the versions; for requests with records, those that differ in more
than a field.
"""

EACH_VERSION_READ = "client-versions.each-version-read"
LAST_BY_NAME = 12
"""The last version of Fetch that has names of topics."""
LAST_OFFSETS_BY_NAME = 9
"""The last version of OffsetFetch and of OffsetCommit that has names of topics."""


class _Alone(Scenario):
    """Serves one version of an API.

    A client that fails in the newest version may do well in others, so that its control case is one
    of all actions, and not what it is asked to do here. Where the version is not flexible, it is
    the one that shows that the headers of those are read.
    """

    control_case = ServesTopics


@judgement
def _reads_if_asked(visit: Visit, judgement: Judgement) -> None:
    """The judgement, which a client that does not ask this keeps as well."""
    with suppress(NotApplicable):
        judgement(visit)


def _control_case(key: int, version: int) -> type[Scenario]:
    """Return the control case for such headers; no version of OffsetDelete is flexible."""
    if key == OFFSET_DELETE:
        return INFLEXIBLE[FIND_COORDINATOR]
    return INFLEXIBLE[key] if version < first_flexible(key) else ServesTopics


ALONE: dict[tuple[int, int], type[Scenario]] = {}
"""The brokers that serve one version of an API alone, by api key and version."""
for _key, (_action, _versions) in _ASKED.items():
    for _version in _versions:
        _api = NAMES[_key]
        _judgement = reads(_api, range(_version, _version + 1))
        ALONE[_key, _version] = _Alone.variant(
            f"{_api}InV{_version}",
            f"Serves {_api} in version {_version} alone.",
            about=f"{_api}Request",
            action=_action,
            served={_key: (_version, _version)},
            decides={EACH_VERSION_READ: _judgement},
            control_case=_control_case(_key, _version),
            holds=staticmethod(_reads_if_asked(_judgement)),
        )


class _WithoutIds(Scenario):
    """Serves Metadata up to version 9, so that no client learns a topic's id."""

    served: ClassVar = {3: (PLAYED[3][0], 9)}


class NoIdsToWrite(_WithoutIds, about="ProduceRequest", action="produce"):
    """Serves Metadata up to version 9, which has no ids, and Produce in all versions."""

    answers = "Metadata"
    decides: ClassVar = {"client-versions.no-ids-survived": where_usual("Produce", survives)}


class NoIdsToRead(_WithoutIds, about="FetchRequest", action="consume"):
    """Serves Metadata up to version 9, which has no ids, and Fetch in all versions."""

    answers = "Metadata"
    decides: ClassVar = {
        "client-versions.no-ids-no-id-versions": all_of(
            never_above("Fetch", LAST_BY_NAME), succeeds
        )
    }


class _WithoutIdsYet(Scenario):
    """Describes topics without ids, as a broker does that was upgraded and has given none."""

    def described_topic(self, topic: Topic) -> Value:
        return {**super().described_topic(topic), "topicId": ZERO_UUID}


class ZeroIdsToWrite(_WithoutIdsYet, about="ProduceRequest", action="produce"):
    """Tells the id of zeros of each topic, and serves Produce in all versions."""

    answers = "Metadata"
    decides: ClassVar = NoIdsToWrite.decides


class ZeroIdsToRead(_WithoutIdsYet, about="FetchRequest", action="consume"):
    """Tells the id of zeros of each topic, and serves Fetch in all versions."""

    answers = "Metadata"
    decides: ClassVar = NoIdsToRead.decides


_BY_NAME_AS_MEMBER = {
    "client-versions.no-ids-no-id-versions": all_of(
        never_above("OffsetFetch", LAST_OFFSETS_BY_NAME),
        never_above("OffsetCommit", LAST_OFFSETS_BY_NAME),
        never_above("Fetch", LAST_BY_NAME),
        succeeds,
    )
}


class NoIdsToMembers(_WithoutIds, about="OffsetFetchRequest", action="join"):
    """Serves Metadata up to version 9, which has no ids, and offsets of groups in all versions."""

    answers = "Metadata"
    decides: ClassVar = _BY_NAME_AS_MEMBER


class ZeroIdsToMembers(_WithoutIdsYet, about="OffsetFetchRequest", action="join"):
    """Tells the id of zeros of each topic, and serves offsets of groups in all versions."""

    answers = "Metadata"
    decides: ClassVar = _BY_NAME_AS_MEMBER
