"""An address that clients are given leads to a broker, whether the run reached it there or not."""

from __future__ import annotations

import pytest

from conformance.brokers.connection.address import Address, Unreachable
from conformance.brokers.connection.connection import Connection
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import SessionEndpoint, SessionLine, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Value
from conformance.reporting.findings import Causes
from conformance.results.lines import Verdict

RULE = "metadata.listed-address-answers"
FORWARDED = 9094


class Forwarded(Broker):
    """Lists itself at another port, which leads to it as well."""

    def brokers(self) -> list[Value]:
        return [{**each, "port": FORWARDED} for each in super().brokers()]


class OneIsDown(Broker):
    """Lists a broker that has just ended in front of itself."""

    def brokers(self) -> list[Value]:
        [own] = super().brokers()
        return [{**own, "nodeId": 7, "port": 1}, own]


def failed(broker: Broker) -> list[Verdict]:
    return [each for each in verdicts_of(stocked(broker), RULE) if each.verdict == "fail"]


def test_an_address_where_nothing_answers_is_a_finding_that_keeps_clients_from_connecting() -> None:
    [verdict] = failed(broker_mutants()["OtherPortListed"]())
    assert "127.0.0.1:1, and no broker answers there: Connection refused" in verdict.detail
    served = Verdict(
        rule="topics.names-limited",
        class_="must",
        case="CreateTopicsRequest-v2/names",
        message="CreateTopicsRequest",
        version=2,
        op="exchange",
        outcome="reply",
        verdict="fail",
    )
    causes = Causes()
    causes.take(served)
    causes.take(verdict)
    assert causes.findings()[0].rules == [RULE]


def test_another_address_that_answers_is_no_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a port that is forwarded."""
    followed: list[int] = []

    def follow(self: SessionEndpoint, host: str, port: int) -> SessionLine:
        del host
        followed.append(port)
        return self.connect()

    monkeypatch.setattr(SessionEndpoint, "follow", follow)
    assert failed(Forwarded()) == []
    assert FORWARDED in followed


def test_a_broker_of_the_cluster_that_is_down_is_no_breach() -> None:
    assert failed(OneIsDown()) == []


def test_a_port_that_there_cannot_be_is_an_address_where_nothing_answers() -> None:
    with pytest.raises(Unreachable):
        Connection(Address("127.0.0.1", 2**31 - 1), 1.0)
