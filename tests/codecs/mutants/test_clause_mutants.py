"""What a clause says of itself is so: its mutants are caught by the rules that it names."""

import pytest

from conformance.brokers import score as broker_score
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.mutants.by_the_kip import ByTheKip
from conformance.clients.mutants import client_mutants
from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.clauses import clause_mutants
from conformance.codecs.score import MOST_VECTORS, verdicts_of_rule, wrong
from conformance.definitions.mutants import definition_mutants
from conformance.definitions.mutants.evolution import MUTANTS as EVOLUTION
from conformance.reference.codec import PlainCodec
from conformance.rules import catalogue
from conformance.rules.clauses import select
from tests.proof.clauses import Shown, caught, score, show

NAMED = [
    (clause, rule, mutant)
    for clause in select()
    for rule, names in clause.mutants.items()
    for mutant in names
]
CAUGHT_ELSEWHERE = {
    *((each.breaks, f"codec:{name}") for name, each in mutants().items()),
    *((each.breaks, f"broker:{name}") for name, each in broker_mutants().items()),
    *((each.breaks, f"client:{name}") for name, each in client_mutants().items()),
    *((each.breaks, f"definition:{name}") for name, each in definition_mutants().items()),
    *((each.breaks, f"evolution:{each.name}") for each in EVOLUTION),
}
"""Mutants under the rules that they break: the tests of their kind show that these catch them."""
CODECS = sorted({(rule, mutant) for _, rule, mutant in NAMED} - CAUGHT_ELSEWHERE)


def test_a_clause_names_mutants_of_its_own_rules() -> None:
    assert [(clause.id, rule) for clause, rule, _ in NAMED if rule not in clause.rules] == []


def test_one_mutant_of_each_kind_is_caught_here_too() -> None:
    kinds = {mutant.partition(":")[0]: (mutant, rule) for _, rule, mutant in NAMED}
    assert kinds.keys() == {"codec", "broker", "client", "definition", "evolution"}
    assert [each for each in kinds.values() if not caught(*each)] == []


@pytest.mark.parametrize(("rule", "mutant"), CODECS)
def test_a_codec_that_a_clause_names_is_caught_by_the_rule(rule: str, mutant: str) -> None:
    assert mutant.startswith("codec:")
    assert caught(mutant, rule)


def test_the_reference_passes_where_such_codecs_fail() -> None:
    asked = {(rule, *asked_in(mutant)) for rule, mutant in CODECS}
    assert [each for each in asked if wrong(verdicts_of_rule(PlainCodec(), *each))] == []


def asked_in(mutant: str) -> tuple[tuple[str, ...], int | None]:
    """The messages that a codec is judged by, and the most vectors."""
    name, _, message = mutant.removeprefix("codec:").partition("@")
    messages = (message,) if message else {**mutants(), **clause_mutants()}[name].messages
    return messages, None if messages else MOST_VECTORS


def test_each_mutant_of_clauses_is_named_by_one() -> None:
    named = {mutant.removeprefix("codec:") for _, _, mutant in NAMED}
    assert clause_mutants().keys() <= named


def test_mutants_of_clauses_are_no_others_and_say_what_they_do() -> None:
    assert clause_mutants().keys().isdisjoint(mutants())
    for mutant in clause_mutants().values():
        assert mutant.messages
        assert mutant.says().endswith(".")


def test_a_rule_that_does_not_look_there_catches_nothing() -> None:
    assert not caught("codec:RackLeftOut", "tags.ascending")
    assert not caught("codec:FlexibleOneVersionLate@SaslHandshakeRequest", "compact.array-count")


def test_a_mutant_that_is_not_there_is_no_proof() -> None:
    with pytest.raises(KeyError):
        caught("broker:Nobody", "tags.ascending")


def test_the_score_is_shown_and_counts_what_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    [clause] = select(["KIP-482/44"])
    assert show(score([clause])) == 0
    assert show([Shown("KIP-7/1", "codec:Sound", "tags.ascending", caught=False)]) == 1
    told = capsys.readouterr().out
    assert "codec:SizeBeforeTag" in told
    assert "tags.section-layout (must) caught" in told
    assert "MISSED" in told


EITHER = sorted(
    rule
    for rule in {rule for clause in select() if clause.either for rule in clause.rules}
    if catalogue()[rule].class_ == "must" and "broker" in catalogue()[rule].applies
)


@pytest.mark.parametrize("rule", EITHER)
def test_what_a_kip_says_passes_as_what_apache_kafka_does(rule: str) -> None:
    """The reference does as Apache Kafka does, and passes all rules in `test_broker_mutants`."""
    verdicts = broker_score.verdicts_of(stocked(ByTheKip(**broker_score.made_with(rule))), rule)
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


def test_a_broker_that_does_as_the_kip_says_breaks_rules_of_class_kafka_alone() -> None:
    broken = {
        verdict.rule
        for rule in broker_score.rules_with_questions()
        for verdict in broker_score.verdicts_of(
            stocked(ByTheKip(**broker_score.made_with(rule))), rule
        )
        if verdict.verdict != "pass"
    }
    assert broken == {"topics.duplicate-to-delete-refused", "topics.unknown-name-to-delete"}
    assert {catalogue()[rule].class_ for rule in broken} == {"kafka"}
