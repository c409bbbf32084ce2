"""What is held again, what is charged, and what a proxy may do without being charged."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from conformance.api_keys import API_VERSIONS, PRODUCE
from conformance.proxies.converse import converse
from conformance.proxies.dialogues import ends
from conformance.proxies.dialogues.frames import LARGE
from conformance.proxies.dialogues.hardening import REQUESTS
from conformance.proxies.dialogues.partitions import has_extreme_numbers
from conformance.proxies.dialogues.talk import REQUESTS_PASS
from conformance.proxies.in_process import OWN, LinkPeer, direct
from conformance.proxies.mutants.addresses import EveryBrokerIsTheFirst
from conformance.proxies.mutants.hardening import (
    UnreadableRequestCutsOthers,
    UnreadableRequestEndsLate,
    UnreadableRequestIsTheLast,
)
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.proxies.score import every_case, verdicts_of
from conformance.proxies.trials import EXTREME
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import USUAL
from conformance.results.aftermath import CUT, LOST
from conformance.results.lines import Verdict
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

    def ended(self, patience_s: float) -> bool:
        return False

    def restart(self) -> None:
        self.stopped = False
        self.restarts += 1

    def last_words(self) -> str:
        return ""


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


class FailsOnce(Proxy):
    """Drops the first request of Produce, and no other."""

    dropped = 0

    class links(Link):  # noqa: N801
        """A connection that is unlucky."""

        def request(self, frame: bytes) -> None:
            assert isinstance(self.proxy, FailsOnce)
            if api_of(frame)[0] == PRODUCE and not self.proxy.dropped:
                self.proxy.dropped += 1
            else:
                super().request(frame)


def test_what_does_not_fail_again_is_a_note() -> None:
    _, known = every_case(USUAL, logs_in=False)
    asked = [each for each in known if each.id == "ProduceRequest-v9/plain"]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    found = list(converse(asked, LinkPeer(FailsOnce(OWN)), rules, "kafka", None, direct))
    assert [verdict.verdict for verdict in found] == ["note", "pass", "pass"]
    assert found[0].detail.startswith("failed once, and passed when it was asked again alone: ")


class KeepsOldProduce(Proxy):
    """Lists Produce from version 0 on whatever the broker lists, as Apache Kafka 4 does."""

    def listed(self, value: dict[str, Any]) -> dict[str, Any]:
        found = super().listed(value)
        for each in found["apiKeys"]:
            if each["apiKey"] == PRODUCE:
                each["minVersion"] = 0
        return found


def test_produce_may_be_listed_from_version_0_on_for_old_clients() -> None:
    rule = "proxy-versions.listed-by-both"
    verdicts = verdicts_of(KeepsOldProduce(OWN), [rule])
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


class ReadsFlexibleHeaders(Proxy):
    """Reads the tags in the header of an answer that it does not know, and ends if it can't."""

    class links(Link):  # noqa: N801
        """A connection that knows that new versions are flexible."""

        def answer(self, frame: bytes) -> None:
            asked = self._pending[0]
            known = self.proxy.form(asked.api_key, asked.version, "Response")
            is_readable = known is not None or frame[4] == 0
            super().answer(frame) if is_readable else self.close()


def test_the_answer_in_a_version_of_the_future_has_a_flexible_header() -> None:
    verdicts = verdicts_of(
        ReadsFlexibleHeaders(OWN), ["proxy-messages.unknown-not-garbled"], quick=True
    )
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


class FramesOf64Kilobytes(Proxy):
    """Ends the connection on any frame above 64 KiB."""

    class links(Link):  # noqa: N801
        """A connection with that limit."""

        def request(self, frame: bytes) -> None:
            self.close() if len(frame) > 2**16 else super().request(frame)

        def send(self, frame: bytes) -> None:
            self.close() if len(frame) > 2**16 else super().send(frame)


def test_a_limit_on_frames_is_one_defect_whatever_the_frame_holds() -> None:
    _, known = every_case(USUAL, logs_in=False)
    asked = [
        each
        for each in known
        if "length-32768" in each.id or "proxy-frames.in-order" in each.rules or LARGE in each.rules
    ]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    verdicts = converse(asked, LinkPeer(FramesOf64Kilobytes(OWN)), rules, "kafka", None, direct)
    assert {each.rule for each in verdicts if each.verdict == "fail"} == {LARGE}


class HasFewPartitions(Proxy):
    """Ends the connection on a partition that is outside the range it was configured for."""

    class links(Link):  # noqa: N801
        """A connection that maps partitions, and so knows all of them."""

        def request(self, frame: bytes) -> None:
            _, value, _ = self.proxy.codec.decode_request(frame)
            self.close() if has_extreme_numbers(value) else super().request(frame)


def test_what_fails_with_partitions_that_no_topic_has_is_a_note() -> None:
    _, known = every_case(USUAL, logs_in=False)
    messages = ("ProduceRequest", "ProduceResponse", "OffsetCommitRequest")
    asked = [each for each in known if each.id.endswith("/forwarded") and each.message in messages]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    found = list(converse(asked, LinkPeer(HasFewPartitions(OWN)), rules, "kafka", None, direct))
    assert {verdict.verdict for verdict in found} == {"note", "pass"}
    noted = [verdict for verdict in found if verdict.verdict == "note"]
    assert {verdict.message for verdict in noted} == {*messages}
    assert all(verdict.detail.startswith(EXTREME) for verdict in noted)


class TakesNoPartitions(Proxy):
    """Ends the connection on a Produce that names any partition."""

    class links(Link):  # noqa: N801
        """A connection that takes no Produce with partitions."""

        def request(self, frame: bytes) -> None:
            key, _ = api_of(frame)
            _, value, _ = self.proxy.codec.decode_request(frame)
            self.close() if key == PRODUCE and value["topicData"] else super().request(frame)


def test_what_fails_with_any_partition_is_charged() -> None:
    _, known = every_case(USUAL, logs_in=False)
    asked = [each for each in known if each.message == "ProduceRequest" and each.milder]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    found = list(converse(asked, LinkPeer(TakesNoPartitions(OWN)), rules, "kafka", None, direct))
    assert {each.rule for each in found if each.verdict == "fail"} == {REQUESTS_PASS}


def hardened(mutant: ProxyMutant, names: Collection[str]) -> dict[str, Verdict]:
    """Return the verdicts on malformed requests and answers of some APIs, by their cases."""
    _, known = every_case(USUAL, logs_in=False)
    asked = [each for each in known if REQUESTS in each.rules and each.message in names]
    rules = {rule: catalogue()[rule] for each in asked for rule in each.rules}
    found = converse(asked, LinkPeer(mutant), rules, "kafka", mutant, direct)
    return {verdict.case.partition("/")[2]: verdict for verdict in found}


def test_an_end_that_shows_in_the_next_case_is_charged_to_the_one_that_brought_it_about() -> None:
    found = hardened(UnreadableRequestEndsLate(OWN), ["MetadataRequest"])
    ended = {case for case, verdict in found.items() if verdict.verdict == "crash"}
    assert ended == {"request-cut-short", "request-huge-lengths"}
    assert {verdict.verdict for verdict in found.values()} == {"crash", "pass"}


@pytest.mark.parametrize(
    ("mutant", "words"), [(UnreadableRequestCutsOthers, CUT), (UnreadableRequestIsTheLast, LOST)]
)
def test_a_malformed_request_is_told_with_what_it_did_to_others(
    mutant: type[ProxyMutant], words: str
) -> None:
    found = hardened(mutant(OWN), ["ListOffsetsRequest"])
    wrong = [verdict for verdict in found.values() if verdict.verdict == "fail"]
    assert wrong
    assert all(verdict.detail.endswith(words) for verdict in wrong)


class EndsOnRefusals(Proxy):
    """Forwards each ApiVersions, and ends the connection on an answer that refuses one."""

    class links(Link):  # noqa: N801
        """A connection that reads an answer in the version of its request."""

        def is_too_new(self, version: int) -> bool:
            del version
            return False

        def answer(self, frame: bytes) -> None:
            refuses = self._pending[0].api_key == API_VERSIONS and frame[4:6] == b"\0\x23"
            self.close() if refuses else super().answer(frame)


def test_a_refusal_of_the_broker_that_gets_lost_is_one_defect_whatever_was_refused() -> None:
    rules = ["proxy-versions.too-new-refused-in-v0", "proxy-versions.refusal-reaches-client"]
    found = verdicts_of(EndsOnRefusals(OWN), rules)
    assert {each.rule for each in found if each.verdict == "fail"} == {rules[1]}
    assert {each.verdict for each in found if each.rule == rules[0]} == {"not-proven"}


def test_a_broker_that_moves_is_not_judged_where_no_broker_is_reached_at_its_address() -> None:
    moved = "proxy-addresses.moved-broker-is-followed"
    found = verdicts_of(EveryBrokerIsTheFirst(OWN), [moved, "proxy-addresses.lead-to-their-broker"])
    assert {each.verdict for each in found if each.rule == moved} == {"not-proven"}
