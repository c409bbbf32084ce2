"""Installed by one user and used by others: nothing is written there, and nobody is in the way.

As root the others are real, with user ids that own nothing; they need a Python that they can run,
which may not be the one that runs these tests. Without root all are the same user, whom permissions
bind, with homes of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.machine import lacking
from tests.packaging.conftest import PART, environment, install

ROOT_USER = os.geteuid() == 0
READ_ONLY = 0o555


class User(NamedTuple):
    """Somebody with a home, as whom processes are run."""

    home: Path
    identity: dict[str, Any]

    def start(self, *command: object, cwd: Path, temporary: Path) -> subprocess.Popen[str]:
        """A process of this user with nothing but defaults."""
        env = environment(HOME=self.home, TMPDIR=temporary)
        env = {name: value for name, value in env.items() if not name.startswith("XDG_")}
        return subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **self.identity,
        )


def identity(uid: int) -> dict[str, Any]:
    return {"user": uid, "group": uid, "extra_groups": []} if ROOT_USER else {}


def pythons() -> list[str]:
    """This Python and those of the system."""
    found = [os.path.realpath(sys.executable), shutil.which("python3", path=os.defpath)]
    minors = [shutil.which(f"python3.{n}", path=os.defpath) for n in range(30, 10, -1)]
    return [python for python in (*found, *minors) if python]


def is_for_all(python: str) -> bool:
    ask = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
    try:
        return not subprocess.run([python, "-c", ask], check=False, **identity(65534)).returncode
    except PermissionError:
        return False


@pytest.fixture(scope="module")
def machine() -> Iterator[Path]:
    """A folder that everybody can look into, which pytest's own are not."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="module")
def command(wheel: Path, machine: Path) -> Iterator[Path]:
    """`kafka-conformance`, in an environment that everybody may read and nobody may write."""
    python = next(filter(is_for_all, pythons()), None)
    if python is None:
        lacking("root runs these tests, and no Python from 3.11 on is one that others can run")
    binaries = install(wheel, python, machine / "installed")
    folders = [Path(folder) for folder, _, _ in os.walk(binaries.parent)]
    for folder in folders:
        folder.chmod(READ_ONLY)
    yield binaries / "kafka-conformance"
    for folder in folders:
        folder.chmod(0o755)


def users(machine: Path, *uids: int) -> list[User]:
    homes = [Path(tempfile.mkdtemp(prefix="home-", dir=machine)) for _ in uids]
    if ROOT_USER:
        for home, uid in zip(homes, uids, strict=True):
            os.chown(home, uid, uid)
    return [User(home, identity(uid)) for home, uid in zip(homes, uids, strict=True)]


def shared_temporary(machine: Path) -> Path:
    """A temporary folder for all, as /tmp is."""
    folder = Path(tempfile.mkdtemp(prefix="tmp-", dir=machine))
    folder.chmod(0o1777)
    return folder


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file."""
    found = ((str(path), path.lstat()) for path in folder.rglob("*"))
    return {path: (status.st_size, status.st_mtime_ns) for path, status in found}


def test_what_one_user_installed_serves_others(
    machine: Path, command: Path, subtests: pytest.Subtests
) -> None:
    before = files(machine / "installed")
    with subtests.test("a user with a home"):
        [user] = users(machine, 65534)
        succeeds(user, command, machine)
        assert list(user.home.rglob("FindCoordinatorRequest_v*.py"))
    with subtests.test("a user without one"):
        succeeds(User(machine / "installed" / "no home", identity(65534)), command, machine)
    with subtests.test("users at the same moment with cold caches"):
        begin_at_once(users(machine, 65532, 65533), command, shared_temporary(machine))
    assert files(machine / "installed") == before


def succeeds(user: User, command: Path, machine: Path) -> None:
    temporary = shared_temporary(machine)
    process = user.start(command, *PART, cwd=machine / "installed", temporary=temporary)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert ": no failure" in out
    assert list(temporary.iterdir()) == []


def owners(folder: Path) -> dict[str, int]:
    """Whose the files of a folder are, but for those that are gone before one can look."""
    found = {}
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            found[entry.name] = entry.stat(follow_symlinks=False).st_uid
    return found


class Watch(threading.Thread):
    """Looks who makes which names in a folder, be it for a moment."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.seen: set[tuple[str, int]] = set()
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.002):
            self.seen.update(owners(self.folder).items())


def begin_at_once(both: list[User], command: Path, temporary: Path) -> None:
    """Users without a name, as in many containers, each with two processes and one cold cache."""
    system = owners(Path("/tmp")).items()
    watch = Watch(temporary)
    watch.start()
    running = [
        user.start(command, *PART, "-n", 2, cwd=user.home, temporary=temporary)
        for user in (*both, *both)
    ]
    outs = [process.communicate(timeout=180)[0] for process in running]
    watch.over.set()
    watch.join()

    assert [process.returncode for process in running] == [0] * 4, outs
    assert all(": no failure" in out for out in outs)
    assert not [out for out in outs if "ermission" in out]
    for user in both:
        assert list(user.home.rglob("FindCoordinatorRequest_v*.py"))
        assert not list(user.home.rglob("*.tmp"))
    assert list(temporary.iterdir()) == []
    assert watch.seen
    assert len({name for name, _ in watch.seen}) == len(watch.seen)  # no name is used by both
    if ROOT_USER:
        new = owners(Path("/tmp")).items() - system
        assert not [name for name, owner in new if owner in (65532, 65533)]
