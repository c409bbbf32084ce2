"""Where all tests are to be run, a skipped one fails the run, however it came to be skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine import RUN_ALL

ROOT = Path(__file__).parents[2]
GUARDED = "from tests.conftest import pytest_sessionfinish\n"
PASSES = "import pytest\ndef test_passes(): pass\n"
SKIPPED = {
    "nothing": PASSES,
    "by a mark": f"{PASSES}@pytest.mark.skipif(True, reason='x')\ndef test_other(): pass\n",
    "by a package": f"{PASSES}def test_other(): pytest.importorskip('nothere')\n",
    "as nothing is there": f"{PASSES}@pytest.mark.parametrize('x', [])\ndef test_other(x): pass\n",
}


@pytest.mark.parametrize("run_all", ["", "1"])
@pytest.mark.parametrize("how", SKIPPED)
def test_a_skipped_test_fails_the_run_where_all_are_to_be_run(
    how: str, run_all: str, tmp_path: Path
) -> None:
    (tmp_path / "conftest.py").write_text(GUARDED, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(SKIPPED[how], encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, RUN_ALL: run_all, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )

    assert done.returncode == (1 if run_all and how != "nothing" else 0), done.stdout
