"""A testee in another language is fuzzed by its command, from end to end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Ended, run
from tests.fuzzing.test_fuzz_command import lines

pytest.importorskip("atheris", reason="needs atheris: Linux")
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")

TESTEE = Path(__file__).parent / "testees" / "three.js"


def fuzz(folder: Path, *options: str, flags: tuple[str, ...] = ()) -> Ended:
    shutil.copy(TESTEE, folder)
    command = ["fuzz", "-o", "found", *options, "--", "node", "three.js", *flags]
    return run(*command, cwd=folder)


def test_a_program_without_a_defect_is_fuzzed_and_called_by_its_name(tmp_path: Path):
    done = fuzz(tmp_path, "--time", "3", "--memory", "4096")
    assert done.code == 0, done
    assert done.out.startswith("three.js (three 1.0): nothing found")
    (header,) = lines(tmp_path, "run")
    assert header["target"] == "-- node three.js"


def test_its_defect_is_found_and_shown_again_by_the_command_that_is_printed(tmp_path: Path):
    done = fuzz(tmp_path, "--time", "3", "--memory", "4096", flags=("--little-endian",))
    assert done.code == 1, done
    finding, *_ = lines(tmp_path, "finding")
    words = finding["reproduce"].split()
    assert words[-4:] == ["--", "node", "three.js", "--little-endian"]
    again = run(*words[1:-4], "--memory", "4096", *words[-4:], cwd=tmp_path)
    assert again.code == 1, again
    assert json.dumps(finding["rules"][0])[1:-1] in again.out


def test_a_folder_is_named_after_the_program_where_none_is_given(tmp_path: Path):
    shutil.copy(TESTEE, tmp_path)
    run("fuzz", "--time", "1", "--memory", "4096", "--", "node", "./three.js", cwd=tmp_path)
    assert (tmp_path / "fuzz-three.js" / "results.ndjson").is_file()
