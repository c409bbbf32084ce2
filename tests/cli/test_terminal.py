"""What a person at a terminal sees: a bar while it runs, and colours unless they are not wanted."""

from __future__ import annotations

import os
import pty
import re
import subprocess

from tests.cli.conftest import COMMAND, TARGETS, environment


def on_a_terminal(*arguments: str, **changes: str) -> str:
    """What a command shows on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=TARGETS,
        env=environment(TERM="xterm-256color", **changes),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    process.wait(timeout=60)
    os.close(ours)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how a terminal says that it has ended
        return b""


FAULTY = ("codec", "faulty:RefusesNulls", "--message", "MetadataRequest", "--api-version", "1")


def test_a_bar_shows_how_far_a_run_is() -> None:
    shown = on_a_terminal(*FAULTY)
    done, total = re.findall(r"(\d+)/(\d+)", shown)[-1]
    assert 0 < int(done) <= int(total)
    assert "\x1b[1m" in shown


def test_it_is_said_what_is_waited_for() -> None:
    assert "comparing with known defects" in on_a_terminal(*FAULTY)


def test_no_colour_where_none_is_wanted() -> None:
    shown = on_a_terminal(*FAULTY, NO_COLOR="1")
    colours = re.findall(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|9[0-7])(?:;\d+)*m", shown)
    assert not colours
    assert "1 defect breaks the protocol" in shown
