"""Clients whose requests are none, or carry records that are none."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Any

from conformance.api_keys import ALTER_CONFIGS, LIST_OFFSETS
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Failed
from conformance.reference.client.steps import Asking
from conformance.testee_protocol import Value

ENDS = 4
"""The last bytes of AlterConfigs: the tags of the config and of its resource, whether it is only to
be validated, and the tags of the request."""


class NoTagsInHeaders(ClientMutant, breaks="request-header.flexible-adds-tags"):
    """Leaves the tag section out of the header of flexible requests."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        whole = super().frame(api_key, version, number, wanted)
        form = self.codec.form(self.message(api_key, "Request"), version)
        if not form.flexible:
            return whole
        at = 4 + 8 + 2 + len((self.client_id or "").encode())
        data = whole[4:at] + whole[at + 1 :]
        return struct.pack(">i", len(data)) + data


class StumblesOverNames(ClientMutant, breaks="client-requests.any-topic-name"):
    """Takes what a dictionary has under a topic's name for what it keeps of the topic."""

    def metadata(self, *names: str) -> Asking:
        answer = yield from super().metadata(*names)
        for name in names:
            if hasattr({}, name):
                raise Failed(f"{name} is no topic")
        return answer


class ByteBehindTheBody(ClientMutant, breaks="client-requests.readable"):
    """Sends one byte more than the request has."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        data = super().frame(api_key, version, number, wanted)[4:] + b"\0"
        return struct.pack(">i", len(data)) + data


class NoTagsInConfigs(ClientMutant, breaks="client-requests.readable"):
    """Leaves the tag section out of each config that it gives a broker."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        whole = super().frame(api_key, version, number, wanted)
        form = self.codec.form(self.message(api_key, "Request"), version)
        if api_key != ALTER_CONFIGS or not form.flexible:
            return whole
        data = whole[4:-ENDS] + whole[-ENDS + 1 :]
        return struct.pack(">i", len(data)) + data


class BlankInItsName(ClientMutant, breaks="client-requests.software-named"):
    """Has a blank in the name of its software."""

    name = "kafka conformance"


class NoVersionOfItsSoftware(ClientMutant, breaks="client-requests.software-named"):
    """Sends no version of its software."""

    software_version = ""


class AlwaysNumberOne(ClientMutant, breaks="client-requests.correlation-ids-differ"):
    """Sends every request with correlation id 1."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        return super().frame(api_key, version, 1, wanted)

    def check_number(self, number: int, frame: bytes) -> None:
        super().check_number(1, frame)


class _Writes(ClientMutant):
    """Makes its batch of records wrong."""

    def spoiled(self, batch: bytes) -> bytes:
        raise NotImplementedError

    def batch(self, producer: Value) -> bytes:
        return self.spoiled(super().batch(producer))


class ChecksumOfAll(_Writes, breaks="client-requests.records-valid"):
    """Takes the checksum of a batch with zlib's polynomial."""

    def spoiled(self, batch: bytes) -> bytes:
        return batch[:17] + struct.pack(">I", zlib.crc32(batch[21:])) + batch[21:]


class LengthOfTheWhole(_Writes, breaks="client-requests.records-valid"):
    """Counts a batch's first fields in its length."""

    def spoiled(self, batch: bytes) -> bytes:
        return batch[:8] + struct.pack(">i", len(batch)) + batch[12:]


class TwoBatches(_Writes, breaks="client-requests.one-batch"):
    """Sends two batches where one is allowed."""

    def spoiled(self, batch: bytes) -> bytes:
        return batch * 2


class OffsetsFromOne(ClientMutant, breaks="client-requests.records-valid"):
    """Counts the records of a batch from 1."""

    def batch_value(self, producer: Value) -> Value:
        value = super().batch_value(producer)
        value["records"] = [{**each, "offsetDelta": 1} for each in value["records"]]
        return value


class AsksAsBrokerZero(ClientMutant, breaks="client-requests.no-replica"):
    """Asks for offsets as if it were broker 0."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        more = {"replicaId": 0} if api_key == LIST_OFFSETS else {}
        return super().frame(api_key, version, number, {**wanted, **more})
