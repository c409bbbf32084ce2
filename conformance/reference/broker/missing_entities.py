"""Requests about things that this broker never has: each entry's result says that it is missing.

Groups and producers are dropped as soon as they are answered, and SCRAM credentials
of users can't be described, though users may log in by SCRAM.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance import error_codes
from conformance.reference.broker.cluster import Cluster, Request, Value
from conformance.reference.codec import PlainCodec
from conformance.schema.filling import filled

NOT_FOUND = "There is no such thing."


class Nothing(Cluster):
    """The handlers of requests about entities that this broker never has."""

    writes: PlainCodec

    def describe_user_scram_credentials(self, request: Request) -> Value:
        """Return that each user has no credentials."""
        names = [each["name"] for each in request.value["users"] or ()]
        code = error_codes.RESOURCE_NOT_FOUND
        return self._each("DescribeUserScramCredentials", request, "user", names, code)

    def alter_user_scram_credentials(self, request: Request) -> Value:
        """Return that each user has no credentials; new ones are not stored."""
        asked = (*request.value["deletions"], *request.value["upsertions"])
        names = dict.fromkeys(each["name"] for each in asked)
        code = error_codes.RESOURCE_NOT_FOUND
        return self._each("AlterUserScramCredentials", request, "user", names, code)

    def describe_topic_partitions(self, request: Request) -> Value:
        """Return that each topic does not exist."""
        names = dict.fromkeys(each["name"] for each in request.value["topics"])
        code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
        return self._each("DescribeTopicPartitions", request, "name", names, code)

    def delete_groups(self, request: Request) -> Value:
        """Return that each group does not exist."""
        names = request.value["groupsNames"]
        code = error_codes.GROUP_ID_NOT_FOUND
        return self._each("DeleteGroups", request, "groupId", names, code)

    def consumer_group_describe(self, request: Request) -> Value:
        """Return that each consumer group does not exist."""
        return self._no_groups("ConsumerGroupDescribe", request)

    def share_group_describe(self, request: Request) -> Value:
        """Return that each share group does not exist."""
        return self._no_groups("ShareGroupDescribe", request)

    def streams_group_describe(self, request: Request) -> Value:
        """Return that each streams group does not exist."""
        return self._no_groups("StreamsGroupDescribe", request)

    def describe_producers(self, request: Request) -> Value:
        """Return each partition without producers."""
        topics = [
            {
                "name": topic["name"],
                "partitions": [{"partitionIndex": each} for each in topic["partitionIndexes"]],
            }
            for topic in request.value["topics"]
        ]
        layout = self.writes.form("DescribeProducersResponse", request.version).layout
        return filled(layout, {"topics": topics})

    def delete_share_group_offsets(self, request: Request) -> Value:
        """Return that each topic does not exist."""
        names = [each["topicName"] for each in request.value["topics"]]
        code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
        return self._each("DeleteShareGroupOffsets", request, "topicName", names, code)

    def _no_groups(self, api: str, request: Request) -> Value:
        names, code = request.value["groupIds"], error_codes.GROUP_ID_NOT_FOUND
        return self._each(api, request, "groupId", names, code)

    def _each(self, api: str, request: Request, by: str, names: Iterable[str], code: int) -> Value:
        """Return a result with this error for each name."""
        layout = self.writes.form(f"{api}Response", request.version).layout
        [results] = (each.name for each in layout.fields if each.type.element is not None)
        told = {"errorCode": code, "errorMessage": NOT_FOUND}
        return filled(layout, {results: [{by: name, **told} for name in names]})
