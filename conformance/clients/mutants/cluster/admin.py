"""Clients that ask about a cluster in the wrong place, or for something else than they were to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import METADATA
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course
from conformance.testee_protocol import Value


class NoneForAll(ClientMutant, breaks="client-requests.null-for-all"):
    """Asks for the offsets of no topic where it wants those of all."""

    def all_topics(self, version: int) -> list[Value] | None:
        return []


class NoTopicForAll(ClientMutant, breaks="client-requests.all-topics-asked"):
    """Asks Metadata for no topic where it wants all."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        none: dict[str, Any] = (
            {"topics": []} if api_key == METADATA and wanted["topics"] is None else {}
        )
        return super().frame(api_key, version, number, {**wanted, **none})


class ReadsWhatIsNotCommitted(ClientMutant, breaks="client-requests.isolation-told"):
    """Asks where a partition ends, whether or not that is committed."""

    isolation = 0


class AsksAnyForConfigs(ClientMutant, breaks="client-requests.configs-of-that-broker"):
    """Asks the broker that it knows first for the configs of any."""

    def whose_configs(self, answer: Value, number: int) -> int:
        return int(answer["brokers"][0]["nodeId"])


class TellsGroupsTwice(ClientMutant, breaks="client-answers.groups-told-once"):
    """Tells of a group as often as brokers do."""

    def news(self, groups: list[Value]) -> list[Value]:
        return groups


class NoMemberWithoutMetadata(ClientMutant, breaks="client-answers.members-of-groups-read"):
    """Takes the first byte of what members of a group say, without a look whether there is one."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        for group in value.get("groups", []) if api_key == 15 else []:
            for member in group["members"]:
                _ = member["memberMetadata"][0]
        return value


class TakesAPartitionForGranted(ClientMutant, breaks="client-answers.missing-partition-survived"):
    """Takes it that a topic has partitions where its end is asked."""

    def ends(self) -> Course:
        answer = yield from self.metadata()
        for topic in answer["topics"]:
            _ = topic["partitions"][0]
        yield from super().ends()
