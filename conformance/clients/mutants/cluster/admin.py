"""Clients that ask about a cluster in the wrong place, or for something else than they were to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import METADATA
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course
from conformance.testee_protocol import Value


class NoneForAll(ClientMutant):
    """Asks for the offsets of no topic where it wants those of all."""

    breaks = "client-requests.null-for-all"

    def all_topics(self, version: int) -> list[Value] | None:
        return []


class NoTopicForAll(ClientMutant):
    """Asks Metadata for no topic where it wants all."""

    breaks = "client-requests.all-topics-asked"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        none: dict[str, Any] = (
            {"topics": []} if api_key == METADATA and wanted["topics"] is None else {}
        )
        return super().frame(api_key, version, number, {**wanted, **none})


class ReadsWhatIsNotCommitted(ClientMutant):
    """Asks where a partition ends, whether or not that is committed."""

    breaks = "client-requests.isolation-told"
    isolation = 0


class AsksAnyForConfigs(ClientMutant):
    """Asks the broker that it knows first for the configs of any."""

    breaks = "client-requests.configs-of-that-broker"

    def whose_configs(self, answer: Value, number: int) -> int:
        return int(answer["brokers"][0]["nodeId"])


class TellsGroupsTwice(ClientMutant):
    """Tells of a group as often as brokers do."""

    breaks = "client-answers.groups-told-once"

    def news(self, groups: list[Value]) -> list[Value]:
        return groups


class NoMemberWithoutMetadata(ClientMutant):
    """Takes the first byte of what members of a group say, without a look whether there is one."""

    breaks = "client-answers.members-of-groups-read"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        for group in value.get("groups", []) if api_key == 15 else []:
            for member in group["members"]:
                _ = member["memberMetadata"][0]
        return value


class TakesAPartitionForGranted(ClientMutant):
    """Takes it that a topic has partitions where its end is asked."""

    breaks = "client-answers.missing-partition-survived"

    def ends(self) -> Course:
        answer = yield from self.metadata()
        for topic in answer["topics"]:
            _ = topic["partitions"][0]
        yield from super().ends()
