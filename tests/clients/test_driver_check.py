"""`client --check-driver`: each action once where nothing is wrong, and what that shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ended, run

DRIVER = """
import runpy, sys
action = sys.argv[1]
if action == "topics":
    sys.exit(runpy.run_module("conformance.reference.client.program", run_name="__main__"))
print({"create": "ok", "groups": "error NoIdea"}.get(action, "unsupported " + action))
"""


def checked(folder: Path, text: str) -> Ended:
    driver = folder / "driver.py"
    driver.write_text(text)
    words = (sys.executable, str(driver), "{action}", "{bootstrap}")
    return run("client", "--check-driver", "--", *words, timeout_s=300)


def test_each_action_is_told_of_and_all_are_counted(tmp_path: Path) -> None:
    ended = checked(tmp_path, DRIVER)
    lines = ended.out.splitlines()
    assert "done         topics" in lines
    assert "unsupported  batch          batch" in lines
    assert "see driver   groups         fails (the client failed (NoIdea))" in lines
    [create] = [line for line in lines if " create " in line]
    assert "says `ok` without any CreateTopics" in create
    assert "68 actions: 1 done as the page says, 2 not, 65 unsupported" in lines
    assert lines[-1].startswith("see driver: docs/judge-a-client.md says what is asked for")
    assert ended.code == 1


@pytest.mark.parametrize("words", [("./my-client", "{bootstrap}"), ("sh", "{action}")])
def test_what_is_no_driver_is_refused(words: tuple[str, ...]) -> None:
    ended = run("client", "--check-driver", "--", *words)
    assert ended.code == 2
