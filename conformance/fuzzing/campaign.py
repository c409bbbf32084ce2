"""A campaign: fuzzing processes side by side on one corpus, for a time, and started again if they
end before it.

The folder of a campaign can be gone on with, and is whole at any time:

    corpus/     inputs that reached something new, named by their SHA-1; seeds at first
    suspects/   inputs to be looked at
    suspects-before/   those of older campaigns, which are executed again, closely
    ended/      inputs that ended a process or took its time or memory, as libFuzzer wrote them
    reached-*   coverage of the definitions, a file a process
    logs/       what libFuzzer says
    under-way-* the input that a process executes
    progress.ndjson   executions and coverage over time
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from conformance.errors import UNREACHABLE, ConformanceError
from conformance.fuzzing.harness import COSTS, SLOW
from conformance.fuzzing.merging import merge
from conformance.fuzzing.process import SUSPECTS_BEFORE, UNDER_WAY, last_input
from conformance.fuzzing.settings import FuzzSettings
from conformance.fuzzing.starting import bounds, command_of, environment, sha1

POLL_S = 0.5
REPORT_EVERY_S = 10.0
GRACE_S = 15.0
STARTUP_S = 120.0
"""For the first execution: a codec is imported, instrumented and given its seeds."""
LEAST_FREE_BYTES = 64 * 1024 * 1024
MOST_VAIN = 5
"""Starts that may end at once, one after another."""
_AT_ONCE_S = 3.0
_PULSE = re.compile(rb"^#(\d+)\t[A-Za-z]+ +(?:cov: (\d+) ft: (\d+) )?", re.M)
_NAME = re.compile("[0-9a-f]{40}")
_TAIL_BYTES = 64 * 1024
_ENDED = {"timeout": "no answer in time", "oom": "too much memory", "slow": SLOW}


class NotFuzzed(ConformanceError):
    """The fuzzing process can't be started, or ends at once."""

    exit_code = UNREACHABLE


class DiskFull(ConformanceError):
    """There is next to no room left where the campaign is kept."""

    exit_code = UNREACHABLE


@dataclass(slots=True)
class FuzzProgress:
    """The state of a campaign: executions, edges and features of code, inputs, definitions."""

    executions: int = 0
    edges: int = 0
    features: int = 0
    corpus: int = 0
    reached: int = 0
    seconds: float = 0.0
    restarts: int = 0

    @property
    def rate(self) -> float:
        """Executions a second."""
        return self.executions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Suspected:
    """An input to be looked at: why, or how it ended its process (exit, timeout, oom, crash).

    One that is `old` was suspicious in a campaign before, and not in this one.
    """

    data: bytes
    why: str = ""
    ended: str = ""
    old: bool = False

    @property
    def is_of_cost(self) -> bool:
        """True if it took time or memory, which the machine's load or other inputs may have."""
        return self.why in COSTS or self.ended in ("timeout", "oom", "slow")

    @property
    def reason(self) -> str:
        """Why it is suspicious, in words."""
        return self.why or _ENDED.get(self.ended, f"the process ended: {self.ended}")


@dataclass
class _Job:
    """One place for a process, and what the processes that had it before did."""

    number: int
    process: subprocess.Popen[bytes] | None = None
    log: Path = field(default_factory=Path)
    began_s: float = 0.0
    done: int = 0
    vain: int = 0


class FuzzCampaign:
    """Fuzzes into a folder. Raises NotFuzzed, ConformanceError where it can't be written."""

    def __init__(self, settings: FuzzSettings, jobs: int = 1, options: Iterable[str] = ()) -> None:
        self._settings = settings
        self._options = tuple(options)
        self._folder = Path(settings.folder)
        self._jobs = [_Job(number) for number in range(jobs)]
        self._starts = 0
        self._ended: set[str] = set()
        try:
            for name in ("corpus", "suspects", SUSPECTS_BEFORE, "ended", "logs"):
                (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConformanceError(
                f"{self._folder}: {error.strerror}", "choose a folder that can be written"
            ) from None
        self._ended_before = {path.name for path in self._files("ended")}
        self.progress = FuzzProgress()

    @property
    def is_new(self) -> bool:
        """True if there is no corpus to continue with."""
        return not any(_NAME.fullmatch(path.name) for path in self._files("corpus"))

    def add(self, inputs: Iterable[bytes]) -> None:
        """Put inputs into the corpus."""
        write_inputs(self._folder / "corpus", inputs)

    def merge(self, folders: Iterable[Path] = ()) -> None:
        """Make the corpus the fewest inputs that reach what it and other corpora reach.

        What ends the process is left out, and is among the suspects from then on. Raises NotMerged.
        """
        merge(self._settings, folders)

    def run(
        self,
        seconds: float,
        report: Callable[[FuzzProgress], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Fuzz for so long, and `look` now and then; what that raises, or Ctrl-C, ends it."""
        began = time.monotonic()
        self._suspect_again()
        try:
            began = self._start_all(seconds)
            reported = began
            while (left := seconds - (time.monotonic() - began)) > 0:
                for job in self._jobs:
                    self._look_after(job, left)
                if all(job.process is None for job in self._jobs):
                    return
                time.sleep(min(POLL_S, left))
                self._check_space()
                look()
                if time.monotonic() - reported >= REPORT_EVERY_S:
                    reported = time.monotonic()
                    self._measure(reported - began)
                    report(self.progress)
        finally:
            self._end()
            self._measure(time.monotonic() - began)
            report(self.progress)

    def _suspect_again(self) -> None:
        """Have what was suspicious before executed again: the codec may have been mended."""
        for path in self._files("suspects"):
            path.replace(self._folder / SUSPECTS_BEFORE / path.name)
        self.add(each.data for each in self._kept(SUSPECTS_BEFORE))

    def _check_space(self) -> None:
        """End before the disk is full, as long as all that is written is whole."""
        if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
            raise DiskFull(
                f"less than {LEAST_FREE_BYTES >> 20} MiB are free at {self._folder}",
                "make room, and go on with the same folder",
            )

    def _start_all(self, seconds: float) -> float:
        """Start a process a job; the time at which one of them executes what it is given."""
        deadline = time.monotonic() + STARTUP_S
        for job in self._jobs:
            self._start(job, seconds)
        while not any(self._last(job)[0] for job in self._jobs):
            for job in self._jobs:
                self._look_after(job, seconds)
            if all(job.process is None for job in self._jobs):
                break
            if time.monotonic() > deadline:
                log = self._jobs[0].log
                raise NotFuzzed(f"nothing was executed within {STARTUP_S:g} s", f"see {log}")
            time.sleep(POLL_S)
        return time.monotonic()

    def suspected(self) -> list[Suspected]:
        """Every input that is to be looked at, each once, by its gravest reason."""
        every = [*self._kept("suspects"), *self._kept(SUSPECTS_BEFORE), *self._that_ended_it()]
        found: dict[bytes, Suspected] = {}
        for each in sorted(every, key=lambda each: (each.old, each.is_of_cost)):
            found.setdefault(each.data, each)
        return list(found.values())

    def forget(self, suspected: Suspected) -> None:
        """Leave out what was suspicious in a campaign before, and is no more."""
        name = "ended" if suspected.ended else SUSPECTS_BEFORE
        for path in self._files(name):
            data = path.read_bytes()
            if suspected.data == (data if suspected.ended else data.partition(b"\n")[2]):
                path.unlink()

    def _kept(self, name: str) -> Iterator[Suspected]:
        for path in self._files(name):
            why, _, data = path.read_bytes().partition(b"\n")
            yield Suspected(data, why.decode(), old=name == SUSPECTS_BEFORE)

    def _that_ended_it(self) -> Iterator[Suspected]:
        for path in self._files("ended"):
            how = path.name.partition("-")[0]
            yield Suspected(path.read_bytes(), ended=how, old=path.name in self._ended_before)

    def corpus(self) -> dict[str, bytes]:
        """The inputs of the corpus by their SHA-1."""
        whole = [path for path in self._files("corpus") if _NAME.fullmatch(path.name)]
        return {path.name: path.read_bytes() for path in whole}

    def _files(self, name: str) -> list[Path]:
        """The whole files of one of the folders."""
        folder = self._folder / name
        return sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))

    def _look_after(self, job: _Job, left_s: float) -> None:
        if job.process is None:
            return
        status = job.process.poll()
        if status is None:
            return
        job.done += self._last(job)[0]
        is_known = not self._remove_what_ended_it(job.process.pid)
        job.process = None
        if status == 0:
            return  # a bound of libFuzzer's own was reached, such as -runs
        ended_at_once = time.monotonic() - job.began_s < _AT_ONCE_S
        job.vain = job.vain + 1 if ended_at_once and is_known else 0
        if job.vain >= MOST_VAIN:
            said = job.log.read_text("utf-8", "replace").strip().splitlines()[-3:]
            raise NotFuzzed(
                f"the fuzzing process ends at once: {' / '.join(said)}", f"see {job.log}"
            )
        self.progress.restarts += 1
        self._start(job, left_s)

    def _start(self, job: _Job, left_s: float) -> None:
        self._starts += 1
        settings = msgspec.structs.replace(self._settings, seed=self._settings.seed + self._starts)
        job.log = self._folder / "logs" / f"{job.number}-{self._starts}"
        command = [
            *command_of(settings),
            f"-max_total_time={int(left_s + STARTUP_S)}",
            *bounds(settings),
            *self._options,
            str(self._folder / "corpus"),
        ]
        with job.log.open("wb") as log:
            job.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment(settings),
            )
        job.began_s = time.monotonic()

    def _remove_what_ended_it(self, pid: int) -> bool:
        """Remove the input that ended the process, and return True if it was found.

        None of these may stay in the corpus, or it would end each process that loads it.
        """
        before = len(self._ended)
        under_way = self._folder / f"{UNDER_WAY}{pid}"
        data = last_input(under_way)
        under_way.unlink(missing_ok=True)
        if data:
            (self._folder / "ended" / f"exit-{sha1(data)}").write_bytes(data)
        for path in self._files("ended"):
            digest = sha1(path.read_bytes())
            (self._folder / "corpus" / digest).unlink(missing_ok=True)
            self._ended.add(digest)
        return len(self._ended) > before

    def _end(self) -> None:
        for job in self._jobs:
            if job.process is not None:
                _signal(job.process, signal.SIGINT)
        deadline = time.monotonic() + GRACE_S
        for job in self._jobs:
            if job.process is None:
                continue
            with suppress(subprocess.TimeoutExpired):
                job.process.wait(max(deadline - time.monotonic(), 0.1))
            _signal(job.process, signal.SIGKILL)
            job.process.wait()
            (self._folder / f"{UNDER_WAY}{job.process.pid}").unlink(missing_ok=True)

    def _last(self, job: _Job) -> tuple[int, int, int]:
        """Executions, edges and features of the last line that says so."""
        try:
            with job.log.open("rb") as log:
                log.seek(max(job.log.stat().st_size - _TAIL_BYTES, 0))
                found = _PULSE.findall(log.read())
        except OSError:
            return 0, 0, 0
        executions, edges, features = (int(n or 0) for n in found[-1]) if found else (0, 0, 0)
        return executions, edges, features

    def _measure(self, seconds: float) -> None:
        """Write down how far it is."""
        last = [self._last(job) for job in self._jobs]
        under_way = sum(each[0] for job, each in zip(self._jobs, last, strict=True) if job.process)
        progress = self.progress
        progress.executions = under_way + sum(job.done for job in self._jobs)
        progress.edges = max(each[1] for each in last)
        progress.features = max(each[2] for each in last)
        progress.corpus = len(self._files("corpus"))
        progress.reached = len(self.reached())
        progress.seconds = seconds
        with (self._folder / "progress.ndjson").open("ab") as file:
            file.write(msgspec.json.encode(progress) + b"\n")

    def reached(self) -> set[tuple[str, int, str, str]]:
        """The coverage of the definitions over all processes."""
        found: set[tuple[str, int, str, str]] = set()
        for path in self._folder.glob("reached-*"):
            found.update(map(tuple, msgspec.json.decode(path.read_bytes())))
        return found


def write_inputs(folder: Path, inputs: Iterable[bytes]) -> None:
    """As files that are named after what is in them, as libFuzzer names its own."""
    for data in inputs:
        path = folder / sha1(data)
        if not path.exists():
            path.write_bytes(data)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process and all processes that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
