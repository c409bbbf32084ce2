"""A broker whose answer to the first request is wrong is judged: by that, and by all the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.mutants.baselines import HangingUp, Mute
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.server import serving
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.cli.conftest import Ended, run

GREETED = "api-versions.version-0-answered"
FORM = "api-versions.version-0-has-list-alone"
CORRELATED = "framing.correlation-id-echoed"
SERVED = "api-versions.advertised-is-served"
RULES: tuple[str, ...] = (GREETED, FORM, CORRELATED, SERVED, "framing.negative-size-closes")
RULES += ("request-header.null-client-id", "metadata.null-asks-for-all")
WAYS = {
    "FirstRequestCloses": (GREETED, "no answer to ApiVersions v0: the connection was closed"),
    "FirstRequestIgnored": (GREETED, "no answer to ApiVersions v0: nothing came"),
    "FirstRequestIsAnError": (GREETED, "ApiVersions v0 is answered with error -1"),
    "FirstListEmpty": (GREETED, "the answer to ApiVersions v0 lists no API"),
    "FirstListWithoutItself": (GREETED, "does not list ApiVersions itself"),
    "FirstAnswerInNewestForm": (FORM, "it is a whole ApiVersionsResponse v"),
    "FirstAnswerUnreadable": (FORM, "the answer ends at byte"),
    "ThrottleTimeInVersion0": (FORM, "it is a whole ApiVersionsResponse v1 to v2, and v0"),
    "FirstAnswerWithOtherCorrelationId": (
        CORRELATED,
        "has another correlation id: 0, and the request had -1",
    ),
}
"""Each way to answer it wrongly, the rule that judges it, and what is said of it."""


def judged(broker: Broker, results: Path, *options: str) -> tuple[Ended, dict[str, list[Verdict]]]:
    """How a run ended, and its verdicts by rule."""
    chosen = [word for rule in RULES for word in ("--rule", rule)]
    with serving(stocked(broker)) as port:
        address = f"127.0.0.1:{port}"
        given = ("--timeout", "0.5", "--results", results, *options)
        ended = run("broker", address, *chosen, *given)
    found: dict[str, list[Verdict]] = {}
    for line in read_lines(results):
        if isinstance(line, Verdict):
            found.setdefault(line.rule, []).append(line)
    return ended, found


def failed(found: dict[str, list[Verdict]]) -> dict[str, Verdict]:
    """The first failure of each rule."""
    return {
        rule: next(each for each in verdicts if each.verdict == "fail")
        for rule, verdicts in found.items()
        if any(each.verdict == "fail" for each in verdicts)
    }


@pytest.mark.parametrize("name", WAYS)
def test_each_way_is_a_finding_and_the_rest_is_judged(name: str, tmp_path: Path) -> None:
    ended, found = judged(broker_mutants()[name](), tmp_path / "results.ndjson", "--quick")
    assert ended.code == 1, ended.out + ended.err
    rule, said = WAYS[name]
    assert failed(found).keys() == {rule}
    [first] = failed(found).values()
    assert said in first.detail
    assert first.input
    for other in ("framing.negative-size-closes", "metadata.null-asks-for-all"):
        assert {each.verdict for each in found[other]} == {"pass"}, other
    served = {each.message for each in found[SERVED] if each.verdict == "pass"}
    assert {"MetadataRequest", "DescribeConfigsRequest", "CreateTopicsRequest"} <= served


@pytest.mark.parametrize("name", ["FirstRequestCloses", "FirstAnswerInNewestForm"])
def test_the_defect_is_a_finding_whatever_message_and_version_are_chosen(
    name: str, tmp_path: Path
) -> None:
    options = ("--message", "MetadataRequest", "--api-version", "9")
    ended, found = judged(broker_mutants()[name](), tmp_path / "results.ndjson", *options)
    assert ended.code == 1, ended.out + ended.err
    assert failed(found).keys() == {WAYS[name][0]}
    of_metadata = [each for each in found[SERVED] if each.message == "MetadataRequest"]
    assert [(each.version, each.verdict) for each in of_metadata] == [(9, "pass")]


@pytest.mark.parametrize("broker", [HangingUp, Mute])
def test_one_that_answers_nothing_is_accused_of_that_alone(
    broker: type[Broker], tmp_path: Path
) -> None:
    ended, found = judged(broker(), tmp_path / "results.ndjson", "--quick")
    assert ended.code == 1, ended.out + ended.err
    assert failed(found).keys() == {GREETED}
    assert "Is it a Kafka listener?" in " ".join(ended.out.split())


def test_another_correlation_id_in_every_answer_is_told_as_that(tmp_path: Path) -> None:
    broker = broker_mutants()["EveryAnswerWithOtherCorrelationId"]()
    ended, found = judged(broker, tmp_path / "results.ndjson", "--quick")
    assert ended.code == 1, ended.out + ended.err
    assert failed(found).keys() == {CORRELATED}
    assert "has another correlation id: 0" in failed(found)[CORRELATED].detail


def test_another_correlation_id_in_one_api_is_told_as_that(tmp_path: Path) -> None:
    broker = broker_mutants()["MetadataWithOtherCorrelationId"]()
    ended, found = judged(broker, tmp_path / "results.ndjson", "--quick")
    assert ended.code == 1, ended.out + ended.err
    assert failed(found).keys() == {CORRELATED}
    wrong = {each.message for each in found[CORRELATED] if each.verdict == "fail"}
    assert wrong == {"MetadataRequest"}
