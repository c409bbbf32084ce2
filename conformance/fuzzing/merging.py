"""A corpus made small: libFuzzer's own merge, which a codec that ends its process does not stop.

libFuzzer starts itself again after each input that ended it, and its control file says at which
input that was: one that was begun and has no features. Such inputs are kept apart.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec

from conformance.errors import UNREACHABLE, ConformanceError
from conformance.fuzzing.process import UNDER_WAY
from conformance.fuzzing.settings import FuzzSettings
from conformance.fuzzing.starting import bounds, command_of, environment, sha1


class NotMerged(ConformanceError):
    """libFuzzer could not merge."""

    exit_code = UNREACHABLE


def merge(settings: FuzzSettings, others: Iterable[Path] = ()) -> None:
    """Make the corpus of a campaign's folder the fewest inputs that reach what these reach.

    Where none reaches anything, as of a codec that can't be watched and refuses all, all stay. What
    ends the process is put where the campaign keeps such inputs. Raises NotMerged.
    """
    folder = Path(settings.folder)
    corpus, merged, log = folder / "corpus", folder / "merged", folder / "logs" / "merge"
    control = folder / "merge-control"
    control.unlink(missing_ok=True)
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    command = [
        str(_again(settings)),
        "-merge=1",
        f"-merge_control_file={control}",
        *bounds(settings),
        *map(str, (merged, corpus, *others)),
    ]
    with log.open("wb") as said:
        status = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            check=False,
            env=environment(settings),
        ).returncode
    for path in folder.glob(f"{UNDER_WAY}*"):
        path.unlink()
    if status:
        said_last = log.read_text("utf-8", "replace").strip().rpartition("\n")[2]
        raise NotMerged(f"the corpora can't be merged: {said_last}", f"see {log}")
    ended = _keep_what_ended_it(control, folder / "ended")
    if not any(merged.iterdir()):
        for name in ended:
            (corpus / name).unlink(missing_ok=True)
        return
    before = folder / "corpus-before"
    corpus.rename(before)
    merged.rename(corpus)
    shutil.rmtree(before)


def _again(settings: FuzzSettings) -> Path:
    """The program that libFuzzer calls where it starts itself again."""
    path = Path(settings.folder).absolute() / "again"
    settings = msgspec.structs.replace(settings, program=str(path))
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command_of(settings))} "$@"\n')
    path.chmod(0o700)
    return path


def _keep_what_ended_it(control: Path, ended: Path) -> set[str]:
    """Read the control file: two counts, the files' names, then what was done with each.

    The SHA-1 of all that is known to end the process.
    """
    lines = control.read_text("utf-8", "replace").splitlines()
    count = int(lines[0])
    names, said = lines[2 : 2 + count], [line.split() for line in lines[2 + count :]]
    done = {words[1] for words in said if words[0] == "FT"}
    begun = {words[1] for words in said if words[0] == "STARTED"}
    known = {sha1(path.read_bytes()) for path in ended.iterdir()}
    for number in begun - done:
        data = Path(names[int(number)]).read_bytes()
        if sha1(data) not in known:
            (ended / f"exit-{sha1(data)}").write_bytes(data)
            known.add(sha1(data))
    control.unlink()
    return known
