"""A group of one."""

import pytest

from conformance import error_codes
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions
from conformance.schema.filling import filled
from tests.reference.broker.asking import CODEC, ask

EVERYTHING = stored_versions(names=IMPLEMENTED | FOR_CLIENTS)
KEYS = {name: key for key, name in FOR_CLIENTS.items()}


def versions(name):
    low, high = EVERYTHING[KEYS[name]]
    return range(low, high + 1)


def answer(name, version, **wanted):
    value = filled(CODEC.form(f"{name}Request", version).layout, wanted)
    return ask(Broker(EVERYTHING), name, version, value)


@pytest.mark.parametrize("version", versions("JoinGroup"))
def test_who_joins_leads(version):
    protocols = [{"name": "range", "metadata": "AAA="}]
    joined = answer("JoinGroup", version, protocolType="consumer", protocols=protocols)
    assert joined["leader"] == joined["memberId"] == joined["members"][0]["memberId"] != ""
    assert (joined["protocolName"], joined["members"][0]["metadata"]) == ("range", "AAA=")


@pytest.mark.parametrize("version", versions("SyncGroup"))
def test_a_leader_gets_what_it_gives_itself(version):
    shares = [{"memberId": "other", "assignment": "Ag=="}, {"memberId": "m", "assignment": "AQ=="}]
    synced = answer("SyncGroup", version, memberId="m", assignments=shares)
    assert synced["assignment"] == "AQ=="


@pytest.mark.parametrize("name", ["Heartbeat", "LeaveGroup", "OffsetCommit"])
def test_a_member_is_not_refused_anything(name):
    for version in versions(name):
        assert answer(name, version).get("errorCode", 0) == error_codes.NONE


@pytest.mark.parametrize("version", versions("OffsetFetch"))
def test_a_group_has_no_offsets(version):
    topics = [{"name": "t", "partitionIndexes": [0]}]
    fetched = answer(
        "OffsetFetch", version, topics=topics, groups=[{"groupId": "g", "topics": topics}]
    )
    (topic,) = fetched["groups"][0]["topics"] if version >= 8 else fetched["topics"]
    assert topic["partitions"][0]["committedOffset"] == -1
