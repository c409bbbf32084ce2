"""A real Apache Kafka: a cluster of one broker or several, on ports and in a folder of its own.

Node 1 is broker and controller, the others are brokers only. Its jars are built and cached as those
of a bundled adapter are. A secured cluster knows two users, `admin` and `other`, by passwords and
certificates that are made for it and go with it.
"""

from __future__ import annotations

import base64
import shutil
import struct
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from conformance.brokers.connection.certificates import issue
from conformance.brokers.started.kafka_members import listed_brokers
from conformance.brokers.started.kafka_process import START_TIMEOUT_S, KafkaProcess, PortTaken
from conformance.brokers.started.kafka_properties import (
    ADMIN,
    CONTROLLER,
    HOST,
    OPEN_LISTENERS,
    OTHER,
    PLAINTEXT,
    SASL_PLAINTEXT,
    SCRAM,
    SECURED_LISTENERS,
    SSL,
    USERS,
    Ports,
    Secrets,
    certificate_properties,
    sasl_properties,
    server_properties,
)
from conformance.brokers.started.ports import free_ports
from conformance.data import data_root
from conformance.targets.errors import TargetNotFound, TargetNotStarted
from conformance.targets.private import make_folder, write_private
from conformance.targets.registry import build, check_programs, read_adapter, start_command
from conformance.waiting import waiting

_CONTROLLER_NODE: Final = 1
_AGREE_TIMEOUT_S: Final = 30.0
_POLL_S: Final = 0.05
_DYING_S: Final = 2.0


class RunningKafka:
    """A started cluster. It comes from `running_kafka`.

    `address` is the listener of node 1 to be judged, `config` and `other` are client properties of
    `admin` and of `other` there, None where the cluster is open. `listeners` are the ports of each
    node by the names of its listeners, `ports` those of node 1.
    """

    def __init__(
        self, folder: Path, java: Sequence[str], listeners: Ports, known: Secrets | None
    ) -> None:
        self._folder = folder
        self._known = known
        self._nodes = {node: KafkaProcess(java, folder / f"node-{node}") for node in listeners}
        self._wanted = set(listeners)
        self.listeners: Ports = {
            node: {name: port for name, port in ports.items() if name != CONTROLLER}
            for node, ports in listeners.items()
        }
        self.ports: Mapping[str, int] = self.listeners[_CONTROLLER_NODE]
        self.address = self.address_of(next(iter(self.ports)))
        self.authority = None if known is None else known.certificates.authority
        self.config: Path | None = None
        self.other: Path | None = None
        if known is not None:
            judged = next(iter(self.ports))
            self.config = self.client_properties(judged, SCRAM[-1], ADMIN)
            self.other = self.client_properties(judged, SCRAM[-1], OTHER)

    def address_of(self, listener: str, node: int = _CONTROLLER_NODE) -> str:
        """Return HOST:PORT of a listener. Raises KeyError if the node has none of this name."""
        return f"{HOST}:{self.listeners[node][listener]}"

    def client_properties(self, listener: str, mechanism: str, user: str) -> Path:
        """A file for `--command-config`: `user` at a listener with SASL, by this mechanism.

        The passwords it holds are the cluster's, and so is the file, which goes with it.
        """
        name = f"{listener}-{mechanism}-{user}.properties".lower()
        return self._written(name, sasl_properties(listener, mechanism, user, self._secrets()))

    def certificate_properties(self, user: str) -> Path:
        """Return a properties file for the listener SSL, where a certificate names `user`."""
        name = f"{SSL}-{user}.properties".lower()
        return self._written(name, certificate_properties(user, self._secrets()))

    def alive(self) -> bool:
        """True if every node that was not stopped on purpose runs."""
        return all(self._lives(node) for node in self._wanted)

    def restart(self) -> None:
        """Start again what died, on its old ports and data. Raises TargetNotStarted."""
        self._start(self._wanted)

    def stop(self, node: int) -> None:
        """Shut one node down in order; the others list it no more, unless it was the controller."""
        self._wanted.discard(node)
        self._nodes[node].stop()
        if self._nodes[_CONTROLLER_NODE].running:
            self._agree()

    def start(self, node: int) -> None:
        """Start a stopped node again, as it was. Raises TargetNotStarted."""
        self._wanted.add(node)
        self._start({node})

    def _start(self, nodes: set[int]) -> None:
        for node in nodes:
            if not self._lives(node):
                self._nodes[node].begin()
        for node in nodes:
            self._nodes[node].wait_until_started()
        self._agree()

    def _format(self) -> None:
        cluster_id = _cluster_id()
        credentials = [] if self._known is None else self._known.scram_credentials()
        for node, process in self._nodes.items():
            process.begin_format(cluster_id, credentials if node == _CONTROLLER_NODE else [])
        for process in self._nodes.values():
            process.wait_until_formatted()

    def _end(self) -> None:
        for process in self._nodes.values():
            process.kill()

    def _agree(self) -> None:
        """Wait until every running node lists just the running ones."""
        end = time.monotonic() + _AGREE_TIMEOUT_S
        running = {node for node, process in self._nodes.items() if process.running}
        waiting = set(running)
        while waiting:
            waiting = {node for node in waiting if self._listed(node) != running}
            if waiting and time.monotonic() > end:
                raise TargetNotStarted(
                    f"the brokers {sorted(waiting)} of Apache Kafka do not list {sorted(running)}",
                    f"did one of them not start within {START_TIMEOUT_S:g} s?",
                )
            time.sleep(_POLL_S if waiting else 0)

    def _listed(self, node: int) -> set[int]:
        ports = self.listeners[node]
        try:
            if self._known is None:
                return listed_brokers(HOST, ports[PLAINTEXT])
            password = self._known.passwords[ADMIN]
            return listed_brokers(HOST, ports[SASL_PLAINTEXT], (ADMIN, password))
        except (OSError, ValueError, struct.error):
            return set()

    def _lives(self, node: int) -> bool:
        """True if it answers, or keeps running: a killed process stays for a moment more."""
        process = self._nodes[node]
        return process.running and bool(self._listed(node) or not process.ends_within(_DYING_S))

    def _written(self, name: str, text: str) -> Path:
        return write_private(make_folder(self._folder / "clients") / name, text)

    def _secrets(self) -> Secrets:
        if self._known is None:
            raise ValueError("an open cluster has no users")
        return self._known


@contextmanager
def running_kafka(
    folder: Path, version: str = "", *, brokers: int = 1, secured: bool = False
) -> Iterator[RunningKafka]:
    """An empty cluster of so many brokers, all registered, which is gone behind the `with`.

    `folder` is for its data, logs and secrets; nothing of them is left in it. Raises TargetNotFound
    for a version that is not pinned, ToolchainMissing, BuildFailed and TargetNotStarted.
    """
    kafka = read_adapter(data_root() / "adapters" / "brokers" / "kafka")
    version = version or kafka.default_version
    if version not in kafka.versions:
        raise TargetNotFound(
            f"no Apache Kafka {version!r} can be started", f"these can: {', '.join(kafka.versions)}"
        )
    check_programs(kafka, "java")
    build(kafka, version)
    java = start_command(kafka, version)
    with ExitStack() as stack:
        with waiting(f"starting Apache Kafka {version}"):
            try:
                cluster = stack.enter_context(_cluster(folder, java, brokers, secured))
            except PortTaken:
                cluster = stack.enter_context(_cluster(folder, java, brokers, secured))
        yield cluster


@contextmanager
def _cluster(
    folder: Path, java: Sequence[str], brokers: int, secured: bool
) -> Iterator[RunningKafka]:
    home = make_folder(folder / "kafka")
    try:
        known = (
            Secrets(issue(home / "certificates", [HOST, "localhost"], USERS)) if secured else None
        )
        listeners = _listeners(brokers, SECURED_LISTENERS if secured else OPEN_LISTENERS)
        for node in listeners:
            of_node = make_folder(home / f"node-{node}")
            text = server_properties(node, listeners, of_node / "data", known)
            write_private(of_node / "server.properties", text)
        cluster = RunningKafka(home, java, listeners, known)
        try:
            cluster._format()
            cluster.restart()
            yield cluster
        finally:
            cluster._end()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _listeners(brokers: int, clients: Sequence[str]) -> Ports:
    ports = iter(free_ports(brokers * len(clients) + 1, HOST))
    listeners = {node: {name: next(ports) for name in clients} for node in range(1, brokers + 1)}
    listeners[_CONTROLLER_NODE][CONTROLLER] = next(ports)
    return listeners


def _cluster_id() -> str:
    """Return a cluster id: 16 random bytes in base64 that do not look like an option."""
    return base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
