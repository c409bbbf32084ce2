"""Brokers that are programs of their own: started from their adapters, asked, and gone."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.brokers.connection.address import Address
from conformance.brokers.connection.endpoint import Endpoint
from conformance.brokers.started.program import Program, name_and_version, running_program
from conformance.data import data_root
from conformance.targets import registry
from conformance.targets.errors import (
    TargetLost,
    TargetNotFound,
    TargetNotStarted,
    ToolchainMissing,
)
from conformance.targets.registry import build, built_folder, read_adapter

METADATA = 3
MOCK = "librdkafka-mock"
KFAKE = "kfake"
PATIENCE_S = 10.0

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
each = pytest.mark.parametrize("name", [pytest.param(KFAKE, marks=needs_go), MOCK])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def other_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with a broker `a` in it, whose program says what the test has it say."""
    monkeypatch.setattr(registry, "data_root", lambda: tmp_path)
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "adapters" / "brokers" / "a"
    folder.mkdir(parents=True)
    return folder


def write(folder: Path, code: str, needs: str = "") -> None:
    (folder / "broker.py").write_text(code)
    (folder / "adapter.toml").write_text(
        'name = "a"\nlanguage = "c"\nlicence = "MIT"\nversions = ["1.0"]\nabout = "x"\n'
        f'[build]\nneeds = [{needs}]\n[start]\ncommand = ["{{python}}", "{{folder}}/broker.py"]\n'
    )


def test_what_was_judged_has_a_version_also_where_none_was_named(other_root: Path) -> None:
    write(other_root, "")
    assert name_and_version("a") == name_and_version("a:1.0") == ("a", "1.0")
    assert name_and_version("kafka:4.3.1") == ("kafka:4.3.1", "")


def advertised_by(running: Program) -> dict[int, tuple[int, int]]:
    with Endpoint(Address.parse(running.address), PATIENCE_S) as endpoint:
        return endpoint.advertised


def listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE_S).close()
    except OSError:
        return False
    return True


@each
def test_it_answers_and_is_gone_behind_the_with(name: str, home: Path) -> None:
    with running_program(name) as running:
        assert running.alive()
        assert METADATA in advertised_by(running)
        assert (running.config, running.other) == (None, None)
    assert not running.alive()
    assert not listens(running.address)
    assert list(home.iterdir()) == []


@each
def test_it_ends_with_the_process_that_started_it(name: str, tmp_path: Path) -> None:
    code = (
        "import time; from conformance.brokers.started.program import running_program\n"
        f"with running_program({name!r}) as running:\n"
        "    print(running.address, flush=True); time.sleep(60)"
    )
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env) as starter:
        assert starter.stdout is not None
        address = starter.stdout.readline().decode().strip()
        assert listens(address)
        starter.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while listens(address):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@needs_go
def test_one_that_takes_a_port_is_started_again_where_it_was() -> None:
    with running_program(KFAKE) as running:
        address = running.address
        running.end()
        assert not running.alive()
        running.restart()
        assert running.alive()
        assert running.address == address
        assert METADATA in advertised_by(running)


def test_one_that_takes_no_port_can_not_be_restarted() -> None:
    with running_program(MOCK) as running:
        running.end()
        with pytest.raises(TargetLost, match=r"ended with -9; .* another address"):
            running.restart()


def test_one_broker_can_not_lose_a_part() -> None:
    with running_program(MOCK) as running:
        with pytest.raises(TargetNotFound, match="one broker"):
            running.stop(1)
        with pytest.raises(TargetNotFound, match="one broker"):
            running.start(1)
        assert running.alive()


@needs_go
def test_the_version_of_kfake_is_the_one_that_go_mod_pins() -> None:
    kfake = read_adapter(data_root() / "adapters" / "brokers" / KFAKE)
    build(kfake, kfake.default_version)
    binary = built_folder(kfake, kfake.default_version) / "broker"
    modules = subprocess.run(["go", "version", "-m", binary], stdout=subprocess.PIPE, check=True)
    assert f"franz-go/pkg/kfake\t{kfake.default_version}" in modules.stdout.decode()


def test_a_broker_that_nobody_knows_is_refused() -> None:
    with (
        pytest.raises(TargetNotFound, match="'kafake' can be started"),
        running_program("kafake"),
    ):
        pass


def test_a_version_that_is_not_pinned_is_refused() -> None:
    with (
        pytest.raises(TargetNotFound, match=r"librdkafka-mock has no version '0\.1'"),
        running_program(MOCK, "0.1"),
    ):
        pass


def test_a_missing_toolchain_is_named(other_root: Path) -> None:
    write(other_root, "", needs='"no-such-compiler"')
    with pytest.raises(ToolchainMissing, match="no-such-compiler"), running_program("a"):
        pass


@pytest.mark.parametrize("code", ["print('hello')", "raise SystemExit('no room')"])
def test_a_program_that_says_no_address_has_not_started(code: str, other_root: Path) -> None:
    write(other_root, code)
    with pytest.raises(TargetNotStarted, match="where HOST:PORT is due"), running_program("a"):
        pass
