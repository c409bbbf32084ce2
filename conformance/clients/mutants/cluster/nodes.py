"""Clients that are wrong about a cluster's brokers, or about which of them is the controller."""

from __future__ import annotations

from collections.abc import Generator

from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import Asking, Course, Failed, Step
from conformance.testee_protocol import Value

Reaching = Generator[Step, Received | None, bool]


class NodeZeroIsNobody(ClientMutant, breaks="client-answers.any-node-id"):
    """Takes broker 0 for none."""

    def reach(self, answer: Value, node_id: int) -> Reaching:
        return (yield from super().reach(answer, node_id or -1))


class AnyBrokerIsTheController(ClientMutant, breaks="client-requests.controller-asked"):
    """Creates topics at the first broker that it meets."""

    def reach_controller(self) -> Course:
        yield from ()


class NobodyIsTheController(ClientMutant, breaks="client-requests.no-controller-yet-is-no-error"):
    """Fails where Metadata names no controller."""

    def reach_controller(self) -> Course:
        answer = yield from self.metadata()
        if not (yield from self.reach(answer, answer.get("controllerId", -1))):
            raise Failed(f"there is no broker {answer.get('controllerId', -1)}")


class TellsReplicasThatAreUp(ClientMutant, breaks="client-answers.replicas-told"):
    """Tells those replicas alone whose broker is there."""

    def replicas_told(self, answer: Value, replicas: list[int]) -> list[str]:
        there = {each["nodeId"] for each in answer["brokers"]}
        return super().replicas_told(answer, [each for each in replicas if each in there])


class AsksWhomItWasToldOf(ClientMutant, breaks="client-answers.bootstrap-left"):
    """Gets its id as a producer at the address that it was given, whoever is in Metadata."""

    def producer(self) -> Asking:
        yield from self.connect(None)
        producer = yield from super().producer()
        yield from self.reach_leader()
        return producer


class TellsNoController(ClientMutant, breaks="client-answers.controller-told"):
    """Tells of no controller where Metadata names one."""

    def controller_in(self, answer: Value) -> int | None:
        del answer
        return None
