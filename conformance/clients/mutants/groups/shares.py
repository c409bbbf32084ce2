"""Clients that are no good members of a share group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance import error_codes
from conformance.api_keys import FIND_COORDINATOR
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.broker.groups.coordinators import SHARE_KEY
from conformance.reference.client import Asking, Trying
from conformance.reference.client.actions.sharing import BEGINS, SHARE_GROUP
from conformance.testee_protocol import Value


class LeavesAnEpochOut(ClientMutant, breaks="client-shares.session-epochs"):
    """Goes on from the first epoch of a share session with the third."""

    def ask_shares(self, api_key: int, topic_id: str, partition: Value, wanted: Value) -> Asking:
        self.share_epoch += self.share_epoch > BEGINS
        return (yield from super().ask_shares(api_key, topic_id, partition, wanted))


class AsksTheShareCoordinator(ClientMutant, breaks="client-shares.asked-of-group-coordinator"):
    """Looks for share groups among the coordinators of share partitions."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        keys = wanted.get("coordinatorKeys") or [wanted.get("key")]
        if api_key == FIND_COORDINATOR and SHARE_GROUP in keys:
            wanted = {**wanted, "keyType": SHARE_KEY}
        return super().frame(api_key, version, number, wanted)


class AcknowledgesNothing(ClientMutant, breaks="client-shares.records-acknowledged"):
    """Reads records that it is given to itself, and does not say what became of them."""

    def acknowledge(self, topic_id: str, batches: list[Value]) -> Trying:
        yield from ()
        return error_codes.NONE


class NeedsARecordInEachBatch(ClientMutant, breaks="client-shares.empty-batch-passed"):
    """Looks at the first record of each batch that it is given to itself."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        if self.share_epoch:
            _ = batch["records"][0]
        return super().given(batch, offset)
