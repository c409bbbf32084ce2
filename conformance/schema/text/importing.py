"""Definitions from a Kafka release or from a jar: the facts, and nothing of their prose.

The jar of kafka-clients holds every request, response, header and data message; the records of
KRaft and of the coordinators are in the jars of the server. Maven fetches what is not at hand. What
is kept is what decides the bytes and what a rule may ask about; comments and descriptions go.
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
from conformance.schema.releases import DIFFERENCE, Definitions, stored
from conformance.schema.text.load import load_content, parse_forgiving

LARGEST = 64 * 1024 * 1024
"""Bytes of one definition; Kafka's largest has less than a thousandth of it."""
_FOLDERS = ("common/message/", "common/metadata/", "message/")
_UNREADABLE = (
    OSError,
    EOFError,
    UnicodeDecodeError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, or one compressed in a way that Python lacks
)


class ImportFailed(ConformanceError):
    """A jar that can't be had or read, or that holds no definitions."""


def read_jar(jar: Path) -> Iterator[tuple[str, str]]:
    """Each definition's place in the jar, and its text. Raises ImportFailed."""
    try:
        with zipfile.ZipFile(jar) as archive:
            for entry in sorted(archive.namelist()):
                folder, _, file = entry.rpartition("/")
                if f"{folder}/" in _FOLDERS and file.endswith(".json"):
                    yield entry, _text(archive, entry)
    except _UNREADABLE as error:
        raise ImportFailed(f"{jar} can't be read: {error}", "is it a jar of Kafka?") from None


def _text(archive: zipfile.ZipFile, entry: str) -> str:
    if archive.getinfo(entry).file_size > LARGEST:
        raise OSError(f"{entry} has over {LARGEST} bytes")
    return archive.read(entry).decode("utf-8")


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
_RELEASE = re.compile(r"[0-9][0-9A-Za-z.-]*")
_DROPPED = frozenset({"about", "zeroCopy", "deprecatedVersions"})


class MavenMissing(ImportFailed):
    """Maven is needed to fetch a release and is not there."""

    exit_code = UNREACHABLE


def import_release(
    release: str, root: Path, jars: Iterable[Path] = (), differs_from: str = ""
) -> int:
    """Write the facts of a release to `root`/`release`; returns how many messages it has.

    From the jars given, else from those of the release, fetched through Maven. What stood there for
    this release before is replaced as a whole. With `differs_from`, a release stored in `root`,
    only what differs from that one is written. Raises ImportFailed and DefinitionError.
    """
    if not _RELEASE.fullmatch(release):
        raise ImportFailed(f"{release!r} is no release", "give it as Kafka names it, such as 4.1.0")
    if differs_from and (differs_from == release or not (root / differs_from).is_dir()):
        raise ImportFailed(
            f"{release} can't be stored by what differs from {differs_from}",
            "name another release that is stored",
        )
    found = dict(_read_all(list(jars) or fetch_jars(release)))
    files = {f"{name}.json": text for name, text in found.items()}
    if differs_from:
        files = _difference(found, stored(root, differs_from))
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as scratch:
        fresh = Path(scratch) / release
        fresh.mkdir()
        for name, text in files.items():
            (fresh / name).write_text(text, "utf-8")
        target = root / release
        if target.exists():
            target.rename(Path(scratch) / "replaced")
        fresh.rename(target)
    return len(found)


def _difference(found: dict[str, str], other: Definitions) -> dict[str, str]:
    """The files of a release by what differs from the other."""
    lacks = [name for name in other.names if name not in found]
    about = json.dumps({"from": other.release, "lacks": lacks}, indent=1) + "\n"
    differing = {
        f"{name}.json": text
        for name, text in found.items()
        if name not in other or text != other.text(name)
    }
    return {DIFFERENCE: about, **differing}


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
        found = [facts(text, f"{jar.name}!{entry}") for entry, text in read_jar(jar)]
        if not found and jar == jars[0]:
            raise ImportFailed(
                f"{jar} holds no message definitions", "a kafka-clients jar has them: give that one"
            )
        yield from found


def facts(text: str, file: str) -> tuple[str, str]:
    """A definition's name and its facts as JSON text. Raises DefinitionError."""
    content = parse_forgiving(text, file)
    message = load_content(content, file)
    return message.name, json.dumps(_strip(content), indent=1) + "\n"


def _strip(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _strip(value) for key, value in content.items() if key not in _DROPPED}
    if isinstance(content, list):
        return [_strip(item) for item in content]
    return content
