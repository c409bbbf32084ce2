"""Several defects at once, or none and a broker that is small: each is named, and nothing else."""

from dataclasses import replace

import pytest

from conformance import error_codes
from conformance.brokers.dialogues.talk import GREETED, ONE_FOR_EACH, SERVED
from conformance.brokers.mutants import stocked
from conformance.brokers.score import verdicts_of
from conformance.brokers.silence import ENOUGH
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Unanswered
from conformance.reporting.harms import Endings, harm_of
from conformance.results.lines import NOT_ASKED
from conformance.wire.errors import DecodeError

METADATA = 3
UNKNOWN_TOPIC = "metadata.unknown-topic-error"
VALIDATED = "topics.validate-only-creates-nothing"


def failed(broker: Broker, *rules: str) -> set[str]:
    return {each.rule for each in verdicts_of(stocked(broker), *rules) if each.verdict == "fail"}


class SilentSession(Session):
    """Answers nothing."""

    def respond(self, frame: bytes) -> bytes | None:
        """Say nothing."""
        raise Unanswered


class Silent(Broker):
    sessions = SilentSession


def test_a_silent_broker_is_asked_a_few_times_and_the_rest_is_left_out():
    verdicts = verdicts_of(Silent(), GREETED, SERVED, "tags.unknown-skipped")
    left = [each for each in verdicts if each.detail.startswith(NOT_ASKED)]
    why = "nothing that was asked was answered, alone and again"
    assert {each.detail for each in left} == {f"{NOT_ASKED}{why}"}
    assert len(verdicts) - len(left) <= 3 * ENOUGH  # those that a verdict names among them
    assert GREETED in {each.rule for each in verdicts if each.verdict == "fail"}


class SilentOnMetadata(Session):
    """Answers whatever is not about Metadata."""

    def handle(self, request: Request) -> Value:
        """Say nothing to Metadata."""
        if request.api_key == METADATA:
            raise Unanswered
        return super().handle(request)


class WithoutMetadata(Broker):
    sessions = SilentOnMetadata


def test_a_silent_api_is_left_out_where_others_ask_it_and_the_others_are_judged():
    served = verdicts_of(stocked(WithoutMetadata()), SERVED, "topics.names-limited")
    unanswered = [each for each in served if each.verdict == "fail"]
    assert {(each.rule, each.message) for each in unanswered} == {(SERVED, "MetadataRequest")}
    assert len(unanswered) == ENOUGH
    others = {each.verdict for each in served if each.message == "DescribeAclsRequest"}
    assert others == {"pass"}


class ClosedOnMetadata(Session):
    """Serves whatever is not about Metadata."""

    def handle(self, request: Request) -> Value:
        """Hang up on Metadata."""
        if request.api_key == METADATA:
            raise Hangup
        return super().handle(request)


class HangsUpOnMetadata(Broker):
    sessions = ClosedOnMetadata


def test_an_api_that_is_not_served_is_charged_to_itself_and_to_no_other_api():
    found = verdicts_of(stocked(HangsUpOnMetadata()), SERVED)
    assert {each.message for each in found if each.verdict == "fail"} == {"MetadataRequest"}


@pytest.mark.parametrize(
    "rule", [UNKNOWN_TOPIC, VALIDATED, "coordinators.type-by-version", "acls.none-is-empty"]
)
def test_a_caller_without_rights_accuses_no_broker(rule):
    verdicts = verdicts_of(stocked(Broker(super_users=frozenset())), rule)
    assert {each.verdict for each in verdicts} == {"unsupported"}
    assert all("the caller lacks the rights" in each.detail for each in verdicts)


class UnknownIsUnauthorized(Broker):
    """Takes a topic that does not exist for one that the caller may not see."""

    def unknown_topic(self, request: Request, name: str) -> int:
        """Return that error."""
        return error_codes.TOPIC_AUTHORIZATION_FAILED


def test_one_api_that_answers_so_to_a_caller_with_all_rights_is_accused():
    assert failed(UnknownIsUnauthorized(), UNKNOWN_TOPIC) == {UNKNOWN_TOPIC}


class CreatesWhatIsValidated(Broker):
    """Takes no notice of validateOnly."""

    def create_topics(self, request: Request) -> Value:
        """Create the topics."""
        return super().create_topics(
            replace(request, value={**request.value, "validateOnly": False})
        )


def test_topics_that_a_validation_left_do_not_hide_it():
    found = failed(CreatesWhatIsValidated(), SERVED, UNKNOWN_TOPIC, VALIDATED)
    assert found == {VALIDATED}


def test_a_small_limit_on_frames_is_no_trouble_with_tags():
    small = stocked(Broker(max_request_bytes=64 * 1024))
    rules = ("tags.unknown-skipped", "request-header.unknown-tag-skipped")
    assert {each.verdict for each in verdicts_of(small, *rules)} == {"pass"}


class FirstResultAndSetForAppend(Broker):
    """Describes the first resource alone, and sets a list that was to grow."""

    def describe_configs(self, request: Request) -> Value:
        """Return the first result."""
        answer = super().describe_configs(request)
        return {**answer, "results": answer["results"][:1]}

    def incremental_alter_configs(self, request: Request) -> Value:
        """Set what is to be appended."""
        resources = [
            {
                **each,
                "configs": [
                    {**of, "configOperation": of["configOperation"] % 2} for of in each["configs"]
                ],
            }
            for each in request.value["resources"]
        ]
        return super().incremental_alter_configs(
            replace(request, value={**request.value, "resources": resources})
        )


def test_missing_results_hide_no_defect_of_another_kind():
    found = failed(FirstResultAndSetForAppend(), ONE_FOR_EACH, "configs.operations")
    assert found == {ONE_FOR_EACH, "configs.operations"}


class WrongCodeAndNoWord(Session):
    """Has another error for an unknown mechanism, and hangs up on a wrong token."""

    def sasl_handshake(self, request: Request) -> Value:
        """Answer with that error."""
        answer = super().sasl_handshake(request)
        wrong = answer["errorCode"] == error_codes.UNSUPPORTED_SASL_MECHANISM
        code = error_codes.SASL_AUTHENTICATION_FAILED
        return {**answer, "errorCode": code} if wrong else answer

    def sasl_authenticate(self, request: Request) -> Value:
        """Hang up."""
        answer = super().sasl_authenticate(request)
        if answer["errorCode"] == error_codes.SASL_AUTHENTICATION_FAILED:
            raise Hangup
        return answer


class TwiceWrongLogin(Broker):
    sessions = WrongCodeAndNoWord


def test_two_defects_of_a_login_are_two_findings():
    rules = ("sasl.unknown-mechanism-refused", "sasl.wrong-token-refused")
    broker = TwiceWrongLogin(
        users={"judge": "judge"}, super_users=frozenset({"User:judge", "User:ANONYMOUS"})
    )
    assert failed(broker, *rules) == {*rules}


class LongForInt(Broker):
    """Takes each whole number for a LONG."""

    def describe_configs(self, request: Request) -> Value:
        """Return a LONG for each INT."""
        answer = super().describe_configs(request)
        for result in answer["results"]:
            for config in result["configs"]:
                config["configType"] = {3: 5}.get(config["configType"], config["configType"])
        return answer


def test_how_large_a_number_is_taken_is_the_brokers_own_affair():
    assert failed(LongForInt(), "configs.types-told") == set()


class SaysSomethingElse(Session):
    """Answers what it can't read with six bytes, and keeps the connection."""

    def respond(self, frame: bytes) -> bytes | None:
        """Return an error in a form of its own."""
        try:
            return super().respond(frame)
        except DecodeError:
            return frame[4:8] + b"\0\x2a"


class AnswersGarbage(Broker):
    sessions = SaysSomethingElse


def test_an_answer_in_no_form_is_no_silence():
    rule = "primitives.short-input-refused"
    verdicts = verdicts_of(stocked(AnswersGarbage()), rule)
    assert not any(each.detail.startswith(NOT_ASKED) for each in verdicts)
    [*failed] = (each for each in verdicts if each.verdict == "fail")
    assert failed
    endings = Endings()
    endings.take(failed)
    assert endings.seen == "lived"


class SilentOnGarbageSession(Session):
    """Says nothing to what it can't read, and keeps the connection."""

    def respond(self, frame: bytes) -> bytes | None:
        """Say nothing."""
        try:
            return super().respond(frame)
        except DecodeError:
            raise Unanswered from None


class SilentOnGarbage(Broker):
    sessions = SilentOnGarbageSession


def test_silence_on_garbage_costs_a_few_cases_and_hurts_as_silence():
    rule = "primitives.short-input-refused"
    verdicts = verdicts_of(stocked(SilentOnGarbage()), rule)
    failed = [each for each in verdicts if each.verdict == "fail"]
    assert len(failed) == ENOUGH
    assert {each.verdict for each in verdicts} == {"fail", "not-proven"}
    endings = Endings()
    endings.take(failed)
    assert "waits" in harm_of(rule, endings.seen)
