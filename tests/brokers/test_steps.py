"""A finding of a broker shows the step that broke the rule: the request, and its answer."""

import struct

import pytest

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import verdicts_of
from conformance.reference.codec import ReferenceCodec
from conformance.reporting.findings import Causes
from conformance.results.lines import Verdict
from conformance.results.text import failure_text

CREATE_PARTITIONS = 37
CODEC = ReferenceCodec()


def failing(mutant: str) -> list[Verdict]:
    broker = broker_mutants()[mutant]
    verdicts = verdicts_of(stocked(broker()), broker.breaks)
    return [each for each in verdicts if each.verdict == "fail"]


def test_the_step_that_broke_the_rule_is_the_last_request_and_its_answer():
    verdict = failing("CreatePartitionsChecksNothing")[-1]
    request, answer = map(bytes.fromhex, verdict.step)
    assert struct.unpack_from(">hh", request, 4) == (CREATE_PARTITIONS, verdict.version)
    read = CODEC.decode_response("CreatePartitionsResponse", verdict.version, answer)
    assert [each["errorCode"] for each in read[1]["results"]] == [0]
    assert request.hex() in verdict.input


def test_it_is_shown_beside_all_that_was_sent():
    verdict = failing("CreatePartitionsChecksNothing")[0]
    lines = failure_text(verdict).splitlines()
    names = [line.split(":")[0] for line in lines]
    assert names.index("input") < names.index("last") < names.index("answer")


def test_one_request_alone_is_shown_once():
    verdict = failing("CreateTopicsLastLeftOut")[0]
    assert verdict.step == []
    assert "last:" not in failure_text(verdict)


@pytest.mark.parametrize("outcome", ["closed", "reset", "silent"])
def test_how_an_exchange_ended_makes_no_cause_of_its_own(outcome):
    causes = Causes()
    for version, ended in enumerate(("closed", outcome)):
        causes.take(
            Verdict(
                rule="topics.no-time-to-create",
                class_="must",
                case=f"CreateTopicsRequest-v{version}/no-time-for-creation",
                message="CreateTopicsRequest",
                version=version,
                op="exchange",
                outcome=ended,
                verdict="fail",
                detail=f"no answer to CreateTopics v{version}: {ended}",
            )
        )
    assert len(causes.findings()) == 1
