"""Places of definitions: what can't be read there is told, and never waited for."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from conformance.definitions.lint.linting import lint
from conformance.schema.text.importing import LARGEST, ImportFailed
from conformance.schema.text.texts import NoDefinitions, texts_at


def test_what_is_no_file_in_a_folder_is_passed_over_and_a_link_to_nowhere_is_told(
    tmp_path: Path,
) -> None:
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round.json").symlink_to(tmp_path / "round.json")

    found = lint(texts_at(str(tmp_path)))

    assert [each.file for each in found] == ["gone.json", "round.json"]
    assert all(each.findings[0].rule == "definitions.json-object" for each in found)


def test_one_file_that_is_too_large_leaves_the_others(tmp_path: Path) -> None:
    with (tmp_path / "Large.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    (tmp_path / "Small.json").write_text("{}", encoding="utf-8")

    large, small = lint(texts_at(str(tmp_path)))

    assert large.findings[0].reason == f"over {LARGEST} bytes"
    assert small.file == "Small.json"


@pytest.mark.parametrize("place", ["", "pipe"])
def test_a_place_that_is_none_is_refused_at_once(place: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(NoDefinitions):
        texts_at(str(tmp_path / place) if place else "")


def test_a_jar_that_was_cut_short_is_no_definition(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jar"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("common/message/A.json", "{}")
    cut = tmp_path / "cut.jar"
    cut.write_bytes(whole.read_bytes()[:-30])

    with pytest.raises(ImportFailed, match=r"cut\.jar can't be read"):
        texts_at(str(cut))
