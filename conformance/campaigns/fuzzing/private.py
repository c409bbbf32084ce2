"""A folder for what a task keeps on its worker's disk, gone when the task is, however that ends.

Inputs in it may end released codecs: nobody else may read it, and it must not be left behind by a
worker that was killed. So a shell stands beside the task, which waits for the end of a pipe that
only the task holds open, and removes the folder then.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import conformance

PREFIX = "kafka-conformance-fuzz-"
_REMOVE = 'cat > /dev/null; rm -rf "$0" || { sleep 2; rm -rf "$0"; }'


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder of ours alone, for as long as this lasts."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    remover = subprocess.Popen(
        ["/bin/sh", "-c", _REMOVE, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        remover.communicate()


def code_for_others(folder: Path) -> str:
    """Where processes of ours find this package: unpacked, where it was sent as a zip.

    What is imported from a zip can't be watched by atheris.
    """
    package = Path(conformance.__file__).absolute().parents[1]
    if not package.is_file():
        return str(package)
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder / "code")
    return str(folder / "code")
