"""Releases that write the same share a form; those that can't read each other have one each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.schema.layout import Form
from conformance.schema.releases import (
    Definitions,
    UnknownDefinition,
    definitions,
    form_for,
    message_names,
    nearest,
    release_order,
    request_name,
    versions_for,
    whole_releases,
    wire_forms,
)
from conformance.schema.text.load import DefinitionError
from tests.schema.definitions import field, request, text


@pytest.mark.parametrize("release", ["4.4.0", "3.9.2", "3.0.2"])
def test_the_versions_of_a_message_are_those_that_have_a_form(release: str) -> None:
    for name in message_names(release):
        own = definitions(release)[name].valid if name in definitions(release) else ()
        every = {*own, *(wire_forms(name) if name in message_names() else ())}
        having = [each for each in sorted(every) if form_for(release, name, each)]
        assert versions_for(release, name) == having, name


def test_renamed_fields_share_a_form_with_the_names_of_the_newest() -> None:
    old = definitions("3.9.2").form("TxnOffsetCommitRequest", 3)
    (shared,) = wire_forms("TxnOffsetCommitRequest")[3]

    assert shared.releases == whole_releases()
    assert "generationId" in [item.name for item in old.layout.fields]
    assert "generationIdOrMemberEpoch" in [item.name for item in shared.layout.fields]


def test_shared_form_has_the_tags_of_all_its_releases() -> None:
    old = definitions("3.9.2").form("OffsetCommitValue", 4)
    (shared,) = wire_forms("OffsetCommitValue")[4]

    assert old.layout.by_tag == {}
    assert shared.layout.by_tag[0].name == "topicId"


def test_version_that_changed_while_unstable_has_two_forms() -> None:
    newer, older = wire_forms("ReadShareGroupStateSummaryResponse")[0]

    assert (newer.releases[0], newer.unstable) == ("4.4.0", False)
    assert (older.releases, older.unstable) == (("3.9.2",), True)
    assert newer.layout != older.layout


def test_unstable_version_stands_apart_even_where_nothing_changed() -> None:
    newer, older = wire_forms("DeleteShareGroupStateRequest")[0]

    assert newer.layout == older.layout
    assert older.unstable


def test_record_that_changed_without_notice_has_two_stable_forms() -> None:
    newer, older = wire_forms("ShareGroupMetadataValue")[0]

    assert (newer.unstable, older.unstable) == (False, False)


Json = dict[str, Any]


def forms_of(
    monkeypatch: pytest.MonkeyPatch, folder: Path, newer: Json, older: Json
) -> tuple[Form, ...]:
    """The forms of version 1 of a request that two made releases define so."""
    made = {}
    for release, content in (("2.0", newer), ("1.0", older)):
        (folder / release).mkdir()
        (folder / release / "SampleRequest.json").write_text(text(content), "utf-8")
        made[release] = Definitions(release, folder / release)
    monkeypatch.setattr("conformance.schema.releases.whole_releases", lambda: tuple(made))
    monkeypatch.setattr("conformance.schema.releases.definitions", made.__getitem__)
    return wire_forms.__wrapped__("SampleRequest")[1]


def tagged(name: str, tag: int, **changes: Any) -> Json:
    return field(name, versions="1+", tag=tag, taggedVersions="1+", **changes)


def struct(*fields: Json) -> Json:
    return field("S", "S", fields=list(fields))


SAME: dict[str, tuple[Json, Json]] = {
    "another name": (request(field("New")), request(field("Old"))),
    "another name in a struct": (request(struct(field("New"))), request(struct(field("Old")))),
    "another default of a plain field": (request(field(default="1")), request(field())),
    "a tag more": (request(tagged("A", 0), tagged("B", 1)), request(tagged("A", 0))),
    "a tag fewer": (request(), request(tagged("A", 0))),
    "tags in a struct": (request(struct(tagged("A", 0))), request(struct(tagged("B", 1)))),
}
DIFFERENT: dict[str, tuple[Json, Json]] = {
    "another type": (request(field()), request(field(type="int64"))),
    "a field more": (request(field(), field("More")), request(field())),
    "null allowed": (
        request(field(type="string", nullableVersions="0+")),
        request(field(type="string")),
    ),
    "another element": (request(field(type="[]int8")), request(field(type="[]int16"))),
    "a field more in a struct": (
        request(struct(field("A"), field("B"))),
        request(struct(field("A"))),
    ),
    "flexible": (request(field()), request(field(), flexibleVersions="none")),
    "another type of a tag": (request(tagged("A", 0)), request(tagged("A", 0, type="string"))),
    "another default of a tag": (request(tagged("A", 0, default="1")), request(tagged("A", 0))),
}


@pytest.mark.parametrize(("newer", "older"), SAME.values(), ids=SAME)
def test_releases_that_can_read_each_other_share_a_form(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, newer: Json, older: Json
) -> None:
    (shared,) = forms_of(monkeypatch, tmp_path, newer, older)

    assert shared.releases == ("2.0", "1.0")


@pytest.mark.parametrize(("newer", "older"), DIFFERENT.values(), ids=DIFFERENT)
def test_releases_that_can_not_read_each_other_have_a_form_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, newer: Json, older: Json
) -> None:
    found = forms_of(monkeypatch, tmp_path, newer, older)

    assert [form.releases for form in found] == [("2.0",), ("1.0",)]


def test_response_is_as_unstable_as_its_request() -> None:
    assert not definitions("4.4.0")["InitProducerIdResponse"].latest_unstable
    assert definitions("4.4.0").form("InitProducerIdRequest", 6).unstable
    assert definitions("4.4.0").form("InitProducerIdResponse", 6).unstable
    assert not definitions("4.4.0").form("InitProducerIdResponse", 5).unstable


def test_every_form_of_a_release_is_in_one_wire_form() -> None:
    for release in whole_releases():
        for message in definitions(release):
            for version in message.valid:
                holders = [
                    item for item in wire_forms(message.name)[version] if release in item.releases
                ]
                assert len(holders) == 1, (release, message.name, version)


def test_codec_is_judged_by_the_form_of_its_release() -> None:
    older = form_for("3.9.2", "ReadShareGroupStateSummaryResponse", 0)

    assert older
    assert older.releases == ("3.9.2",)


def test_version_that_a_release_dropped_is_judged_by_those_that_have_it() -> None:
    assert 0 not in definitions("4.4.0")["CreateTopicsRequest"].valid
    dropped = form_for("4.4.0", "CreateTopicsRequest", 0)

    assert dropped
    assert dropped.releases == ("3.9.2",)


def test_unstable_version_of_another_release_judges_nobody() -> None:
    assert form_for("4.4.0", "ShareFetchRequest", 0) is None
    assert form_for("3.9.2", "InitProducerIdRequest", 6) is None


def test_no_form_of_what_nobody_has() -> None:
    assert form_for("4.4.0", "MetadataRequest", 99) is None
    assert form_for("4.4.0", "NoSuchRequest", 0) is None


def test_release_without_vectors_shares_the_form_that_it_can_be_read_by() -> None:
    own = definitions("3.3.2").form("TxnOffsetCommitRequest", 3)
    shared = form_for("3.3.2", "TxnOffsetCommitRequest", 3)

    assert own.releases == ("3.3.2",)
    assert "generationId" in [item.name for item in own.layout.fields]
    assert shared
    assert shared.releases == (*whole_releases(), "3.3.2")


@pytest.mark.parametrize(
    ("release", "name", "unstable"),
    [
        ("4.0.2", "ShareFetchRequest", True),
        ("3.4.1", "DelegationTokenRecord", False),
        ("3.0.2", "AlterIsrRequest", False),
    ],
)
def test_release_without_vectors_stands_alone_where_it_is_unlike_all_others(
    release: str, name: str, unstable: bool
) -> None:
    alone = form_for(release, name, 0)

    assert alone
    assert (alone.releases, alone.unstable) == ((release,), unstable)


def test_version_that_a_release_without_vectors_has_not_is_judged_by_the_others() -> None:
    assert 17 not in definitions("3.3.2")["FetchRequest"].valid
    newer = form_for("3.3.2", "FetchRequest", 17)

    assert newer
    assert "3.3.2" not in newer.releases


def test_release_without_vectors_changes_no_form_of_the_others() -> None:
    before = form_for("4.4.0", "TxnOffsetCommitRequest", 3)
    form_for("2.8.2", "TxnOffsetCommitRequest", 3)

    assert form_for("4.4.0", "TxnOffsetCommitRequest", 3) == before
    assert "AlterIsrRequest" not in message_names()
    assert form_for("4.4.0", "AlterIsrRequest", 0) is None


def test_message_that_only_a_release_without_vectors_has_is_known_there() -> None:
    assert "AlterIsrRequest" in message_names("3.0.2")
    assert versions_for("3.0.2", "AlterIsrRequest") == [0]
    assert message_names("9.9.9") == message_names()


def test_request_has_the_name_of_its_release_in_the_versions_that_it_had() -> None:
    assert request_name("3.0.2", 56, 0) == "AlterIsrRequest"
    assert request_name("3.0.2", 56, 2) == "AlterPartitionRequest"
    assert request_name("4.4.0", 56, 2) == "AlterPartitionRequest"
    assert request_name("4.4.0", 9999, 0) is None


@pytest.mark.parametrize(
    ("release", "stand_in"),
    [
        ("4.4.0", "4.4.0"),
        ("3.9.2", "3.9.2"),
        ("4.0.0", "4.4.0"),
        ("3.9.3", "4.4.0"),
        ("2.8", "3.9.2"),
        ("9.0.0", "4.4.0"),
        ("", "4.4.0"),
    ],
)
def test_stand_in_of_a_release_that_is_not_stored(
    monkeypatch: pytest.MonkeyPatch, release: str, stand_in: str
) -> None:
    monkeypatch.setattr("conformance.schema.releases.releases", lambda: ("4.4.0", "3.9.2"))

    assert nearest(release) == stand_in


def test_releases_are_sorted_as_numbers() -> None:
    assert sorted(["3.10.0", "3.9.2", "4.0"], key=release_order) == ["3.9.2", "3.10.0", "4.0"]


def test_default_release_is_the_newest() -> None:
    assert definitions() is not definitions("3.9.2")
    assert definitions().release == "4.4.0"


def test_what_is_not_stored_is_said_with_what_is() -> None:
    with pytest.raises(UnknownDefinition, match=r"Kafka 1\.0\.0 .*stored are: 4\.4\.0, "):
        definitions("1.0.0")
    with pytest.raises(UnknownDefinition, match="no message 'NoSuchRequest' in Kafka"):
        definitions()["NoSuchRequest"]
    with pytest.raises(UnknownDefinition, match="no message 'NoSuchRequest' in any"):
        wire_forms("NoSuchRequest")
    with pytest.raises(UnknownDefinition, match=r"has versions .*, not 99"):
        definitions().form("MetadataRequest", 99)


def test_names_are_those_of_all_releases() -> None:
    assert set(definitions("3.9.2").names) | set(definitions("4.4.0").names) == set(message_names())


def test_response_without_a_request_is_as_stable_as_it_says(tmp_path: Path) -> None:
    lonely = request(field(), type="response", name="LonelyResponse")
    (tmp_path / "LonelyResponse.json").write_text(text(lonely), "utf-8")

    assert not Definitions("9.9.9", tmp_path).form("LonelyResponse", 1).unstable


def test_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "BadRequest.json").write_bytes(b'{"name": "\xff"}')

    with pytest.raises(DefinitionError, match=r"BadRequest\.json: not UTF-8"):
        Definitions("9.9.9", tmp_path)["BadRequest"]
