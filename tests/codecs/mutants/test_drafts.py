"""Draft readings and habits: what they write, and that nobody takes them for mutants."""

import pytest

from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.habits.drafts import Draft, unlisted
from conformance.codecs.resolve import open_target
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.testee_protocol import Request

SOFTWARE = {"clientSoftwareName": "x", "clientSoftwareVersion": "1"}
TAGGED = {**SOFTWARE, "_unknownTaggedFields": [{"tag": 5, "bytes": "AAAAAA=="}]}
FEATURES = {
    "errorCode": 0,
    "apiKeys": [],
    "throttleTimeMs": 0,
    "supportedFeatures": [{"name": "f", "minVersion": 1, "maxVersion": 2}],
    "finalizedFeaturesEpoch": 7,
}
READINGS = unlisted()


def written(name, value=TAGGED):
    return READINGS[name]().encode("ApiVersionsRequest", 3, value).hex(" ")


def test_none_is_a_mutant_or_breaks_one_rule():
    assert READINGS.keys().isdisjoint(mutants())
    assert [name for name, each in READINGS.items() if each.breaks] == []


def test_each_says_what_it_does_in_one_sentence():
    assert [name for name, each in READINGS.items() if not each.says().endswith(".")] == []
    assert [name for name, each in READINGS.items() if ". " in each.says()] == []


def test_each_is_named_after_its_kind():
    for name, each in READINGS.items():
        kind = "draft" if issubclass(each, Draft) else "habit"
        assert each().hello()["name"] == f"{kind} {name}"


@pytest.mark.parametrize(
    "name", [name for name, each in READINGS.items() if each.__base__ is Draft]
)
def test_a_draft_reads_what_it_writes(name):
    draft = READINGS[name]()
    header = {"correlationId": 1, "clientId": "me"}
    for message, version, value in (
        ("ApiVersionsRequest", 3, TAGGED),
        ("SaslHandshakeRequest", 1, {"mechanism": "PLAIN"}),
    ):
        frame = draft.encode_request(message, version, header, value)
        read, body, left = draft.decode_request(frame)
        assert (read["clientId"], body, left) == ("me", value, 0)


def test_a_section_may_begin_a_struct():
    assert written("SectionBeginsStruct") == "01 05 04 00 00 00 00 02 78 02 31"
    assert written("SectionBeginsStruct", SOFTWARE) == "00 02 78 02 31"


def test_a_section_begins_inner_structs_as_well():
    draft = READINGS["SectionBeginsStruct"]()
    key = {"apiKey": 18, "minVersion": 0, "maxVersion": 3}
    value = {"errorCode": 0, "apiKeys": [key], "throttleTimeMs": 1}
    data = draft.encode("ApiVersionsResponse", 3, value)
    assert data.hex(" ") == "00 00 00 02 00 00 12 00 00 00 03 00 00 00 01"
    assert draft.decode("ApiVersionsResponse", 3, data) == (value, 0)


def test_tag_5_and_size_4_interleave_to_110010():
    """The example of the draft itself."""
    assert written("TagHeaderInterleaved") == f"02 78 02 31 01 {0b110010:x} 00 00 00 00"


def test_the_early_revision_had_both():
    assert written("EarlyTagSection") == f"01 {0b110010:x} 00 00 00 00 02 78 02 31"


def test_the_draft_header_has_a_compact_client_id():
    draft, header = READINGS["HeaderWithCompactClientId"](), {"correlationId": 1, "clientId": "me"}
    flexible = draft.encode_request("ApiVersionsRequest", 3, header, SOFTWARE)
    assert flexible[8:12] == b"\x03me\x00"
    assert draft.encode_request("ApiVersionsRequest", 0, header, {})[8:] == b"\x00\x02me"


def test_a_message_that_names_no_flexible_version_is_flexible():
    draft = READINGS["FlexibleUnlessStated"]()
    assert draft.encode("SaslHandshakeRequest", 0, {"mechanism": "a"}) == b"\x02a\x00"
    assert draft.form("MetadataRequest", 0) == PlainCodec().form("MetadataRequest", 0)


def test_a_tagged_array_is_an_unknown_tag():
    draft = READINGS["TaggedArraysUnknown"]()
    data = PlainCodec().encode("ApiVersionsResponse", 3, FEATURES)
    value, left = draft.decode("ApiVersionsResponse", 3, data)
    assert left == 0
    assert value["finalizedFeaturesEpoch"] == 7
    assert "supportedFeatures" not in value
    assert [unknown["tag"] for unknown in value["_unknownTaggedFields"]] == [0]
    assert draft.encode("ApiVersionsResponse", 3, value) == data


def test_an_unknown_tag_is_refused_in_headers_too():
    habit = ObjectTarget(READINGS["UnknownTagsRefused"]())
    frame = PlainCodec().encode_request(
        "HeartbeatRequest",
        4,
        {"correlationId": 1, "clientId": "me", "_unknownTaggedFields": [{"tag": 9, "bytes": ""}]},
        {"groupId": "g", "generationId": 1, "memberId": "m", "groupInstanceId": None},
    )
    request = Request(op="decode-request", message="HeartbeatRequest", version=4, bytes=frame)
    assert next(habit.ask([request])).outcome == "rejected"


def test_it_is_a_target_by_its_name():
    with open_target("conformance.codecs.mutants.habits.drafts:EarlyTagSection") as target:
        assert target.hello.name == "draft EarlyTagSection"
