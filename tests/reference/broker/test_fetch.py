"""What a log holds, what is answered where it holds nothing, and groups that are not there."""

import base64
import socket
import time

import pytest

from conformance import error_codes
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Batch, Topic
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.records.fetch import LONGEST_WAIT_S
from conformance.reference.broker.records.fetch_sessions import FetchSessions
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions
from conformance.schema.layout import ZERO_UUID
from tests.reference.broker.asking import CODEC, ask, frame

EVERYTHING = stored_versions(names=IMPLEMENTED | FOR_CLIENTS)
LOG = [Batch(3, 5, b"first"), Batch(5, 6, b"second")]
TOPIC_ID = "dGhlIHRvcGljLS0tLS0tLQ"


class Holding(Broker):
    def __init__(self, **settings):
        super().__init__(EVERYTHING, **settings)
        self.add_topic(Topic("t", TOPIC_ID, [[1]]))

    def batches(self, topic, index):
        return LOG


class Empty(Holding):
    def batches(self, topic, index):
        return []


def fetch(broker, offset, version=12, topic="t", topic_id=TOPIC_ID, partition=0, **more):
    layout = CODEC.form("FetchRequest", version).layout
    value = layout.default_value() | {"maxWaitMs": 400, **more}
    named = {"topicId": topic_id} if version >= 13 else {"topic": topic}
    fields = next(item for item in layout.fields if item.name == "topics")
    partitions = next(item for item in fields.type.item.layout.fields if item.name == "partitions")
    wanted = partitions.type.item.layout.default_value()
    wanted |= {"partition": partition, "fetchOffset": offset}
    value["topics"] = [{**named, "partitions": [wanted]}]
    return ask(broker, "Fetch", version, value)


def only(answer):
    return answer["responses"][0]["partitions"][0]


def records(answer):
    return base64.b64decode(only(answer)["records"])


def list_offsets(broker, timestamp, version=7):
    layout = CODEC.form("ListOffsetsRequest", version).layout
    fields = next(item for item in layout.fields if item.name == "topics")
    partitions = next(item for item in fields.type.item.layout.fields if item.name == "partitions")
    wanted = partitions.type.item.layout.default_value() | {"timestamp": timestamp}
    topics = [{"name": "t", "partitions": [wanted]}]
    answer = ask(broker, "ListOffsets", version, layout.default_value() | {"topics": topics})
    return answer["topics"][0]["partitions"][0]["offset"]


def test_a_broker_that_is_judged_lists_no_api_for_clients_alone():
    assert Broker().versions.keys().isdisjoint(FOR_CLIENTS)


@pytest.mark.parametrize("version", range(4, 19))
def test_a_fetch_is_answered_in_each_version(version):
    assert records(fetch(Holding(), 3, version)) == b"firstsecond"


def test_a_fetch_begins_with_the_batch_that_holds_its_offset():
    assert records(fetch(Holding(), 4)) == b"firstsecond"
    assert records(fetch(Holding(), 5)) == b"second"


def test_behind_the_last_record_there_is_nothing():
    answer = only(fetch(Holding(), 6))
    assert (answer["errorCode"], answer["records"]) == (error_codes.NONE, "")


@pytest.mark.parametrize("offset", [2, 7])
def test_offsets_outside_the_log_are_out_of_range(offset):
    assert only(fetch(Holding(), offset))["errorCode"] == error_codes.OFFSET_OUT_OF_RANGE


def test_unknown_names_ids_and_partitions_have_their_errors():
    broker = Holding()
    by_name = fetch(broker, 3, topic="elsewhere")
    by_id = fetch(broker, 3, 13, topic_id=ZERO_UUID)
    by_number = fetch(broker, 3, partition=1)
    found = [only(answer)["errorCode"] for answer in (by_name, by_id, by_number)]
    unknown = error_codes.UNKNOWN_TOPIC_OR_PARTITION
    assert found == [unknown, error_codes.UNKNOWN_TOPIC_ID, unknown]


def test_there_are_no_fetch_sessions():
    answer = fetch(Holding(), 3, sessionId=5, sessionEpoch=1)
    assert answer["errorCode"] == error_codes.FETCH_SESSION_ID_NOT_FOUND
    assert fetch(Holding(), 3, sessionEpoch=0)["sessionId"] == 0


def test_a_session_names_topics_as_it_did_first():
    class InSession(FetchSessions, Holding):
        pass

    broker = InSession()
    session = fetch(broker, 3, sessionEpoch=0)["sessionId"]
    answer = fetch(broker, 3, version=15, sessionId=session, sessionEpoch=1)
    assert answer["errorCode"] == error_codes.FETCH_SESSION_TOPIC_ID_ERROR
    assert only(fetch(broker, 3, sessionId=session, sessionEpoch=1))["errorCode"] == 0


def test_a_fetch_of_nothing_is_kept_back():
    broker = Empty()
    session = broker.session()
    answer = fetch(session, 0)
    assert only(answer)["records"] == ""
    assert session.delay_s == min(0.4, LONGEST_WAIT_S)


def test_a_fetch_of_something_is_not_kept_back():
    session = Holding().session()
    fetch(session, 3)
    assert session.delay_s == 0


@pytest.mark.parametrize("version", range(1, 12))
def test_a_log_begins_and_ends_somewhere(version):
    assert list_offsets(Holding(), -2, version) == 3
    assert list_offsets(Holding(), -1, version) == 6


def test_of_what_was_produced_only_the_number_is_known():
    broker = Empty()
    broker.topics["t"].ends[0] = 4
    assert list_offsets(broker, -2) == list_offsets(broker, -1) == 4


@pytest.mark.parametrize("version", range(6))
def test_each_producer_has_an_id_of_its_own(version):
    broker = Holding()
    layout = CODEC.form("InitProducerIdRequest", version).layout
    value = layout.default_value() | {"transactionalId": None}
    ids = [ask(broker, "InitProducerId", version, value)["producerId"] for _ in range(2)]
    assert len(set(ids)) == 2


@pytest.mark.parametrize("version", range(7))
def test_a_group_that_is_not_there_is_dead(version):
    layout = CODEC.form("DescribeGroupsRequest", version).layout
    value = layout.default_value() | {"groups": ["g"]}
    (group,) = ask(Holding(), "DescribeGroups", version, value)["groups"]
    not_found = error_codes.GROUP_ID_NOT_FOUND if version >= 6 else error_codes.NONE
    assert (group["groupState"], group["errorCode"]) == ("Dead", not_found)


@pytest.mark.parametrize("version", range(6))
def test_there_are_no_groups_to_list(version):
    value = CODEC.form("ListGroupsRequest", version).layout.default_value()
    assert ask(Holding(), "ListGroups", version, value)["groups"] == []


def test_a_client_of_telemetry_keeps_its_id():
    ask_for = {"clientInstanceId": ZERO_UUID}
    given = ask(Holding(), "GetTelemetrySubscriptions", 0, ask_for)["clientInstanceId"]
    again = ask(Holding(), "GetTelemetrySubscriptions", 0, {"clientInstanceId": given})
    assert given != ZERO_UUID
    assert again["clientInstanceId"] == given


def test_an_answer_that_is_kept_back_comes_later_over_tcp():
    with serving(Empty()) as port, socket.create_connection(("127.0.0.1", port), 10) as line:
        layout = CODEC.form("FetchRequest", 12).layout
        began = time.monotonic()
        line.sendall(frame("Fetch", 12, layout.default_value() | {"maxWaitMs": 300}))
        assert line.recv(1)
        assert time.monotonic() - began >= 0.3


def test_a_connection_may_be_torn_down():
    class Tears(Session):
        def handle(self, request):
            self.torn = True
            raise Hangup

    class Tearing(Holding):
        sessions = Tears

    with serving(Tearing()) as port, socket.create_connection(("127.0.0.1", port), 10) as line:
        line.sendall(frame("ListGroups", 0, {}))
        with pytest.raises(ConnectionResetError):
            line.recv(1)
