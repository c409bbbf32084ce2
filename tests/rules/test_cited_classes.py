"""The classes of Apache Kafka that rules cite are in the release that they cite."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from zipfile import ZipFile

import pytest

from conformance.rules import catalogue
from conformance.targets.registry import build, find

PART = re.compile(r"Apache Kafka (?P<release>\d[\d.]*\d), (?P<by_name>[^;]+)")
FULL = re.compile(r"org\.apache\.kafka\.(?P<path>[\w.]+)[^;]*? of (?P<release>\d[\d.]*\d)")
NAME = re.compile(r"\b[A-Z][a-z]+[A-Z]\w+\b")


def cited_classes() -> dict[str, set[str]]:
    """The classes that sources name, without their packages, by release."""
    found: dict[str, set[str]] = defaultdict(set)
    for rule in catalogue().values():
        for part in PART.finditer(rule.source):
            found[part["release"]].update(NAME.findall(part["by_name"]))
        for part in FULL.finditer(rule.source):
            found[part["release"]].update(re.findall(r"(?<=\.)[A-Z]\w+", part["path"]))
    return found


def classes(jars: Path) -> set[str]:
    """The names of all classes in the jars of a folder, inner ones by their own names."""
    files = (file for jar in jars.glob("*.jar") for file in ZipFile(jar).namelist())
    return {part for file in files for part in re.split(r"[/$]", file.removesuffix(".class"))}


@pytest.mark.java
@pytest.mark.parametrize("release", sorted(cited_classes()))
def test_a_cited_class_is_in_the_cited_release(release: str) -> None:
    adapter, version = find("kafka", release, "brokers")
    there = classes(build(adapter, version) / "target" / "dependency")
    assert len(there) > 5_000
    assert cited_classes()[release] - there == set()
