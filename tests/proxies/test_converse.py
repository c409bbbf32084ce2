"""What is held through a proxy after it has stopped serving anybody."""

from __future__ import annotations

from conformance.api_keys import PRODUCE
from conformance.proxies.converse import converse
from conformance.proxies.dialogues import ends
from conformance.proxies.in_process import OWN, LinkPeer, direct
from conformance.proxies.score import every_case
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import USUAL
from conformance.rules import catalogue


class StopsAtProduce(Proxy):
    """Forwards nothing any more once it was asked to produce; it is its own control."""

    stopped = False
    restarts = 0

    class links(Link):  # noqa: N801
        """A connection that may have been forgotten."""

        def request(self, frame: bytes) -> None:
            assert isinstance(self.proxy, StopsAtProduce)
            self.proxy.stopped |= api_of(frame)[0] == PRODUCE
            if not self.proxy.stopped:
                super().request(frame)

    def alive(self) -> bool:
        return True

    def restart(self) -> None:
        self.stopped = False
        self.restarts += 1


def test_a_proxy_that_serves_nobody_is_started_again_and_no_later_case_is_charged() -> None:
    _, known = every_case(USUAL, logs_in=False)
    asked = [
        each
        for each in ends(known)
        if each.message in ("ProduceRequest", "RenewDelegationTokenRequest")
    ]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    proxy = StopsAtProduce(OWN)
    verdicts = list(converse(asked, LinkPeer(proxy), rules, "kafka", proxy, direct))
    broken = {verdict.message for verdict in verdicts if verdict.verdict != "pass"}
    assert broken == {"ProduceRequest"}
    assert "RenewDelegationTokenRequest" in {verdict.message for verdict in verdicts}
    assert proxy.restarts > 0
