"""What a run against a broker may do, what it leaves out, and what it leaves behind."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.brokers.mutants import stocked
from conformance.brokers.mutants.topics.requests import ValidatedIsCreated
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import stored_versions
from conformance.reference.codec import ReferenceCodec
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from conformance.rules import catalogue
from tests.cli.conftest import COMMAND, environment, run

OURS = "kafka-conformance-"


@contextmanager
def broker_at(broker: Broker) -> Iterator[str]:
    with serving(stocked(broker)) as port:
        yield f"127.0.0.1:{port}"


def verdicts(results: Path) -> list[Verdict]:
    return [line for line in read_lines(results) if isinstance(line, Verdict)]


def summary(results: Path) -> Summary:
    *_, last = read_lines(results)
    assert isinstance(last, Summary)
    return last


def test_what_changes_something_is_listed_and_not_asked(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    broker = play("newest")
    before = dict(stocked(broker).topics)
    with serving(broker) as port:
        ended = run("broker", f"127.0.0.1:{port}", "--rule", "topics.*", "--results", results)
    assert ended.code == 0, ended.out
    assert broker.topics == before
    [note] = [each for each in summary(results).notes if "--allow-writes" in each]
    assert note.startswith("not run, ")
    rule = note.partition("--allow-writes: ")[2].partition(" (")[0]
    assert f"{rule} ({catalogue()[rule].statement.rstrip('.')})" in note
    assert note[:100] in ended.out


@pytest.mark.parametrize(
    ("broker", "left"), [(ValidatedIsCreated(), True), (play("newest"), False)]
)
def test_topics_that_a_broker_creates_unasked_are_told(
    broker: Broker, left: bool, tmp_path: Path
) -> None:
    results = tmp_path / "results.ndjson"
    with broker_at(broker) as address:
        run("broker", address, "--quick", "--rule", "topics.validate-*", "--results", results)
    said = [each for each in summary(results).notes if "came to be of requests" in each]
    assert bool(said) == left, said
    assert all("their names begin with kafka-conformance-" in each for each in said)


class OthersAreCreated(Broker):
    """Creates a topic of a name of its own for each that is only to be validated."""

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        name = f"made-{len(self.topics)}"
        self.topics[name] = replace(next(iter(self.topics.values())), name=name)
        return answer


def test_topics_of_other_names_that_came_during_a_run_are_counted(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    broker = stocked(OthersAreCreated())
    before = len(broker.topics)
    with serving(broker) as port:
        rule = "topics.validate-*"
        run("broker", f"127.0.0.1:{port}", "--quick", "--rule", rule, "--results", results)
    came = len(broker.topics) - before
    [said] = [each for each in summary(results).notes if "of other names" in each]
    assert came > 1
    assert said.startswith(f"{came} topics of other names came during this run")
    assert "unless another client made them: such as made-" in said


def test_listed_versions_that_no_definition_has_are_named(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    versions = {**stored_versions(), 16: (0, 99), 9000: (1, 2)}
    with broker_at(Broker(versions)) as address:
        rule = "framing.correlation-id-echoed"
        run("broker", address, "--quick", "--rule", rule, "--results", results)
    [said] = [each for each in summary(results).notes if "no stored definition" in each]
    newest = ReferenceCodec().versions("ListGroupsRequest")[-1]
    assert f"ListGroups v{newest + 1} to v99; API key 9000 v1 to v2" in said


def test_rules_that_are_about_other_brokers_are_told_as_such() -> None:
    ended = run("broker", "--start", "reference", "--rule", "acls.no-authorizer-is-told")
    assert ended.code == 3, ended.out + ended.err
    assert ": nothing was judged: " in " ".join(ended.out.split())
    assert "the broker has an authorizer" in " ".join(ended.out.split())


def test_a_rule_that_is_noted_was_judged() -> None:
    broker = ("broker", "--start", "mutant:UnknownKeyMadeUp")
    ended = run(*broker, "--rule", "configs.unknown-key-left-out")
    assert ended.code == 0, ended.out + ended.err
    assert ": no failure" in ended.out


RESTS_ON = "api-versions.advertised-is-served"


def test_a_rule_that_others_rest_on_is_reported_where_they_alone_are_chosen() -> None:
    broker = ("broker", "--start", "mutant:HighestVersionNotServed", "--rule", "results.*")
    ended = run(*broker)
    assert ended.code == 1, ended.out + ended.err
    assert f"rules:    {RESTS_ON}" in ended.out
    assert "1 defect breaks the protocol" in ended.out
    excluded = run(*broker, "--exclude", RESTS_ON)
    assert f"rules:    {RESTS_ON}" not in excluded.out


def test_rules_that_this_run_can_not_ask_are_told_with_what_it_lacks() -> None:
    ended = run("broker", "--start", "reference", "--rule", "acls.deny-beats-allow")
    assert ended.code == 3
    what = "nothing can be asked of reference: acls.deny-beats-allow changes something"
    assert ended.error == f"{what} (see --allow-writes)"


def test_what_was_written_is_gone_afterwards(tmp_path: Path) -> None:
    broker = stocked(play("newest"))
    before, acls = dict(broker.topics), dict(broker.acls)
    with serving(broker) as port:
        ended = run("broker", f"127.0.0.1:{port}", "--allow-writes", "--profile", "kafka")
    assert ended.code == 0, ended.out
    assert broker.topics == before
    assert broker.acls == acls
    assert broker.quotas == {}
    assert not any(OURS in name for _, name in broker.configs)


def test_a_broker_that_deletes_no_topics_can_be_written_to() -> None:
    with broker_at(Broker(delete_topics_enabled=False)) as address:
        ended = run("broker", address, "--allow-writes", "--rule", "topics.created-has-leaders")
    assert ended.code == 0, ended.out + ended.err
    assert "may be left behind" in ended.out


def test_ctrl_c_leaves_nothing_either() -> None:
    broker = stocked(play("newest"))
    before = dict(broker.topics)
    with serving(broker) as port:
        started = subprocess.Popen(
            [*COMMAND, "broker", f"127.0.0.1:{port}", "--allow-writes"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wait_for_writes(broker, started, 3)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130, (out, err)
    assert err == b""
    assert broker.topics == before


def wait_for_writes(broker: Broker, started: subprocess.Popen[bytes], number: int) -> None:
    """Until so many of the run's own topics have been seen."""
    seen: set[str] = set()
    deadline = time.monotonic() + 60
    while len(seen) < number:
        seen.update(name for name in list(broker.topics) if name.startswith(OURS))
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Forbidding(Broker):
    """Nobody may create a topic."""

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        return request.api_key != 19


def test_a_run_that_may_write_and_can_not_says_so() -> None:
    with broker_at(Forbidding()) as address:
        ended = run("broker", address, "--allow-writes")
    assert ended.code == 3
    assert "nothing can be written: creating a topic is answered with error" in ended.error
    assert "leave out --allow-writes" in ended.error


def test_excluded_rules_and_cases_are_not_asked(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    with broker_at(play("newest")) as address:
        options = ("--exclude", "framing.huge-*", "--exclude", "*/size-below-zero")
        run("broker", address, "--rule", "framing.*", *options, "--results", results)
    rules = {each.rule for each in verdicts(results)}
    cases = {each.case for each in verdicts(results)}
    assert "framing.negative-size-closes" in rules
    assert "framing.huge-size-closes" not in rules
    assert not any(case.endswith("/size-below-zero") for case in cases)


def test_a_quick_run_asks_the_lowest_and_the_highest_version_alone(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    with broker_at(play("newest")) as address:
        ended = run(
            "broker", address, "--quick", "--message", "MetadataRequest", "--results", results
        )
    assert ended.code == 0, ended.out
    asked = [each for each in verdicts(results) if each.rule == "metadata.unknown-topic-error"]
    assert len({each.version for each in asked}) == 2
    assert len(ended.out.splitlines()) < 60


def test_each_advertised_request_stands_in_the_table() -> None:
    with broker_at(play("2.4")) as address:
        ended = run("broker", address, "-v", "--rule", "api-versions.*")
    assert "MetadataRequest" in ended.out
    assert "v0 to v9" in ended.out


def test_a_broker_differs_from_itself_in_nothing() -> None:
    with broker_at(play("newest")) as address:
        ended = run("broker", address, "--against", address, "--rule", "metadata.*")
    assert ended.code == 0, ended.out
    assert "differ in 0 cases" in ended.out


def test_only_what_two_brokers_answer_differently_is_shown() -> None:
    ended = run(
        "broker", "--start", "mutant:CreateTopicsLastLeftOut", "--against", "reference", "-v"
    )
    assert ended.code == 1
    assert "results.one-for-each" in ended.out
    assert "metadata." not in ended.out


def test_versions_that_one_broker_alone_has_are_told_once() -> None:
    ended = run("broker", "--start", "reference:2.4", "--against", "reference:3.9", "--quick")
    assert ended.code == 1
    said = " ".join(ended.out.split())
    assert "notice where reference:2.4 takes the place of reference:3.9" in said
    assert "It can ask no longer: AlterClientQuotas, DescribeClientQuotas" in said
    assert said.count("Metadata v10 to v12") == 1
    assert "It can ask as well" not in said


@pytest.mark.parametrize("worse", [True, False])
def test_a_rule_that_one_broker_breaks_is_told_with_whom_it_hurts(worse: bool) -> None:
    brokers = ["mutant:CreateTopicsLastLeftOut", "reference"]
    one, other = brokers if worse else brokers[::-1]
    ended = run("broker", "--start", one, "--against", other)
    assert ended.code == 1
    said = " ".join(ended.out.split())
    heading = f"{brokers[0]} breaks the protocol, and {brokers[1]} does not"
    rule = catalogue()["results.one-for-each"]
    assert heading in said
    assert rule.breach in said
    assert rule.harm in said


class LeavesInTheMiddle(Session):
    """Ends the server after some connections."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        assert isinstance(broker, Leaving)
        broker.connections += 1
        if broker.connections > 30:
            self.close()


class Leaving(Broker):
    """Serves a while, and then nobody."""

    sessions = LeavesInTheMiddle
    connections = 0


def test_a_broker_that_leaves_in_the_middle_keeps_what_it_got(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    with broker_at(Leaving()) as address:
        ended = run("broker", address, "--results", results)
    assert ended.code == 1
    found = verdicts(results)
    assert any(each.verdict == "pass" for each in found)
    assert any(each.verdict == "fail" for each in found)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "name a broker"),
        (("--quick", "--allow-writes", "a:1"), "--quick writes nothing"),
        (("--start", "reference", "-n", "2"), "-n is for brokers that run already"),
        (("a:1", "b:2", "--against", "c:3"), "--against compares one broker with one other"),
        (("--start", "reference", "--brokers", "3"), "a broker of our own is alone"),
        (("--start", "nobody"), "no broker 'nobody' can be started"),
        (("a:1", "--config", "/no/such/file"), "/no/such/file"),
    ],
)
def test_options_that_make_no_sense_are_wrong_usage(options: tuple[str, ...], says: str) -> None:
    ended = run("broker", *options)
    assert ended.code == 2
    assert says in ended.err
