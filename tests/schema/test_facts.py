"""The stored definitions are facts: what decides bytes, and none of Kafka's prose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import Any

import pytest

from conformance.data import data_root
from conformance.schema.releases import (
    DIFFERENCE,
    Definitions,
    definitions,
    releases,
    stored,
    whole_releases,
)

FACTS_OF_MESSAGES = {
    "apiKey",
    "commonStructs",
    "fields",
    "flexibleVersions",
    "latestVersionUnstable",
    "listeners",
    "name",
    "type",
    "validVersions",
}
FACTS_OF_FIELDS = {
    "default",
    "entityType",
    "fields",
    "flexibleVersions",
    "ignorable",
    "mapKey",
    "name",
    "nullableVersions",
    "tag",
    "taggedVersions",
    "type",
    "versions",
}


def files() -> Iterator[Traversable]:
    for release in releases():
        folder = data_root() / "schemas" / release
        yield from (file for file in folder.iterdir() if file.name != DIFFERENCE)


def objects(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, dict):
        yield content
    for item in content.values() if isinstance(content, dict) else content:
        if isinstance(item, dict | list):
            yield from objects(item)


def test_no_prose_is_stored() -> None:
    for release in releases():
        assert [file for file in files() if f"/{release}/" in str(file)]
    for file in files():
        for item in objects(json.loads(file.read_text("utf-8"))):
            assert set(item) <= FACTS_OF_MESSAGES | FACTS_OF_FIELDS, file
            assert all(" " not in text for text in item.values() if isinstance(text, str)), file


def test_no_licence_or_comment_is_stored() -> None:
    assert all("//" not in file.read_text("utf-8") for file in files())


def test_releases_are_listed_newest_first() -> None:
    assert releases()[0] == "4.4.0"
    assert releases()[-1] == "2.8.2"


def test_vectors_are_minted_of_the_releases_that_are_stored_whole() -> None:
    assert whole_releases() == ("4.4.0", "4.3.1", "3.9.2")


@pytest.mark.parametrize("release", sorted({*releases()} - {*whole_releases()}))
def test_only_what_differs_is_stored_of_the_other_releases(release: str) -> None:
    folder = data_root() / "schemas"
    newer = stored(folder, json.loads((folder / release / DIFFERENCE).read_text("utf-8"))["from"])

    assert releases().index(newer.release) == releases().index(release) - 1
    for file in (folder / release).iterdir():
        name = file.name.removesuffix(".json")
        assert file.name == DIFFERENCE or name not in newer or newer.text(name) != file.read_text()


@pytest.mark.parametrize("release", releases())
def test_every_stored_definition_loads_under_its_own_name(release: str) -> None:
    assert definitions(release).names
    for name in definitions(release).names:
        assert definitions(release)[name].name == name


@pytest.mark.parametrize("release", releases())
def test_every_request_has_its_response(release: str) -> None:
    known: Definitions = definitions(release)

    assert known.requests
    for api_key, name in known.requests.items():
        response = known[name.removesuffix("Request") + "Response"]
        assert (response.type, response.api_key) == ("response", api_key)
        assert response.valid == known[name].valid
