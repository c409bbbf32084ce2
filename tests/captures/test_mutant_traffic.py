"""A broker with a defect is accused by the rule that it breaks in a recording of what it answers.

The suite asks it what it asks any broker about that rule; the same broker without the defect is
accused of nothing.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from tests.captures.proxy import recorded
from tests.captures.speaking import audited
from tests.captures.writing import pcapng, written

MUTANTS = (
    "CorrelationIdWithoutSign",
    "LatestAnswerFirst",
    "UnwantedAnswer",
    "FlexibleAnswerWithoutTags",
)


def accused(folder: Path, broker: Broker, rule: str) -> set[str]:
    """The rules that a broker breaks while it is asked about one."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    command = [sys.executable, "-m", "conformance.cli", "broker", address, "--allow-writes"]
    with serving(stocked(broker)) as behind, recorded(behind, listening) as recording:
        subprocess.run([*command, "--rule", rule], capture_output=True, check=False)
    path = written(folder / "recorded.pcapng", pcapng(recording.packets))
    tables, _ = audited(path, profile="kafka")
    assert tables.responses
    return {each.rule for each in tables.broken if each.who.startswith("broker ")}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broker_with_a_defect_is_accused_of_it_alone(name: str, tmp_path: Path) -> None:
    mutant = broker_mutants()[name]
    assert accused(tmp_path, mutant(), mutant.breaks) == {mutant.breaks}
    assert accused(tmp_path, play("newest"), mutant.breaks) == set()
