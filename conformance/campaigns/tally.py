"""The sums of a campaign so far: counts, coverage and causes of all its rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from conformance.campaigns.chunk import Chunk, ChunkResults, Count, GatheredCauses
from conformance.campaigns.storage.folder import About, Round
from conformance.campaigns.storage.rows import verdict_of
from conformance.campaigns.storage.tables import Row, partition, read_file, read_rows, write_rows
from conformance.codecs.crash_limit import MOST_CRASHES, Kind, is_crash
from conformance.fuzzing.field_coverage import Feature
from conformance.results.lines import BROKEN

Outcome = tuple[ChunkResults, GatheredCauses] | str
EVERYTHING = "all"
"""The partition of rows that belong to no single target."""


class CampaignTally:
    """The sums over all rounds; it also writes the counts of each round."""

    def __init__(self, root: Path, about: About) -> None:
        self._root = root
        self._about = about
        self.reached: set[Feature] = set()
        self.causes = {target: GatheredCauses() for target in about.targets}
        self.verdicts = {target: Counter[str]() for target in about.targets}
        self.rounds: list[Round] = []
        self._crashes = {target: Counter[Kind]() for target in about.targets}

    @property
    def skipped(self) -> dict[str, tuple[Kind, ...]]:
        """By target, the kinds of cases at which it crashed or hung too often to be asked again."""
        return {
            target: tuple(sorted(kind for kind, count in seen.items() if count >= MOST_CRASHES))
            for target, seen in self._crashes.items()
        }

    @property
    def cases(self) -> int:
        """The number of cases so far, over all targets."""
        return sum(each.cases for each in self.rounds)

    @property
    def set_aside(self) -> int:
        """The number of chunks that could not be judged."""
        return sum(each.set_aside for each in self.rounds)

    @property
    def is_quiet(self) -> bool:
        """True if the last round brought nothing new."""
        last = self.rounds[-1] if self.rounds else None
        return last is not None and not last.new_features and not last.new_findings

    def cases_asked(self, target: str) -> int:
        """Return the number of cases that a target was asked."""
        return sum(each.asked.get(target, 0) for each in self.rounds)

    def recall(self, rounds: Iterable[Round]) -> None:
        """Load the sums of earlier rounds. Raises TableError."""
        self.rounds = list(rounds)
        about, root = self._about, self._root
        for row in read_rows(partition(root, "coverage", about.run, EVERYTHING), "coverage"):
            self.reached.add((row["message"], row["version"], row["field"], row["value_class"]))
        for target in about.targets:
            for row in read_rows(partition(root, "counts", about.run, target), "counts"):
                self.verdicts[target][row["verdict"]] += row["count"]
            self._recall_causes(target)

    def _recall_causes(self, target: str) -> None:
        folder = partition(self._root, "verdicts", self._about.run, target)
        for path in sorted(folder.glob("round=*/*.parquet"), key=lambda path: path.name):
            verdicts = map(verdict_of, read_file(path, "verdicts"))
            broken = [each for each in verdicts if each.verdict in BROKEN]
            self._crashes[target].update(
                (each.message, each.rule) for each in broken if is_crash(each)
            )
            chunk = GatheredCauses()
            chunk.take_all(broken)
            self.causes[target].add(chunk, int(path.stem))

    def add(self, number: int, outcomes: Iterable[tuple[Chunk, Outcome]], seconds: float) -> Round:
        """Add a round, and write its counts. Raises TableError."""
        counts = {target: Counter[Count]() for target in self._about.targets}
        asked, cpu = Counter[str](), Counter[str]()
        new: set[Feature] = set()
        aside: dict[str, list[Row]] = {}
        cases, findings = 0, False
        for chunk, outcome in outcomes:
            cases += chunk.cases
            if isinstance(outcome, str):
                row = {"first": chunk.begins, "count": chunk.cases, "reason": outcome}
                aside.setdefault(chunk.target, []).append(row)
                continue
            judged, causes = outcome
            counts[chunk.target].update(judged.counts)
            self._crashes[chunk.target].update(judged.crashes)
            asked[chunk.target] += judged.asked
            cpu[chunk.target] += judged.cpu_seconds  # type: ignore[assignment]
            new |= judged.reached
            findings |= self.causes[chunk.target].add(causes, chunk.begins)
        new -= self.reached
        self.reached |= new
        self._write(number, counts, new, aside)
        done = Round(
            number=number,
            cases=cases,
            asked=dict(asked),
            seconds=round(seconds, 3),
            cpu_seconds={target: round(each, 3) for target, each in cpu.items()},
            new_features=len(new),
            new_findings=findings,
            set_aside=sum(map(len, aside.values())),
        )
        self.rounds.append(done)
        return done

    def _write(
        self,
        number: int,
        counts: dict[str, Counter[Count]],
        new: set[Feature],
        aside: dict[str, list[Row]],
    ) -> None:
        root, run = self._root, self._about.run
        for target, counted in counts.items():
            for (_, _, _, _, verdict), count in counted.items():
                self.verdicts[target][verdict] += count
            rows = [
                dict(zip(_COUNT, (*key, count), strict=True))
                for key, count in sorted(counted.items())
            ]
            write_rows(partition(root, "counts", run, target, number), "counts", "counts", rows)
        features = [dict(zip(_FEATURE, each, strict=True)) for each in sorted(new)]
        folder = partition(root, "coverage", run, EVERYTHING, number)
        write_rows(folder, "coverage", "coverage", features)
        for target, rows in aside.items():
            folder = partition(root, "set_aside", run, target, number)
            write_rows(folder, "set_aside", "set_aside", rows)


_COUNT = ("rule", "message", "version", "op", "verdict", "count")
_FEATURE = ("message", "version", "field", "value_class")
