"""Definitions from a Kafka release: the facts of its jars, and nothing of their prose.

The jar of kafka-clients holds every request, response, header and data message; the records of
KRaft and of the coordinators are in the jars of the server. Maven fetches what is not at hand.
What is kept is what decides the bytes and what a rule may ask about; comments and descriptions go.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.errors import UNREACHABLE, ConformanceError
from conformance.schema.load import load_message, parse_json

ARTIFACTS = (
    "kafka-clients",
    "kafka-metadata",
    "kafka-raft",
    "kafka-storage",
    "kafka-group-coordinator",
    "kafka-transaction-coordinator",
    "kafka-share-coordinator",
)
"""The artifacts that hold definitions. Older releases lack some of them."""
_FOLDERS = ("common/message/", "common/metadata/", "message/")
_RELEASE = re.compile(r"[0-9][0-9A-Za-z.-]*")
_DROPPED = frozenset({"about", "zeroCopy", "deprecatedVersions"})


class ImportFailed(ConformanceError):
    """A jar that can't be had or read, or that holds no definitions."""


class MavenMissing(ImportFailed):
    """Maven is needed to fetch a release and is not there."""

    exit_code = UNREACHABLE


def import_release(release: str, root: Path, jars: Iterable[Path] = ()) -> int:
    """Write the facts of a release to `root`/`release`; returns how many messages were written.

    From the jars given, else from those of the release, fetched through Maven. What stood there for
    this release before is replaced as a whole. Raises ImportFailed and DefinitionError.
    """
    if not _RELEASE.fullmatch(release):
        raise ImportFailed(f"{release!r} is no release", "give it as Kafka names it, such as 4.1.0")
    found = dict(_read_all(list(jars) or fetch_jars(release)))
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as scratch:
        fresh = Path(scratch) / release
        fresh.mkdir()
        for name, text in found.items():
            (fresh / f"{name}.json").write_text(text, "utf-8")
        target = root / release
        if target.exists():
            target.rename(Path(scratch) / "replaced")
        fresh.rename(target)
    return len(found)


def fetch_jars(release: str) -> list[Path]:
    """The jars of a release, through Maven. Raises ImportFailed where kafka-clients isn't had."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MavenMissing("Maven (mvn) is not installed", "install it, or give the jar by --jar")
    jars = [jar for artifact in ARTIFACTS if (jar := _fetch(maven, artifact, release))]
    if not jars or not jars[0].name.startswith("kafka-clients"):
        raise ImportFailed(
            f"Maven has no kafka-clients {release}", "check the release, or give a jar by --jar"
        )
    return jars


def _fetch(maven: str, artifact: str, release: str) -> Path | None:
    repository = Path(os.environ.get("MAVEN_REPO_LOCAL", Path.home() / ".m2" / "repository"))
    place = repository / "org/apache/kafka" / artifact / release / f"{artifact}-{release}.jar"
    if not place.exists():
        coordinates = f"org.apache.kafka:{artifact}:{release}"
        subprocess.run(
            [
                maven,
                "-q",
                "-B",
                f"-Dmaven.repo.local={repository}",
                "dependency:get",
                "-Dtransitive=false",
                f"-Dartifact={coordinates}",
            ],
            capture_output=True,
            check=False,
        )
    return place if place.exists() else None


def _read_all(jars: list[Path]) -> Iterator[tuple[str, str]]:
    for jar in jars:
        found = list(_read_jar(jar))
        if not found and jar == jars[0]:
            raise ImportFailed(
                f"{jar} holds no message definitions", "a kafka-clients jar has them: give that one"
            )
        yield from found


def _read_jar(jar: Path) -> Iterator[tuple[str, str]]:
    try:
        with zipfile.ZipFile(jar) as archive:
            for entry in sorted(archive.namelist()):
                folder, _, file = entry.rpartition("/")
                if f"{folder}/" in _FOLDERS and file.endswith(".json"):
                    yield facts(archive.read(entry).decode("utf-8"), f"{jar.name}!{entry}")
    except _UNREADABLE as error:
        raise ImportFailed(f"{jar} can't be read: {error}", "is it a jar of Kafka?") from None


_UNREADABLE = (
    OSError,
    EOFError,
    UnicodeDecodeError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, or one compressed in a way that Python lacks
)


def facts(text: str, file: str) -> tuple[str, str]:
    """A definition's name and its facts as JSON text. Raises DefinitionError."""
    message = load_message(text, file)
    kept = _strip(parse_json(text, file))
    return message.name, json.dumps(kept, indent=1) + "\n"


def _strip(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _strip(value) for key, value in content.items() if key not in _DROPPED}
    if isinstance(content, list):
        return [_strip(item) for item in content]
    return content
