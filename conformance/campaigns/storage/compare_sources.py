"""Runs that can be compared: a results file, or the folder of a campaign, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from conformance.errors import ConformanceError
from conformance.reporting.comparing import Form
from conformance.results.files import read_lines
from conformance.results.lines import Line, Run, Summary, Verdict, is_cut_short
from conformance.targets.toolchains import PIPELINE

_ALIKE = ("suite_version", "profile", "selection")


def check_tables() -> None:
    """Raise ExtraMissing if pyarrow, which reads a campaign's tables, is not installed."""
    PIPELINE.check("pyarrow", why="a campaign's tables need it")


class NotComparable(ConformanceError):
    """An error: no runs to compare, or two runs with different selections."""


class RunFile:
    """A results file with every verdict, or a fuzzer's with its broken verdicts only.

    `cut_short` is known only after all its verdicts were read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cut_short = False
        run = next(read_lines(path), None)
        if not isinstance(run, Run):
            hint = "give one of --results, or the folder of a campaign"
            raise NotComparable(f"{path} does not begin with a run", hint)
        self.run = run

    @property
    def name(self) -> str:
        """Its name in a warning that it is incomplete."""
        return str(self._path)

    def verdicts(self) -> Iterator[Verdict]:
        """Yield all its verdicts, then set `cut_short`."""
        line: Line | None = None
        for line in read_lines(self._path):
            if isinstance(line, Verdict):
                yield line
        self.cut_short = is_cut_short(line)

    def answered(self, _form: Form, /) -> bool:
        """True for a campaign's file, which does not say which forms were asked."""
        return "seed" in self.run.selection


class CampaignTable:
    """One target of a campaign: kept verdicts are in the table `verdicts`, all are in `counts`."""

    def __init__(self, root: Path, run: Run, id_: str, summary: Summary | None) -> None:
        self.run = run
        self.cut_short = is_cut_short(summary)
        self._root, self._id = root, id_
        self._answered: set[Form] | None = None

    @property
    def name(self) -> str:
        """Its name in a warning that it is incomplete."""
        return f"{self._root}, {self.run.target}"

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the kept verdicts, with one batch of rows in memory at a time."""
        from conformance.campaigns.storage.rows import verdict_of
        from conformance.campaigns.storage.tables import partition, read_rows

        folder = partition(self._root, "verdicts", self._id, self.run.target)
        return map(verdict_of, read_rows(folder, "verdicts"))

    def answered(self, form: Form) -> bool:
        """True if any case of this form and rule was asked."""
        if self._answered is None:
            self._answered = set(self._asked_forms())
        return form in self._answered

    def _asked_forms(self) -> Iterator[Form]:
        from conformance.campaigns.storage.tables import partition, read_rows

        folder = partition(self._root, "counts", self._id, self.run.target)
        for row in read_rows(folder, "counts"):
            if row["verdict"] != "unsupported":
                yield row["message"], row["version"], row["op"], row["rule"]


StoredRun = RunFile | CampaignTable


def sources(path: Path) -> dict[str, StoredRun]:
    """Return the runs in a path by target. Raises NotComparable, ResultsError, TableError."""
    if not path.is_dir():
        file = RunFile(path)
        return {file.run.target: file}
    check_tables()
    found = dict(_campaign(path))
    if not found:
        hint = "give the folder of a campaign that has ended, or a results file"
        raise NotComparable(f"{path} has no run in it", hint)
    return found


def _campaign(root: Path) -> Iterator[tuple[str, StoredRun]]:
    from conformance.campaigns.storage.results_files import runs_of
    from conformance.campaigns.storage.rows import run_of
    from conformance.campaigns.storage.tables import read_file

    missing = _missing(root)
    for path in runs_of(root):
        id_ = path.parent.parent.name.removeprefix("run=")
        for row in read_file(path, "runs"):
            run, summary = run_of(row)
            run = msgspec.structs.replace(run, selection=run.selection | missing)
            yield run.target, CampaignTable(root, run, id_, summary)


def _missing(root: Path) -> dict[str, int]:
    """Return what a campaign left out of its selection: rounds after an early end, lost chunks."""
    from conformance.campaigns.rounds import RunPlan
    from conformance.campaigns.storage.folder import CampaignFolder

    folder = CampaignFolder(root)
    about, rounds = folder.about(), folder.rounds()
    if about is None:
        return {}
    lost = sum(each.set_aside for each in rounds)
    early = (
        {} if len(rounds) == RunPlan(about.cases, about.targets).rounds else {"done": len(rounds)}
    )
    return early | ({"set_aside": lost} if lost else {})


def paired(
    old: dict[str, StoredRun], new: dict[str, StoredRun]
) -> tuple[list[tuple[StoredRun, StoredRun]], list[str]]:
    """Return pairs of runs of one target or of two of its versions; then the obstacles, in words.

    Raises NotComparable if no target is in both.
    """
    if len(old) == len(new) == 1:
        pairs = list(zip(old.values(), new.values(), strict=True))
    else:
        by_name = {_base(name): source for name, source in new.items()}
        pairs = [
            (source, new.get(name) or by_name[_base(name)])
            for name, source in old.items()
            if name in new or _base(name) in by_name
        ]
    if not pairs:
        told = f"{', '.join(old)} and {', '.join(new)}"
        raise NotComparable(f"no target is in both runs: {told}", "compare runs of one target")
    return pairs, [why for pair in pairs for why in _against(*pair)] + _left(old, new, pairs)


def _left(
    old: dict[str, StoredRun],
    new: dict[str, StoredRun],
    pairs: Sequence[tuple[StoredRun, StoredRun]],
) -> list[str]:
    taken = {id(source) for pair in pairs for source in pair}
    return [
        f"{name} is only in the {side} run"
        for side, found in (("old", old), ("new", new))
        for name, source in found.items()
        if id(source) not in taken
    ]


def _against(old: StoredRun, new: StoredRun) -> Iterator[str]:
    one, other = old.run, new.run
    if _base(one.target) != _base(other.target):
        yield f"two targets: {one.target} and {other.target}"
    for name in _ALIKE:
        before, after = getattr(one, name), getattr(other, name)
        if before != after:
            what = name.replace("_", " ")
            yield f"another {what}: {_shown(before)} and {_shown(after)}"


def _base(target: str) -> str:
    return target.partition("@")[0]


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode() if value else "everything"
    return str(value)
