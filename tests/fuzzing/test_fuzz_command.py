"""Campaigns of seconds, by the command line: what is found is judged, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conformance.errors import UNCONFIRMED
from conformance.fuzzing.campaign import DiskFull, FuzzCampaign, write_inputs
from conformance.fuzzing.inputs import InputSubject, seeds, split
from conformance.fuzzing.settings import FuzzSettings

pytest.importorskip("atheris", reason="needs atheris: Linux")

HEARTBEAT = "HeartbeatResponse"
CODEC = """
import os, signal, struct, time

class Codec:
    def hello(self):
        about = {"protocol": 1, "name": "mine", "version": "1", "ops": ["decode"]}
        return {**about, "messages": {"HeartbeatResponse": [0, 0]}}

    def decode(self, message, version, data):
        (code,) = struct.unpack_from(">h", data)
        BODY
        return {"errorCode": code}, len(data) - 2
"""
FLAWS = {
    "ends": "if code == 3: os._exit(9)",
    "eats": "if code > 300: self.kept = b'x' * (900 << 20)",
    "lies": "code += code > 300",
    "hangs": "while code == -1: time.sleep(1)",
}
ODDITIES = {
    "forks": "code == 27 and os.fork()",
    "prints": "print(code, 'x' * 100); os.write(2, b'#9\\tDONE   cov: 1 ft: 1\\n')",
    "ignores signals": "signal.signal(signal.SIGINT, signal.SIG_IGN)",
}


def fuzz(folder: Path, target: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conformance.cli", "fuzz", target, "-o", "found", *options]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def codec(folder: Path, body: str = "pass") -> str:
    """The name of a codec with this flaw, in a folder."""
    (folder / "mine.py").write_text(CODEC.replace("BODY", body))
    return "mine:Codec"


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    found = map(json.loads, (folder / "found" / "results.ndjson").read_text().splitlines())
    return [line for line in found if line["type"] == kind]


def test_a_defect_is_found_judged_and_shown_again(tmp_path: Path):
    done = fuzz(tmp_path, codec(tmp_path, FLAWS["lies"]), "--time", "5")
    assert done.returncode == 1, done.stdout + done.stderr
    (finding,) = lines(tmp_path, "finding")
    assert finding["rules"] == ["versions.field-types"]
    again = fuzz(tmp_path, "mine:Codec", "--input", finding["reproduce"].split()[-1])
    assert again.returncode == 1
    assert "versions.field-types (must): fail" in again.stdout


LITTLE_ENDIAN = """
    def encode(self, message, version, value):
        return struct.pack("<h", value["errorCode"])
"""
GOES_ROUND_LITTLE_ENDIAN = """
    def roundtrip(self, message, version, data):
        return struct.pack("<h", struct.unpack(">h", data)[0])
"""


@pytest.mark.parametrize(
    ("ops", "method"),
    [
        (["decode", "encode"], LITTLE_ENDIAN),
        (["decode", "roundtrip"], GOES_ROUND_LITTLE_ENDIAN),
        (["roundtrip"], GOES_ROUND_LITTLE_ENDIAN),
    ],
)
def test_a_writer_is_judged_by_whatever_operation_there_is(
    tmp_path: Path, ops: list[str], method: str
):
    name = codec(tmp_path)
    source = (tmp_path / "mine.py").read_text().replace('["decode"]', json.dumps(ops))
    (tmp_path / "mine.py").write_text(source + method)
    done = fuzz(tmp_path, name, "--time", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "nothing found" not in done.stdout
    assert lines(tmp_path, "finding")


def test_a_suspicion_that_no_case_confirms_ends_with_a_code_of_its_own(tmp_path: Path):
    name = codec(tmp_path, "if len(data) > 2: raise AssertionError")
    done = fuzz(tmp_path, name, "--time", "3")
    assert done.returncode == UNCONFIRMED, done.stdout + done.stderr
    assert "could not be confirmed" in done.stdout
    assert "nothing found" not in done.stdout
    assert "not confirmed: AssertionError from mine.py:decode" in done.stdout
    shown = done.stdout.partition("--input ")[2].split()[0]
    kept = [path.read_bytes().hex() for path in (tmp_path / "found" / "unconfirmed").iterdir()]
    assert shown in kept
    (summary,) = lines(tmp_path, "summary")
    assert summary["exit_code"] == UNCONFIRMED
    assert any(note.startswith("not confirmed: AssertionError") for note in summary["notes"])


def test_what_was_suspicious_until_the_codec_was_mended_is_so_no_more(tmp_path: Path):
    name = codec(tmp_path, "assert len(data) == 2")
    assert fuzz(tmp_path, name, "--time", "2").returncode == UNCONFIRMED
    assert fuzz(tmp_path, name, "--time", "2").returncode == UNCONFIRMED
    codec(tmp_path, "if len(data) != 2: raise ValueError")
    done = fuzz(tmp_path, name, "--time", "2")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_codec_without_a_defect_has_none_and_its_corpus_is_gone_on_with(tmp_path: Path):
    name = codec(tmp_path)
    (tmp_path / "found" / "corpus").mkdir(parents=True)
    (tmp_path / "found" / "corpus" / "notes.txt").write_text("a file of somebody else's")
    for _ in range(2):
        done = fuzz(tmp_path, name, "--time", "1")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "nothing found" in done.stdout
    assert (tmp_path / "found" / "corpus" / "notes.txt").exists()
    assert lines(tmp_path, "summary")[0]["exit_code"] == 0


def test_the_reference_codec_withstands_it(tmp_path: Path):
    done = fuzz(tmp_path, "reference", "--message", "MetadataResponse", "--time", "5")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("flaw", "verdict", "seconds"),
    [("ends", "crash", "3"), ("eats", "crash", "3"), ("hangs", "hang", "15")],
)
def test_a_codec_that_takes_its_process_along_is_found_and_goes_on(
    tmp_path: Path, flaw: str, verdict: str, seconds: str
):
    """The seeds show each flaw; libFuzzer takes ten seconds to call an input a hang."""
    options = ["--time", seconds, "--timeout", "1", "--memory", "512"]
    done = fuzz(tmp_path, codec(tmp_path, FLAWS[flaw]), *options)
    assert done.returncode == 1, done.stdout + done.stderr
    assert {each["verdict"] for each in lines(tmp_path, "verdict")} == {verdict}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_an_odd_codec_is_fuzzed_all_the_same(tmp_path: Path, oddity: str):
    done = fuzz(tmp_path, codec(tmp_path, ODDITIES[oddity]), "--time", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines(tmp_path, "summary")[0]["exit_code"] == 0
    assert left_behind(tmp_path) == []


def test_a_merge_drops_what_reaches_nothing_new_and_takes_over_what_does(tmp_path: Path):
    corpus, other = tmp_path / "found" / "corpus", tmp_path / "other"
    for folder in corpus, other:
        folder.mkdir(parents=True)
    head = InputSubject(HEARTBEAT, 0).head
    write_inputs(corpus, [head + bytes([0, number]) for number in range(40, 60)])
    write_inputs(other, [head])
    done = fuzz(tmp_path, codec(tmp_path), "--time", "1", "--merge", "other")
    assert done.returncode == 0, done.stdout + done.stderr
    kept = [path.read_bytes() for path in corpus.iterdir()]
    assert len(kept) < 20
    assert head in kept


def test_a_campaign_ends_before_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """No small disk is at hand where tests run: what is free is made up."""
    usage = shutil.disk_usage(tmp_path)._replace(free=1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    campaign = FuzzCampaign(FuzzSettings(folder=str(tmp_path)))
    campaign.add(seeds([HEARTBEAT]))
    with pytest.raises(DiskFull, match="64 MiB"):
        campaign.run(60)
    assert left_behind(tmp_path) == []


def test_after_ctrl_c_corpus_and_results_are_whole(tmp_path: Path):
    command = [sys.executable, "-m", "conformance.cli", "fuzz", codec(tmp_path, FLAWS["lies"])]
    with subprocess.Popen([*command, "-o", "found", "--time", "120"], cwd=tmp_path) as process:
        deadline = time.monotonic() + 60
        while not any(map(is_whole_heartbeat, (tmp_path / "found").glob("suspects/[!.]*"))):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert lines(tmp_path, "summary")[0]["exit_code"] == 130
    assert lines(tmp_path, "finding")
    assert left_behind(tmp_path) == []


def is_whole_heartbeat(suspect: Path) -> bool:
    """Whether what is suspected is a body of two bytes, and not one with bytes behind it."""
    parted = split(suspect.read_bytes().partition(b"\n")[2])
    return parted is not None and len(parted[1]) == 2


def left_behind(folder: Path) -> list[str]:
    """The command lines of processes that still know the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in line and entry.parent.name != str(os.getpid()):
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "there is no adapter 'nothing'"),
        (["reference", "--message", "Nothing"], "no message 'Nothing'"),
        (["reference", "--input", "zz"], "no hex"),
        (["reference", "--input", "00"], "no input of a fuzzing run"),
        (["mine:Missing"], "mine"),
    ],
)
def test_what_can_not_be_fuzzed_is_said_in_a_line(tmp_path: Path, arguments: list[str], said: str):
    codec(tmp_path)
    done = fuzz(tmp_path, *arguments)
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
