"""Somebody new: a copy of the checkout, an empty folder, one shell, and a page to follow.

All commands of a walk go to one shell, as they do where a person types them, so that what a page
forgets to say is missing here too. That shell knows a `python3` and no `kafka-conformance`: it has
the one that the page has it install.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from uuid import uuid4

from tests.docs.pages import ROOT, Block, Page, due_code
from tests.packaging.conftest import environment

STEP_TIMEOUT_S = 300


@dataclass(frozen=True)
class Step:
    """A command that was run, and how it ended."""

    command: str
    code: int
    output: str
    seconds: float

    @property
    def due(self) -> int:
        return due_code(self.command)

    def __str__(self) -> str:
        return f"{self.seconds:6.1f} s  exit code {self.code}  {self.command}"


class Shell:
    """One `sh`, which is asked a line at a time."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            ["sh"],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )

    def run(self, command: str) -> Step:
        """Run a line; all that it starts ends with the shell where it takes too long."""
        begun = time.monotonic()
        timer = Timer(STEP_TIMEOUT_S, self._kill)
        timer.start()
        try:
            output, code = self._asked(command)
        finally:
            timer.cancel()
        return Step(command, code, output, time.monotonic() - begun)

    def _asked(self, command: str) -> tuple[str, int]:
        """The line's output, up to a mark that nobody else writes."""
        assert self._process.stdin
        assert self._process.stdout
        mark = uuid4().hex
        self._process.stdin.write(f"{{ {command}\n}} </dev/null\necho {mark} $?\n")
        self._process.stdin.flush()
        lines = []
        for line in self._process.stdout:
            before, found, code = line.partition(mark)
            lines.append(before)
            if found:
                return "".join(lines), int(code)
        raise AssertionError(f"the shell ended in: {command}\n{''.join(lines)}")

    def close(self) -> None:
        with self._process:
            self._kill()

    def _kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)


@dataclass(frozen=True)
class Newcomer:
    """The one shell, and the folders that its user has."""

    shell: Shell
    checkout: Path
    own: Path

    def install(self, steps: Page) -> Iterator[Step]:
        """What a page says to run in the checkout."""
        yield from self._follow(steps.blocks, self.checkout)

    def follow(self, part: Page) -> Iterator[Step]:
        """What a page says to save and run in a folder of one's own, top to bottom."""
        self.shell.run(f"cd '{self.own}'")
        yield from self._follow(part.blocks, self.own)

    def _follow(self, blocks: Iterable[Block], folder: Path) -> Iterator[Step]:
        for block in blocks:
            if block.name:
                (folder / block.name).write_text(block.text, encoding="utf-8")
            yield from map(self.shell.run, block.commands)


@contextmanager
def newcomer(folder: Path) -> Iterator[Newcomer]:
    """Somebody whose only folder this is."""
    checkout, own, programs = (folder / name for name in ("checkout", "own", "programs"))
    for each in (checkout, own, programs):
        each.mkdir()
    check_out(checkout)
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    shell = Shell(checkout, _environment(programs, folder / "cache"))
    try:
        yield Newcomer(shell, checkout, own)
    finally:
        shell.close()


def check_out(folder: Path) -> None:
    """Copy what git has or would take of this checkout."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # a file that was removed is listed until that is committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def _environment(programs: Path, cache: Path) -> dict[str, str]:
    """A user's with that `python3` first, and without the environment that runs this."""
    running = Path(sys.executable).parent
    others = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != running]
    path = os.pathsep.join([str(programs), *others])
    clean = environment(PATH=path, KAFKA_CONFORMANCE_CACHE=cache)
    return {name: value for name, value in clean.items() if name != "VIRTUAL_ENV"}
