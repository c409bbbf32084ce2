"""What an advertised API answers is judged, however odd: nothing is said to be missing for it."""

import pytest

from conformance import error_codes
from conformance.brokers.mutants import stocked
from conformance.brokers.score import rules_with_questions, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup, Refused

CONFIGS = [rule for rule in rules_with_questions() if rule.startswith("configs.")]
ALL = (*CONFIGS, "results.one-for-each", "topics.created-with-configs")


class DescribesNone(Broker):
    """Answers DescribeConfigs without results and without an error."""

    def describe_configs(self, request: Request) -> Value:
        """No results."""
        return {**super().describe_configs(request), "results": []}


class DescribesEmpty(Broker):
    """Describes every resource without a config and without an error."""

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        """No configs."""
        super().described_configs(request, item)
        return []


class DescribesNoBroker(Broker):
    """Knows no broker by the id that Metadata lists."""

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        """None."""
        raise Refused(error_codes.INVALID_REQUEST)


class ForgetsConfigsOfNewTopics(Broker):
    """Creates topics without the configs that were given for them."""

    def configs_of(self, item: Value) -> dict[str, str]:
        """None."""
        super().configs_of(item)
        return {}


@pytest.mark.parametrize(
    ("broker", "charged"),
    [
        (DescribesNone, {"results.one-for-each"}),
        (DescribesEmpty, {"configs.null-asks-for-all"}),
        (DescribesNoBroker, {"configs.own-broker-alone"}),
        (ForgetsConfigsOfNewTopics, {"topics.created-with-configs"}),
    ],
)
def test_an_odd_answer_is_charged_and_no_rule_is_said_to_lack_anything(broker, charged):
    normal = {
        v.case for v in verdicts_of(stocked(Broker()), *ALL, quick=True) if v.verdict != "pass"
    }
    verdicts = verdicts_of(stocked(broker()), *ALL, quick=True)
    assert {v.rule for v in verdicts if v.verdict == "fail"} == charged
    lacking = {v.rule: v.detail for v in verdicts if v.verdict == "unsupported"}
    assert {rule: why for rule, why in lacking.items() if rule not in normal} == {}
    assert {v.verdict for v in verdicts} <= {"pass", "fail", "not-proven"}


class LeavesTagsUnanswered(Broker):
    """Hangs up on Metadata as it is, in one version."""

    def metadata(self, request: Request) -> Value:
        """The topics, in the other versions."""
        if request.version == self.versions[3][1]:
            raise Hangup
        return super().metadata(request)


def test_a_request_without_an_answer_is_not_said_to_be_missing():
    verdicts = verdicts_of(stocked(LeavesTagsUnanswered()), "tags.unknown-skipped", quick=True)
    said = {v.detail for v in verdicts if v.message == "MetadataRequest" and v.verdict != "pass"}
    assert any(
        each.startswith("api-versions.advertised-is-served is broken first") for each in said
    )
    assert "unsupported" not in {v.verdict for v in verdicts}
