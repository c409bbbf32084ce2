"""Members of share groups (KIP-932): their sessions, and what they make of what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.plain_brokers import ServesSharedOffsets
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import NotDone, Sent, Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.groups.coordinators import GROUP_KEY
from conformance.reference.broker.groups.share_groups import BEGINS, ENDS

_IN_A_SESSION = frozenset({"ShareFetch", "ShareAcknowledge"})
ACCEPT, RELEASE, REJECT = 1, 2, 3
EMPTY = 3
"""The number of offsets that the batch without records takes."""


def counts_its_requests(visit: Visit) -> None:
    """Judge that each request of a share session has the next epoch, or ends the session."""
    asked = [each for each in visit.sent if each.api in _IN_A_SESSION and each.value]
    require(asked, "it asked nothing in a share session")
    expected = BEGINS
    for each in asked:
        epoch = (each.value or {})["shareSessionEpoch"]
        if epoch not in (expected, BEGINS, ENDS):
            what = f"{each.api} v{each.version} has the session epoch {epoch}"
            raise Broken(what, str(expected), each.frame)
        expected = BEGINS if epoch == ENDS else epoch + 1


def acknowledges(visit: Visit) -> None:
    """The record that was read is acknowledged."""
    types = [kind for each in visit.sent for kind in _types(each)]
    require(visit.of("ShareFetch"), "it did not ask ShareFetch")
    if not {ACCEPT, RELEASE, REJECT} & set(types):
        last = visit.of("ShareFetch")[-1]
        raise NotDone("nothing that it was given is acknowledged", "offset 0", last.frame)


def _types(sent: Sent) -> Iterator[int]:
    """Yield the acknowledgement types in a request."""
    if sent.api in _IN_A_SESSION and sent.value:
        for topic in sent.value["topics"]:
            for each in topic["partitions"]:
                for one in each["acknowledgementBatches"]:
                    yield from one["acknowledgeTypes"]


def asked_as_a_group(visit: Visit) -> None:
    """Judge that FindCoordinator asks for a share group as for any other group."""
    asked = [each for each in visit.of("FindCoordinator") if each.value]
    require(asked, "it did not ask FindCoordinator")
    for each in asked:
        kind = (each.value or {}).get("keyType", GROUP_KEY)
        if kind != GROUP_KEY:
            what = f"FindCoordinator v{each.version} has keys of type {kind}"
            raise Broken(what, str(GROUP_KEY), each.frame)


class SharedOffsets(ServesSharedOffsets, about="DescribeShareGroupOffsetsRequest"):
    """Tells where a share group is, and finds a coordinator for each key of each kind."""

    decides: ClassVar = {"client-shares.asked-of-group-coordinator": asked_as_a_group}


class SharesPlain(Scenario, about="ShareFetchRequest", action="share"):
    """Gives a member of a share group the one record that there is."""

    decides: ClassVar = {
        "client-shares.session-epochs": counts_its_requests,
        "client-shares.records-acknowledged": acknowledges,
    }


class SharesAnEmptyBatch(Scenario, about="ShareFetchRequest", action="share"):
    """Gives a member of a share group a batch without records, and one with a record behind it."""

    decides: ClassVar = {"client-shares.empty-batch-passed": succeeds}
    contents: ClassVar = [batch(0, length=EMPTY), batch(EMPTY, ("k", "v"))]
