"""The public defects, and which of them the suite finds: `public.toml` and `found/LIBRARY.toml`.

`public.toml` was committed before the suite was run on any of them. For each defect that counts,
`found/LIBRARY.toml` says by its id which `rule` the broken release breaks and the mended one keeps
in the same cases, or with `missed` why no rule shows it.
"""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from conformance.clients.scenarios import scenarios

HERE = Path(__file__).parent
BROKEN = {"fail", "crash", "hang"}
SUCCESSORS = {"kafka-python-2": ("3", "kafka-python"), "kio-0": ("0.5", "kio")}
"""Codecs that changed their form have an adapter for each, from some release on."""


@dataclass(frozen=True)
class Defect:
    """A public defect that counts, of the release `broken` and not of `mended`.

    `rule` is what finds it, in cases that match the pattern `cases`, under a profile; `messages`
    are what is asked. `driver` is the one that shows it, where it is not named as the library is.
    Where a release fails by chance, both are judged so many `times`. Where nothing finds it,
    `missed` says why.
    """

    id: str
    library: str
    kind: str
    broken: str
    mended: str
    public: str
    messages: tuple[str, ...]
    what: str
    rule: str = ""
    cases: str = "*"
    profile: str = "spec"
    driver: str = ""
    times: int = 1
    missed: str = ""

    def __str__(self) -> str:
        return self.id

    def matches(self, case: str) -> bool:
        """Whether a case is one of those that show it."""
        return fnmatch(case, self.cases)

    @property
    def releases(self) -> tuple[str, str]:
        """The broken and the mended release, as targets."""
        if self.driver:
            return (f"{self.driver}@{self.broken}", f"{self.driver}@{self.mended}")
        first, name = SUCCESSORS.get(self.library, ("", self.library))
        newer = first and _numbers(self.mended) >= _numbers(first)
        before = name if self.kind == "client" else self.library
        return (f"{before}@{self.broken}", f"{name if newer else before}@{self.mended}")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def listed() -> list[dict[str, Any]]:
    """All of the list, with what does not count."""
    return list(tomllib.loads((HERE / "public.toml").read_text("utf-8"))["defect"])


@cache
def answers() -> dict[str, dict[str, Any]]:
    """What is said of each defect that was judged, by its id."""
    files = sorted((HERE / "found").glob("*.toml"))
    return {
        key: answer
        for file in files
        for key, answer in tomllib.loads(file.read_text("utf-8")).items()
    }


@cache
def defects(kind: str = "") -> tuple[Defect, ...]:
    """The defects that count, with what was found of each; of one kind, or all."""
    counted = [one for one in listed() if not one.get("excluded") and kind in ("", one["kind"])]
    return tuple(_defect({**one, **answers().get(one["id"], {})}) for one in counted)


def _defect(said: dict[str, Any]) -> Defect:
    known = {key: said[key] for key in Defect.__dataclass_fields__ if key in said}
    return Defect(**{**known, "messages": tuple(said["messages"])})


def verdicts(defect: Defect, target: str, folder: Path) -> dict[str, set[str]]:
    """What a release gets by the rule of a defect, by case. Building it may take minutes."""
    told: dict[str, set[str]] = {}
    for number in range(defect.times):
        for case, verdict in _judged(defect, target, folder / f"{target}-{number}.ndjson"):
            told.setdefault(case, set()).add(verdict)
    return told


def _judged(defect: Defect, target: str, results: Path) -> list[tuple[str, str]]:
    asked = ["--rule", defect.rule, "--profile", defect.profile, "--results", str(results)]
    if defect.kind == "codec":
        asked += [f"--message={message}" for message in defect.messages]
    asked += [f"--case={case}" for case in asked_alone(defect)]
    run = subprocess.run(
        [sys.executable, "-m", "conformance.cli", defect.kind, target, *asked],
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert results.exists(), run.stdout + run.stderr
    said = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    verdicts = (line for line in said if line["type"] == "verdict")
    return [(each["case"], each["verdict"]) for each in verdicts if defect.matches(each["case"])]


def asked_alone(defect: Defect) -> list[str]:
    """The cases that a run can be limited to; none where it can't."""
    if "*" not in defect.cases:
        return [defect.cases]
    if defect.cases == "*" or defect.kind == "codec":
        return []
    return sorted({each.case() for each in scenarios().values() if defect.matches(each.case())})
