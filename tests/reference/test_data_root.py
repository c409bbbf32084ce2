"""Data files are found in a checkout and in a wheel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import data
from conformance.data import cache_dir, data_root


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that takes the place of the installed package."""
    folder = tmp_path / "site" / "conformance"
    folder.mkdir(parents=True)
    monkeypatch.setattr(data, "files", lambda _: folder)
    data_root.cache_clear()
    yield folder
    data_root.cache_clear()


def test_checkout_has_its_data_beside_the_package(package: Path) -> None:
    assert data_root() == package.parent


def test_wheel_has_its_data_inside_of_the_package(package: Path) -> None:
    (package / "_data").mkdir()

    assert data_root() == package / "_data"


def test_data_is_where_it_is_said_to_be() -> None:
    assert (data_root() / "schemas" / "4.4.0" / "FetchRequest.json").is_file()


def test_cache_is_a_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAFKA_CONFORMANCE_CACHE", raising=False)

    assert cache_dir().name == "kafka-conformance"
    assert cache_dir().is_absolute()
