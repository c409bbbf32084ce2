"""Spark on this machine: a session, and a cluster of a master and two workers."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Two workers; what they say goes to a file."""
    from conformance.spark.jobs.session import open_session

    log = tmp_path_factory.mktemp("spark") / "spark.log"
    opened = open_session("local[2]", "tests", ui=False, log=log)
    yield opened
    opened.stop()


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """The address of a master with two workers, of one core each."""
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address = f"spark://127.0.0.1:{port}"
    ui = ["--webui-port", "0"]
    log = tmp_path / "master.log"
    processes = [spark_class("master.Master", log, "--host", "127.0.0.1", "--port", port, *ui)]
    wait_for_text(log, "New state: ALIVE", 1)
    for name in ("one", "other"):
        at = ["--host", "127.0.0.1", "--work-dir", str(tmp_path / name)]
        room = ["--cores", "1", "--memory", "1G", *ui, address]
        processes.append(spark_class("worker.Worker", tmp_path / f"{name}.log", *at, *room))
    wait_for_text(log, "Registering worker", 2)
    yield address
    for process in reversed(processes):
        process.terminate()
        process.wait()


def spark_class(name: str, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    command = [str(program), f"org.apache.spark.deploy.{name}", *arguments]
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=file)


def wait_for_text(log: Path, text: str, times: int, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while log.read_text().count(text) < times:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
