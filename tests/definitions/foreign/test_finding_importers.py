"""A place is read by the importer that knows its form, or by the one that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from conformance.definitions.foreign import finding_importers
from conformance.definitions.foreign.finding_importers import (
    ModuleMissing,
    UnknownImporter,
    importer_for,
    place_of,
    read_all,
)
from conformance.definitions.foreign.guarding import ImporterBroken
from conformance.definitions.foreign.interface import Imported
from conformance.definitions.mutants.foreign_samples import ENUMS, KAFKA, KMSG
from conformance.schema.model import Message
from conformance.schema.text.texts import NoDefinitions
from conformance.schema.versions import NONE, Versions


class Mine:
    """An importer of one's own: a line a message, with its name and api key."""

    name = "mine"

    def detect(self, path: Path) -> bool:
        return path.suffix == ".mine"

    def read(self, path: Path) -> Iterator[Imported]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            name, key = line.split()
            message = Message(name, "request", int(key), Versions(0, 0), NONE, ())
            yield Imported(path.name, name, message, lambda _, at=number: at)  # type: ignore[misc]


def test_each_form_is_known_by_what_is_in_the_folder(tmp_path: Path) -> None:
    for name in ("kmsg", "module/generate/definitions", "kafka"):
        (tmp_path / name).mkdir(parents=True)
    for folder in ("kmsg", "module/generate/definitions"):
        (tmp_path / folder / "12_some").write_text(KMSG)
        (tmp_path / folder / "enums").write_text(ENUMS)
    (tmp_path / "module" / "settings.json").write_text("{}")
    for name, text in KAFKA.items():
        (tmp_path / "kafka" / name).write_text(text)

    forms = {each: importer_for(tmp_path / each).name for each in ("kmsg", "module", "kafka")}

    assert forms == {"kmsg": "kmsg", "module": "kmsg", "kafka": "kafka"}


@pytest.mark.parametrize("name", ["empty", "missing", "README.md"])
def test_a_place_without_definitions_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("# No definitions\n")

    with pytest.raises(NoDefinitions):
        importer_for(tmp_path / name)


def test_an_importer_of_ones_own_is_named_by_its_class(tmp_path: Path) -> None:
    file = tmp_path / "messages.mine"
    file.write_text("FetchRequest 1\n")

    (found,) = read_all(importer_for(file, f"{__name__}:Mine"), file)

    assert (found.name, found.line_of(())) == ("FetchRequest", 1)


def test_an_installed_importer_is_asked_before_those_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = EntryPoint("mine", f"{__name__}:Mine", finding_importers.GROUP)
    monkeypatch.setattr(finding_importers, "entry_points", lambda group: [entry])
    file = tmp_path / "messages.mine"
    file.write_text("")

    assert importer_for(file).name == "mine"
    assert importer_for(file, "mine").name == "mine"


@pytest.mark.parametrize(
    "name", ["nobody", "no_module:Mine", "os:nothing", "os:path", "io:StringIO"]
)
def test_what_is_no_importer_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownImporter):
        importer_for(tmp_path, name)


def test_an_importer_that_breaks_is_told_by_name(tmp_path: Path) -> None:
    file = tmp_path / "messages.mine"
    file.write_text("FetchRequest first\n")

    with pytest.raises(ImporterBroken, match="mine broke off: ValueError"):
        read_all(Mine(), file)


def test_a_path_is_no_go_module(tmp_path: Path) -> None:
    assert place_of(str(tmp_path)) == tmp_path
    assert place_of("definitions@home") == Path("definitions@home")


def test_a_go_module_needs_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(ModuleMissing, match="Go is not installed"):
        place_of("github.com/twmb/franz-go@v1.22.2")
