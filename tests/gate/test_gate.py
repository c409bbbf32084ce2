"""The gate on real codecs: Apache Kafka and the reference pass all, others as they are known to.

The reference, the newest Apache Kafka and kafka-python are judged whole here, older releases of
Apache Kafka by the rules that they break, and kio by six messages, which make it break every
rule that it is known to break. `tox run -e gate` judges kafka-clients 3.9.2 and kio whole as well,
and `tox run -e matrix` the newest release of every codec.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.results.known import read_known
from conformance.results.lines import BROKEN
from conformance.targets.registry import adapters


def judge(*arguments):
    command = [sys.executable, "-m", "conformance.cli", "codec", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def summary(path):
    return json.loads(path.read_text().splitlines()[-1])


SOURCES = (".py", ".java", ".go", ".rs", ".js", ".mjs")
ASKED_OF_KIO = (
    "AddPartitionsToTxnRequest",
    "ApiVersionsResponse",
    "BeginQuorumEpochResponse",
    "FetchSnapshotRequest",
    "HeartbeatRequest",
    "RecordBatch",
)


def test_the_reference_has_no_failure_under_the_profile_that_asks_most(tmp_path):
    results = tmp_path / "results.ndjson"
    run = judge("reference", "--profile", "kafka", "--results", str(results))
    assert run.returncode == 0, run.stdout
    verdicts = summary(results)["verdicts"]
    assert set(verdicts) == {"pass", "note", "unsupported"}
    assert verdicts["pass"] > 60_000


def broken_rules(path):
    lines = map(json.loads, path.read_text().splitlines())
    return {each["rule"] for each in lines if each.get("verdict") in BROKEN}


@pytest.mark.java
@pytest.mark.parametrize(
    ("release", "rules", "most", "known"),
    [
        ("4.4.0", "*", 50_000, set()),
        ("4.3.1", "tags.count-*", 500, {"tags.count-above-int32"}),
        ("3.9.2", "tags.count-*", 500, {"tags.count-above-int32"}),
    ],
)
def test_apache_kafka_fails_what_it_mended_since_under_the_stricter_profile(
    tmp_path, release, rules, most, known
):
    results = tmp_path / "results.ndjson"
    options = ["--profile", "kafka", "--rule", rules, "--known", "bundled"]
    run = judge(f"kafka-clients@{release}", *options, "--results", str(results))
    assert run.returncode == 0, run.stdout
    verdicts = summary(results)["verdicts"]
    assert set(verdicts) <= {"pass", "note", "unsupported", "fail"}
    assert verdicts["pass"] > most
    assert broken_rules(results) == known


def test_kafka_python_fails_what_it_is_known_to_fail():
    run = judge("kafka-python", "--known", "bundled")
    assert run.returncode == 0, run.stdout
    assert "nothing new, its failures are known" in run.stdout


def test_kio_fails_what_it_is_known_to_fail(tmp_path):
    results = tmp_path / "results.ndjson"
    messages = [word for name in ASKED_OF_KIO for word in ("--message", name)]
    run = judge("kio", *messages, "--known", "bundled", "--results", str(results))
    assert run.returncode == 0, run.stdout
    assert "nothing new, its failures are known" in run.stdout
    [kio] = [adapter for adapter in adapters() if adapter.name == "kio"]
    known = read_known(Path(str(kio.folder / "known.toml")))
    assert broken_rules(results) == {each.rule for each in known}


def test_every_file_of_a_bundled_adapter_is_under_150_lines():
    """All but those that show what the codec gets wrong, which are no part of the testee."""
    every = [file for each in adapters() for file in Path(str(each.folder)).rglob("*")]
    sources = [each for each in every if each.suffix in SOURCES and "evidence" not in str(each)]
    assert {file.suffix for file in sources} == set(SOURCES)
    for file in sources:
        assert len(file.read_text("utf-8").splitlines()) < 150, file
