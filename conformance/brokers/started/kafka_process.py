"""One node of Apache Kafka as a process, which can be stopped, killed, and started again.

It lives no longer than the process that started it, even where that is killed: a keeper between
the two reads our end of a pipe, and ends the node with it. A line on the pipe asks the node to shut
down in order. How far a node is, it tells by its log alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from conformance.targets.errors import TargetNotStarted
from conformance.targets.private import write_private

START_TIMEOUT_S: Final = 120.0
STOP_TIMEOUT_S: Final = 15.0
_POLL_S: Final = 0.05
_KEEPER: Final = """
import subprocess, sys, threading
node = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
def keep():
    for _ in sys.stdin:
        node.terminate()
    node.kill()
threading.Thread(target=keep, daemon=True).start()
sys.exit(node.wait() and 1)
"""


class PortTaken(TargetNotStarted):
    """Something else listens where the node was to."""


class KafkaProcess:
    """A node in a folder of its own, in which its `server.properties` are, and its data will be.

    `java` is the command up to the main class. Raises TargetNotStarted, PortTaken where that is
    why.
    """

    def __init__(self, java: Sequence[str], folder: Path) -> None:
        self._java = list(java)
        self._folder = folder
        self._properties = str(folder / "server.properties")
        self._log = folder / "server.log"
        self._starts_at = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """True if it was begun and is still running."""
        return self._process is not None and self._process.poll() is None

    def ends_within(self, seconds: float) -> bool:
        """Wait so long for its end."""
        try:
            self._begun().wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def begin_format(self, cluster_id: str, credentials: Sequence[str]) -> None:
        """Begin to prepare its empty data folder; `credentials` appear in no list of processes."""
        tool = ["kafka.tools.StorageTool", "format", "--cluster-id", cluster_id]
        command = [*self._java[1:], *tool, "--config", self._properties, *credentials]
        arguments = write_private(self._folder / "format.args", "\n".join(map(_quoted, command)))
        self._begin([self._java[0], f"@{arguments}"])

    def wait_until_formatted(self) -> None:
        """Wait for what `begin_format` began."""
        process, end = self._begun(), time.monotonic() + START_TIMEOUT_S
        while process.poll() is None and time.monotonic() < end:
            time.sleep(_POLL_S)
        if process.poll() != 0:
            raise self._not_started()
        self.kill()
        (self._folder / "format.args").unlink()

    def begin(self) -> None:
        """Start it on the data it has."""
        self.kill()
        self._begin([*self._java, "kafka.Kafka", self._properties])

    def wait_until_started(self) -> None:
        """Wait until it serves requests."""
        process, end = self._begun(), time.monotonic() + START_TIMEOUT_S
        while b"Kafka Server started" not in self._logged():
            if process.poll() is not None or time.monotonic() > end:
                raise self._not_started()
            time.sleep(_POLL_S)

    def stop(self) -> None:
        """Shut it down in order, so that the others learn of it at once; kill it if that hangs."""
        if self.running:
            process = self._begun()
            assert process.stdin is not None
            with suppress(BrokenPipeError, subprocess.TimeoutExpired):
                process.stdin.write(b"stop\n")
                process.stdin.flush()
                process.wait(STOP_TIMEOUT_S)
        self.kill()

    def kill(self) -> None:
        """End it at once, and wait until it is gone. Harmless where nothing runs."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_TIMEOUT_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _begin(self, command: list[str]) -> None:
        with self._log.open("ab") as output:
            self._starts_at = output.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _KEEPER, *command],
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _begun(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ValueError("nothing has begun")
        return self._process

    def _logged(self) -> bytes:
        """Return the log that it wrote since it was begun."""
        with self._log.open("rb") as log:
            log.seek(self._starts_at)
            return log.read()

    def _not_started(self) -> TargetNotStarted:
        logged = self._logged()
        lines = [line for line in logged.decode("utf-8", "replace").splitlines() if line.strip()]
        said = f"Apache Kafka did not start; its log ends with: {''.join(lines[-1:])}"
        if b"Address already in use" in logged:
            return PortTaken(said, "something else has taken its port")
        return TargetNotStarted(
            said, "is there memory for another Java, and room in the temporary folder?"
        )


def _quoted(argument: str) -> str:
    """An argument as Java reads it from a file."""
    return '"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"'
