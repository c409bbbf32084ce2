"""The gate on real codecs: Apache Kafka and the reference pass all, others as they are known to."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.targets.registry import adapters


def judge(*arguments):
    command = [sys.executable, "-m", "conformance.cli", "codec", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def summary(path):
    return json.loads(path.read_text().splitlines()[-1])


SOURCES = (".py", ".java", ".go", ".rs", ".js", ".mjs")


@pytest.mark.parametrize("profile", ["spec", "kafka"])
def test_the_reference_has_no_failure(tmp_path, profile):
    results = tmp_path / "results.ndjson"
    run = judge("reference", "--profile", profile, "--results", str(results))
    assert run.returncode == 0, run.stdout
    verdicts = summary(results)["verdicts"]
    assert set(verdicts) == {"pass", "note", "unsupported"}
    assert verdicts["pass"] > 60_000


def broken_rules(path):
    verdicts = (json.loads(line) for line in path.read_text().splitlines() if '"fail"' in line)
    return {each["rule"] for each in verdicts if each["type"] == "verdict"}


@pytest.mark.java
@pytest.mark.parametrize(
    ("release", "known"),
    [
        ("4.4.0", set()),
        ("4.3.1", {"tags.count-above-int32"}),
        ("3.9.2", {"tags.count-above-int32"}),
    ],
)
def test_apache_kafka_fails_what_it_mended_since_under_the_stricter_profile(
    tmp_path, release, known
):
    results = tmp_path / "results.ndjson"
    options = ["--profile", "kafka", "--known", "bundled", "--results", str(results)]
    run = judge(f"kafka-clients@{release}", *options)
    assert run.returncode == 0, run.stdout
    verdicts = summary(results)["verdicts"]
    assert set(verdicts) - {"fail"} == {"pass", "note", "unsupported"}
    assert verdicts["pass"] > 50_000
    assert broken_rules(results) == known


@pytest.mark.parametrize("name", ["kio", "kafka-python"])
def test_a_python_codec_fails_what_it_is_known_to_fail(name):
    run = judge(name, "--known", "bundled")
    assert run.returncode == 0, run.stdout
    assert "known failures, nothing new" in run.stdout


def test_every_file_of_a_bundled_adapter_is_under_150_lines():
    """All but those that show what the codec gets wrong, which are no part of the testee."""
    for adapter in adapters():
        for file in Path(str(adapter.folder)).rglob("*"):
            if file.suffix in SOURCES and "evidence" not in str(file):
                assert len(file.read_text("utf-8").splitlines()) < 150, file
