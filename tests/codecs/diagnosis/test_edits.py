"""A codec that has one line of one message's definition wrong is told by that line."""

from __future__ import annotations

import pytest

from conformance.codecs.diagnosis.line_up import REFUSES_ABSENT
from conformance.codecs.diagnosis.suspects import codec_of, edits_of, suspect, told_as
from conformance.codecs.mutants.habits.edited import Edit
from conformance.reference.codec import PlainCodec
from conformance.results.lines import BROKEN
from tests.codecs.diagnosis.test_diagnosis import diagnosed, texts, verdicts_of

MESSAGES = ("FindCoordinatorResponse", "FetchSnapshotRequest", "HeartbeatRequest")
EDITS = [
    name
    for message in MESSAGES
    for name in sorted(edits_of(message, ""), key=lambda name: "in the form of" not in name)
]
"""Of each message those of whole versions first; some others are shown by refusals alone."""
TOLD = (
    "HeartbeatRequest: lacks HeartbeatRequest.GroupInstanceId",
    "HeartbeatRequest: has HeartbeatRequest.GenerationId as INT64, not INT32",
    "HeartbeatRequest: has HeartbeatRequest.MemberId last",
    "FindCoordinatorResponse: has FindCoordinatorResponse 4 in the form of 3",
    "FindCoordinatorResponse: has FindCoordinatorResponse.Coordinators from version 5 on, not 4",
    "FindCoordinatorResponse: takes FindCoordinatorResponse for flexible from version 4 on, not 3",
    "HeartbeatRequest: never takes HeartbeatRequest for flexible",
    "FindCoordinatorResponse: has no tag section in FindCoordinatorResponse.Coordinators",
    "FetchSnapshotRequest: has FetchSnapshotRequest.ClusterId under tag 1, not 0",
    "FetchSnapshotRequest: has FetchSnapshotRequest.ClusterId as a field without a tag",
)
MUTANTS = {
    "HeartbeatRequest: has HeartbeatRequest.GenerationId as INT64, not INT32": "a codec that takes "
    "the generation id of HeartbeatRequest for an INT64 (mutant GenerationOfEightBytes)"
}
"""What is told of an edit that is a mutant, too."""


def told(name: str) -> set[str]:
    """What is said of a codec with this edit."""
    return texts(diagnosed(*verdicts_of(codec_of([suspect(name)], ""), MESSAGES)))


def broken(codec: PlainCodec) -> list[tuple[str, str, object]]:
    """What a codec does wrong."""
    verdicts, _ = verdicts_of(codec, MESSAGES)
    return [(each.case, each.rule, each.actual) for each in verdicts if each.verdict in BROKEN]


@pytest.mark.parametrize("name", TOLD)
def test_the_line_that_is_wrong_is_told(name: str) -> None:
    assert {str(told_as(text)) for text in told(name)} == {MUTANTS.get(name, str(suspect(name)))}


@pytest.mark.parametrize("name", EDITS[::17])
def test_what_is_told_of_an_edit_can_t_be_told_from_it(name: str) -> None:
    texts_of_it = told(name)
    rules = {rule for _, rule, _ in broken(codec_of([suspect(name)], ""))}
    assert texts_of_it or rules <= REFUSES_ABSENT
    for text in texts_of_it:
        other = codec_of([told_as(text)], "")
        assert broken(other) == broken(codec_of([suspect(name)], ""))


def test_a_codec_that_drops_what_it_has_no_field_for_looks_like_no_edit() -> None:
    found = texts(diagnosed(*verdicts_of(Edit(""), MESSAGES)))
    assert not any(told_as(text).is_edit for text in found)


def test_the_versions_that_fail_are_told_where_others_pass() -> None:
    [text] = told(TOLD[0])
    assert "lacks HeartbeatRequest.GroupInstanceId in versions 3, 4 (an edit of" in text


def test_an_edit_says_which_message_it_is_of() -> None:
    text = str(suspect(TOLD[0]))
    assert text == (
        "a codec that lacks HeartbeatRequest.GroupInstanceId (an edit of HeartbeatRequest)"
    )
    assert told_as(text).kind.messages == ("HeartbeatRequest",)


def test_versions_that_the_newest_release_has_dropped_have_edits_as_well() -> None:
    message, name = "UpdateMetadataRequest", "lacks UpdateMetadataRequest.LiveBrokers.Rack"
    assert f"{message}: {name}" in edits_of(message, "")
    codec = codec_of([suspect(f"{message}: {name}")], "")
    [text] = texts(diagnosed(*verdicts_of(codec, [message, "HeartbeatRequest"])))
    assert name in text
