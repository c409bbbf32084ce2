"""Campaigns on Spark beside the same functions under multiprocessing, and what more cases cost.

Every run is a process of its own, one after another: its whole time from start to end, the CPU
time that its processes took, and the most memory that any one of them held. The reference codec is
the target, as it is judged inside of the workers.

    python -m tests.bench.campaign                     # 5 million each way, twice
    python -m tests.bench.campaign cores 1e6           # one worker beside two
    python -m tests.bench.campaign growth 1e6 2e6 5e6 1e7 --plot docs/campaigns.svg
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.table import Table

from conformance.campaigns.chunk import Chunk, ChunkSettings, judge, target_of
from conformance.campaigns.rounds import RunPlan
from tests.bench.usage import Usage, used_by

TARGET = "reference"
SEED = 1


class Run(NamedTuple):
    """So many cases in some way, and what that took."""

    way: str
    cases: int
    usage: Usage

    @property
    def rate(self) -> float:
        """Cases a second of the whole time."""
        return self.cases / self.usage.seconds

    @property
    def cpu_us(self) -> float:
        """Microseconds of CPU a case, all processes together."""
        return self.usage.cpu_seconds / self.cases * 1e6


def _number(text: str) -> int:
    return int(float(text))


@click.group(invoke_without_command=True)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Measure campaigns."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(beside)


@main.command()
@click.argument("cases", type=_number, default="5e6")
@click.option("--rounds", type=int, default=2)
def beside(cases: int, rounds: int) -> None:
    """Two workers of Spark beside two processes of multiprocessing."""
    ways = ("multiprocessing 2", "local[2]")
    runs = [[_run(way, cases) for way in ways] for _ in range(rounds)]
    _show([run for pair in runs for run in pair])
    ratios = [spark.usage.seconds / alone.usage.seconds for alone, spark in runs]
    spread = ", ".join(f"{each:.2f}" for each in ratios)
    print(f"Spark's whole time is {statistics.median(ratios):.2f} times the other's ({spread})")


@main.command()
@click.argument("cases", type=_number, default="1e6")
@click.option("--rounds", type=int, default=3)
def cores(cases: int, rounds: int) -> None:
    """CPU a case of one worker and of two, on Spark and beside it."""
    ways = ("multiprocessing 1", "multiprocessing 2", "local[1]", "local[2]")
    runs = [[_run(way, cases) for way in ways] for _ in range(rounds)]
    _show([run for each in runs for run in each])
    for one, two in ((0, 1), (2, 3)):
        ratio = statistics.median(each[two].cpu_us / each[one].cpu_us for each in runs)
        print(f"{ways[two]}: {ratio:.2f} times the CPU a case of {ways[one]}")


@main.command()
@click.argument("cases", type=_number, nargs=-1, required=True)
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False))
def growth(cases: tuple[int, ...], plot: Path | None) -> None:
    """What more and more cases cost on two workers."""
    runs = [_run("local[2]", each) for each in cases]
    _show(runs)
    if plot is not None:
        _draw(runs, plot)


@main.command(hidden=True)
@click.argument("processes", type=int)
@click.argument("cases", type=int)
def alone(processes: int, cases: int) -> None:
    """The same functions without Spark, in so many processes."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ChunkSettings(run="bench", folder=folder, seed=SEED)
        plan = RunPlan(cases, (TARGET,))
        chunks = [each for number in range(plan.rounds) for each in plan.chunks(number)]
        pool = multiprocessing.get_context("spawn").Pool(processes, _begin, (settings,))
        with pool:
            found = [(chunk, pool.apply_async(_judged, (chunk,))) for chunk in chunks]
            asked = sum(result.get() for _, result in found)
    print(f"{asked} cases asked")


_settings: list[ChunkSettings] = []


def _begin(settings: ChunkSettings) -> None:
    _settings.append(settings)


def _judged(chunk: Chunk) -> int:
    (settings,) = _settings
    judged, _ = judge(settings, chunk, target_of(chunk.target, settings))
    return judged.asked


def _run(way: str, cases: int) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        kind, _, processes = way.partition(" ")
        if processes:
            command = ["-m", "tests.bench.campaign", "alone", processes, str(cases)]
        else:
            command = ["-m", "conformance.cli", "campaign", TARGET, "--cases", str(cases)]
            command += ["--seed", str(SEED), "--master", kind, "-o", f"{folder}/run"]
        print(f"{cases:,} cases by {way}", file=sys.stderr, flush=True)
        return Run(way, cases, used_by([sys.executable, *command]))


def _show(runs: list[Run]) -> None:
    table = Table("way", "cases", "whole time, s", "a second", "CPU a case, µs", "most memory, MiB")
    for run in runs:
        table.add_row(
            run.way,
            f"{run.cases:,}",
            f"{run.usage.seconds:.1f}",
            f"{run.rate:,.0f}",
            f"{run.cpu_us:.1f}",
            ", ".join(f"{name} {size >> 20:,}" for name, size in run.usage.peaks.items()),
        )
    Console(width=140).print(table)


def _draw(runs: list[Run], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    millions = [run.cases / 1e6 for run in runs]
    time, memory = figure.subplots(1, 2)
    time.plot(millions, [run.usage.seconds for run in runs], marker="o")
    time.set(xlabel="million cases", ylabel="whole time, s", xlim=(0, None), ylim=(0, None))
    for name in runs[0].usage.peaks:
        sizes = [run.usage.peaks[name] / 2**20 for run in runs]
        memory.plot(millions, sizes, marker="o", label=name)
    memory.set(xlabel="million cases", ylabel="most memory, MiB", xlim=(0, None), ylim=(0, None))
    memory.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
