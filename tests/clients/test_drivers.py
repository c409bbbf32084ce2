"""The drivers of released clients: each does what it is told, says what came of it, and is gone."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.brokers.started.starting import started
from conformance.clients.names import command_of
from conformance.clients.program import ClientProgram
from conformance.clients.runner import ClientRunner
from conformance.clients.scenarios.batches import WRITTEN_MS
from conformance.clients.scenarios.records.reading import PlainRecords
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.time_limit import Patience
from conformance.reference.broker.cluster import Batch
from conformance.targets.errors import BuildFailed, TargetNotFound, ToolchainMissing
from tests.clients.available import drivers

PATIENCE_S = 30.0


each = pytest.mark.parametrize("name", drivers())


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, and nobody else will."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


def commands() -> list[str]:
    """The command lines of all processes."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(file.read_text(errors="replace").replace("\0", " "))
        except OSError:  # it has just ended
            continue
    return found


@each
def test_topics_are_listed(name: str) -> None:
    with started("reference") as broker:
        program = ClientProgram(command_of(name))
        ended = program.visit(broker.address, "topics", PATIENCE_S)
    assert (ended.outcome, ended.text) == ("ok", "")


@each
def test_an_error_is_told_where_nobody_listens(name: str, nobody: str) -> None:
    ended = ClientProgram(command_of(name)).visit(nobody, "topics", PATIENCE_S)
    assert ended.outcome == "error"


@each
def test_it_is_gone_by_itself(name: str) -> None:
    words = {"{action}": "topics"}
    with started("reference") as broker:
        words["{bootstrap}"] = broker.address
        command = [words.get(word, word) for word in command_of(name)]
        subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=True)
        assert not [each for each in commands() if f" topics {broker.address}" in each]


class EmptyLog(Scenario, is_known=False):
    """Has no record to be read."""

    action = "consume"

    def records(self) -> list[Batch]:
        return []


@each
def test_its_own_time_limit_is_told_apart_from_the_clients(name: str) -> None:
    reception = ClientRunner(ClientProgram(command_of(name)), Patience(PATIENCE_S))
    ended = reception.receive(EmptyLog).ended
    assert (ended.outcome, ended.text.partition(" ")[0]) == ("error", "DriverTimeout")


@each
def test_it_tells_the_records_that_it_reads(name: str) -> None:
    reception = ClientRunner(ClientProgram(command_of(name)), Patience(PATIENCE_S))
    told = reception.receive(PlainRecords).ended
    words = [f"{at}/{WRITTEN_MS + at * 1000}/k{at}/v{at}" for at in range(3)]
    assert (told.outcome, told.text.split()) == ("ok", [*words, f"3/{WRITTEN_MS}/end/e"])


def test_releases_before_the_oldest_are_told_in_one_line() -> None:
    with pytest.raises(TargetNotFound, match=r"no version '1.4.3' .any from 1\.4\.4 on"):
        command_of("kafka-python@1.4.3")


def test_a_release_that_there_is_not_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path))
    with pytest.raises(BuildFailed) as failed:
        command_of("kafka-python@999.0")
    assert "is there such a release?" in str(failed.value)
    assert "\n" not in str(failed.value)


def test_the_drivers_are_named_where_a_client_is_not_known() -> None:
    with pytest.raises(TargetNotFound, match="franz-go, kafka-clients"):
        command_of("franz")


def test_a_missing_toolchain_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissing, match="building franz-go needs go on the PATH"):
        command_of("franz-go")
