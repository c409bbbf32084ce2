"""Facts out of a release's jars; small jars are made here, so that nothing is fetched."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from conformance.schema.releases import DIFFERENCE, Definitions, stored
from conformance.schema.text.importing import ImportFailed, MavenMissing, facts, import_release
from conformance.schema.text.load import DefinitionError
from tests.schema.definitions import field, request, text

COMMENTED = f"// Licensed to nobody.\n{text(request(field(about='How many.', zeroCopy=True)))}"


def make_jar(path: Path, entries: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    return make_jar(
        tmp_path / "kafka-clients.jar",
        {
            "common/message/SampleRequest.json": COMMENTED,
            "common/message/README.md": "Prose.",
            "kafka/kafka-version.properties": "version=9.9.9",
            "elsewhere/Other.json": "not ours",
        },
    )


def test_definitions_are_written_without_their_prose(tmp_path: Path, jar: Path) -> None:
    assert import_release("9.9.9", tmp_path / "schemas", [jar]) == 1

    (file,) = (tmp_path / "schemas" / "9.9.9").iterdir()
    assert json.loads(file.read_text("utf-8")) == request(field())


def test_what_was_imported_is_a_release_to_ask(tmp_path: Path, jar: Path) -> None:
    import_release("9.9.9", tmp_path, [jar])

    release = Definitions("9.9.9", tmp_path / "9.9.9")
    assert release.names == ("SampleRequest",)
    assert release.requests == {999: "SampleRequest"}


def test_records_come_from_the_jars_of_the_server(tmp_path: Path, jar: Path) -> None:
    record = request(type="metadata", name="SampleRecord")
    other = make_jar(tmp_path / "b.jar", {"common/metadata/SampleRecord.json": text(record)})
    empty = make_jar(tmp_path / "c.jar", {})

    assert import_release("9.9.9", tmp_path, [jar, other, empty]) == 2


def test_second_import_replaces_the_first_as_a_whole(tmp_path: Path, jar: Path) -> None:
    other = make_jar(
        tmp_path / "b.jar",
        {"common/message/OtherRequest.json": text(request(name="OtherRequest"))},
    )
    root = tmp_path / "schemas"

    import_release("9.9.9", root, [jar])
    import_release("9.9.9", root, [other])

    assert [path.name for path in root.iterdir()] == ["9.9.9"]
    assert [path.name for path in (root / "9.9.9").iterdir()] == ["OtherRequest.json"]


def test_only_what_differs_from_another_release_is_written(tmp_path: Path) -> None:
    same, gone, other = (request(name=f"{name}Request") for name in ("Same", "Gone", "Other"))
    changed = request(field(), name="OtherRequest")
    entry = "common/message/{}.json".format
    newer = make_jar(
        tmp_path / "2.jar", {entry(i): text(x) for i, x in enumerate((same, gone, other))}
    )
    older = make_jar(tmp_path / "1.jar", {entry(i): text(x) for i, x in enumerate((same, changed))})
    root = tmp_path / "schemas"
    import_release("2.0", root, [newer])

    assert import_release("1.0", root, [older], differs_from="2.0") == 2

    assert sorted(path.name for path in (root / "1.0").iterdir()) == [
        "OtherRequest.json",
        DIFFERENCE,
    ]
    found = stored(root, "1.0")
    assert found.names == ("OtherRequest", "SameRequest")
    assert [item.name for item in found["OtherRequest"].fields] == ["Count"]
    assert stored(root, "2.0").names == ("GoneRequest", "OtherRequest", "SameRequest")


@pytest.mark.parametrize("other", ["9.9.8", "9.9.9"])
def test_what_a_release_differs_from_must_be_another_stored_one(
    tmp_path: Path, jar: Path, other: str
) -> None:
    import_release("9.9.9", tmp_path, [jar])

    with pytest.raises(ImportFailed, match=f"by what differs from {other}"):
        import_release("9.9.9", tmp_path, [jar], differs_from=other)


def test_what_kafkas_generator_forgave_is_made_right(tmp_path: Path) -> None:
    without = request(flexibleVersions=None)

    name, written = facts(f"// Kafka 2.8\n{text(without)}\n]\n}}", "x.json")

    assert name == "SampleRequest"
    assert json.loads(written) == request(flexibleVersions="none")
    assert "flexibleVersions" not in facts(text(without | {"validVersions": "none"}), "x.json")[1]


def test_failed_import_leaves_what_was_there(tmp_path: Path, jar: Path) -> None:
    root = tmp_path / "schemas"
    import_release("9.9.9", root, [jar])
    broken = make_jar(tmp_path / "b.jar", {"common/message/SampleRequest.json": "{"})

    with pytest.raises(DefinitionError):
        import_release("9.9.9", root, [broken])

    assert [path.name for path in (root / "9.9.9").iterdir()] == ["SampleRequest.json"]


def test_faulty_definition_is_named_with_its_jar(tmp_path: Path) -> None:
    broken = make_jar(tmp_path / "b.jar", {"common/message/X.json": text(request(type="odd"))})

    with pytest.raises(DefinitionError, match=r"^b\.jar!common/message/X\.json: type: 'odd'"):
        import_release("9.9.9", tmp_path, [broken])


def test_jar_without_definitions_is_refused(tmp_path: Path) -> None:
    empty = make_jar(tmp_path / "empty.jar", {"a.class": "x"})

    with pytest.raises(ImportFailed, match="holds no message definitions"):
        import_release("9.9.9", tmp_path, [empty])


def test_missing_jar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match=r"nowhere\.jar can't be read"):
        import_release("9.9.9", tmp_path, [tmp_path / "nowhere.jar"])


def test_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jar").write_bytes(b"not a zip")

    with pytest.raises(ImportFailed, match="can't be read"):
        import_release("9.9.9", tmp_path, [tmp_path / "x.jar"])


def test_every_damaged_byte_of_a_jar_is_refused_or_harmless(tmp_path: Path, jar: Path) -> None:
    def imported(path: Path) -> dict[str, str] | None:
        try:
            import_release("9.9.9", tmp_path / "schemas", [path])
        except (ImportFailed, DefinitionError):
            return None
        return {file.name: file.read_text() for file in (tmp_path / "schemas" / "9.9.9").iterdir()}

    data, whole = jar.read_bytes(), imported(jar)
    damaged = tmp_path / "damaged.jar"
    found = []
    for offset in range(len(data)):
        damaged.write_bytes(data[:offset] + bytes([data[offset] ^ 0xFF]) + data[offset + 1 :])
        found.append(imported(damaged))

    assert whole
    assert None in found
    assert [each for each in found if each not in (None, whole)] == []


@pytest.mark.parametrize("release", ["", ".", "..", "../9.9.9", "x", "9/9"])
def test_release_that_is_no_release_is_refused(tmp_path: Path, jar: Path, release: str) -> None:
    with pytest.raises(ImportFailed, match="is no release"):
        import_release(release, tmp_path, [jar])


def test_without_maven_and_jars_the_remedy_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(MavenMissing, match="--jar"):
        import_release("9.9.9", tmp_path)


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Maven that finds nothing, and an empty repository of its own."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("MAVEN_REPO_LOCAL", str(tmp_path / "repository"))
    return tmp_path / "repository" / "org/apache/kafka"


def put(repository: Path, artifact: str, jar: Path) -> None:
    folder = repository / artifact / "9.9.9"
    folder.mkdir(parents=True)
    jar.rename(folder / f"{artifact}-9.9.9.jar")


def test_jars_of_a_release_come_from_mavens_repository(
    tmp_path: Path, maven: Path, jar: Path
) -> None:
    record = request(type="metadata", name="SampleRecord")
    other = make_jar(tmp_path / "b.jar", {"common/metadata/SampleRecord.json": text(record)})
    put(maven, "kafka-clients", jar)
    put(maven, "kafka-metadata", other)

    assert import_release("9.9.9", tmp_path / "schemas") == 2


def test_release_that_maven_does_not_have_is_refused(tmp_path: Path, maven: Path) -> None:
    with pytest.raises(ImportFailed, match=r"Maven has no kafka-clients 9\.9\.9"):
        import_release("9.9.9", tmp_path / "schemas")


def test_release_without_its_clients_is_refused(tmp_path: Path, maven: Path, jar: Path) -> None:
    put(maven, "kafka-metadata", jar)

    with pytest.raises(ImportFailed, match="Maven has no kafka-clients"):
        import_release("9.9.9", tmp_path / "schemas")


def test_text_beyond_ascii_is_kept() -> None:
    content = request(field(type="string", default="\u00e9\U0001f600"))

    assert json.loads(facts(text(content), "x.json")[1]) == content


def test_text_that_utf8_cannot_express_is_refused() -> None:
    content = request(field(type="string", default="\u00e9\ud800"))

    with pytest.raises(DefinitionError, match="half a character"):
        facts(text(content), "x.json")
