"""A real Apache Kafka: one process that is broker and controller, on ports of its own.

Its jars are built and cached as those of a bundled adapter are. It lives no longer than the process
that started it, even where that is killed: a keeper between the two ends it with its own input.
"""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from conformance.data import data_root
from conformance.targets.errors import TargetNotFound, TargetNotStarted
from conformance.targets.registry import build, read_adapter, start_command

START_TIMEOUT_S = 60.0
_KEEPER = """
import subprocess, sys, threading
broker = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
threading.Thread(target=lambda: (sys.stdin.read(), broker.kill()), daemon=True).start()
sys.exit(broker.wait())
"""
_PROPERTIES = """
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
"""


@contextmanager
def running_kafka(folder: Path, version: str = "") -> Iterator[int]:
    """The port of an empty cluster of one broker, which is gone behind the `with`.

    `folder` is for its data and log. Raises TargetNotFound for a version that is not pinned,
    ToolchainMissing, BuildFailed and TargetNotStarted.
    """
    kafka = read_adapter(data_root() / "adapters" / "brokers" / "kafka")
    version = version or kafka.default_version
    if version not in kafka.versions:
        raise TargetNotFound(
            f"no Apache Kafka {version!r} can be started", f"these can: {', '.join(kafka.versions)}"
        )
    build(kafka, version)
    java = start_command(kafka, version)
    port, controller = _free_ports(2)
    properties, log = folder / "server.properties", folder / "server.log"
    text = _PROPERTIES.format(broker=port, controller=controller, data=folder / "data")
    properties.write_text(text, encoding="utf-8")
    format_it = ["kafka.tools.StorageTool", "format", "--cluster-id", _cluster_id(), "--config"]
    with log.open("wb") as output:
        formatted = subprocess.run(
            [*java, *format_it, str(properties)],
            stdout=output,
            stderr=output,
            timeout=START_TIMEOUT_S,
            check=False,
        )
        if formatted.returncode:
            raise _not_started(log)
        keeper = subprocess.Popen(
            [sys.executable, "-c", _KEEPER, *java, "kafka.Kafka", str(properties)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait_until_started(keeper, log)
        yield port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(keeper.pid, signal.SIGKILL)
        keeper.communicate()


def _wait_until_started(keeper: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_TIMEOUT_S
    while b"Kafka Server started" not in log.read_bytes():
        if keeper.poll() is not None or time.monotonic() > end:
            raise _not_started(log)
        time.sleep(0.1)


def _not_started(log: Path) -> TargetNotStarted:
    last = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()][-1:]
    return TargetNotStarted(
        f"Apache Kafka did not start; its log ends with: {''.join(last)}",
        "is there memory for another Java, and room in the temporary folder?",
    )


def _cluster_id() -> str:
    """16 random bytes in base64, as Kafka has it, which must not look like an option."""
    return base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).decode().rstrip("=")


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        listening = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)
        ]
        return [each.getsockname()[1] for each in listening]
