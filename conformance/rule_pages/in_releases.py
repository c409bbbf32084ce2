"""Rules that real releases were seen to break: from published reports, and known public issues.

Only the number of cases is reported, never the input: the inputs of a crash or a hang are withheld
from reports already (`conformance.results.publish`).
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from conformance.data import data_root
from conformance.results.files import ResultsError
from conformance.results.known import read_known
from conformance.results.lines import BROKEN

_PASSED = b'"verdict":"pass"'


@dataclass(frozen=True, slots=True)
class SeenInReleases:
    """The number of a target's cases of one rule with this verdict, and the report that has it."""

    target: str
    report: str
    verdict: str
    cases: int


class _Line(msgspec.Struct):
    """The fields of a line that are counted here; there are a million lines."""

    type: str
    rule: str = ""
    class_: str = msgspec.field(name="class", default="")
    verdict: str = ""
    times: int = 1
    target: str = ""
    target_version: str = ""


def newest(reports: Path) -> list[Path]:
    """Return each kind of target's newest folder, of `YYYY-MM-DD/KIND`. Raises ResultsError."""
    days = sorted(kind for kind in reports.glob("????-??-??/*") if kind.is_dir())
    if not days:
        raise ResultsError(f"{reports}: no report in it", "folders of it are named YYYY-MM-DD/KIND")
    return list({kind.name: kind for kind in days}.values())


def seen(reports: Path) -> dict[str, list[SeenInReleases]]:
    """Return by rule what the newest reports of each kind of target show. Raises ResultsError."""
    found: dict[str, list[SeenInReleases]] = defaultdict(list)
    for path in sorted(path for kind in newest(reports) for path in kind.glob("*.ndjson.gz")):
        target, counts = _counted(path)
        report = path.relative_to(reports).as_posix().removesuffix(".ndjson.gz")
        for (rule, verdict), cases in sorted(counts.items()):
            found[rule].append(SeenInReleases(target, report, verdict, cases))
    return found


def public_issues() -> dict[str, dict[str, None]]:
    """Return the public issues that the bundled lists of known failures name, by rule."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for file in _known_files(data_root() / "adapters"):
        with as_file(file) as path:
            for entry in read_known(path):
                if entry.issue:
                    found[entry.rule][entry.issue] = None
    return found


def _known_files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name in ("clients", "brokers", "proxies"):
            yield from _known_files(entry)
        elif (known := entry / "known.toml").is_file():
            yield known


def _counted(path: Path) -> tuple[str, Counter[tuple[str, str]]]:
    """Return the target of a results file, and its cases by rule and verdict without passes."""
    decoder = msgspec.json.Decoder(_Line)
    target, counts = path.name, Counter[tuple[str, str]]()
    try:
        with gzip.open(path, "rb") as file:
            for data in file:
                if _PASSED in data:
                    continue
                line = decoder.decode(data)
                if line.type == "run":
                    target = _named(line)
                elif _counts(line):
                    counts[line.rule, line.verdict] += line.times
    except (OSError, EOFError, msgspec.MsgspecError) as error:
        raise ResultsError(f"{path}: {error}", "is it a published results file?") from None
    return target, counts


def _named(run: _Line) -> str:
    """Return the release, in its own words if they name it."""
    version = run.target_version
    return version if " " in version else f"{run.target} {version}".strip()


def _counts(line: _Line) -> bool:
    """True if a rule was not kept: a rule of class `kafka` is a note under the profile `spec`."""
    return line.verdict in BROKEN or (line.verdict == "note" and line.class_ == "kafka")
