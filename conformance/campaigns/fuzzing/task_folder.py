"""A folder on the worker's disk for one task, removed when the task ends, however it ends.

Inputs in it may end released codecs: no other user may read it, and a worker that was killed must
not leave it there. So a shell runs beside the task, waits for the end of a pipe that only the task
holds open, and then removes the folder.
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
    """Yield a new folder that only we can read, and remove it afterwards."""
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
    """Return the path at which subprocesses find this package, unpacked if it was sent as a zip.

    Atheris can't instrument modules that are imported from a zip.
    """
    package = Path(conformance.__file__).absolute().parents[1]
    if not package.is_file():
        return str(package)
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder / "code")
    return str(folder / "code")
