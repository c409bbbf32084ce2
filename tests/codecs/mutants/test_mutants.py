"""Each mutant is caught by the rule that it breaks, on cases that the reference codec passes."""

from pathlib import Path

import pytest

from conformance.codecs.cases.rules_of_edits import DERIVED_RULES
from conformance.codecs.cases.vectors import all_vectors
from conformance.codecs.mutants import Mutant, mutants, unseen
from conformance.codecs.mutants.mutant import retyped
from conformance.codecs.resolve import open_target
from conformance.codecs.score import score, unseen_score, verdicts_of_rule, wrong
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.rules import catalogue
from conformance.schema.releases import form_for
from tests.proof.figures import PAGE, marked_lines, mutants_line, unseen_line

PROOF = (Path(__file__).parents[3] / PAGE).read_text("utf-8")
CODEC_RULES = [
    rule.id for rule in catalogue().values() if {"codec-decode", "codec-encode"} & set(rule.applies)
]


def test_each_mutant_is_caught_by_its_rule_as_the_proof_tells():
    table = score()
    assert sorted(line.mutant for line in table) == sorted(mutants())
    assert [line for line in table if line.rule != mutants()[line.mutant].breaks] == []
    assert [line for line in table if not line.caught or line.errors or line.cases > 4000] == []
    assert mutants_line(table) in marked_lines(PROOF)


def test_the_reference_passes_what_mutants_fail():
    asked = {(mutant.breaks, mutant.messages) for mutant in mutants().values()}
    verdicts = [verdict for each in asked for verdict in verdicts_of_rule(PlainCodec(), *each)]
    assert [each for each in verdicts if each.verdict not in ("pass", "note")] == []
    assert wrong(verdicts) == []


def test_each_rule_has_a_mutant_and_a_vector_that_decides_it():
    broken = {mutant.breaks for mutant in mutants().values()}
    covered = {rule for vector in all_vectors() for rule in vector.covers} | DERIVED_RULES
    assert [rule for rule in CODEC_RULES if rule not in broken] == []
    assert [rule for rule in CODEC_RULES if rule not in covered] == []


def test_each_mutant_names_a_living_rule_and_says_what_it_does():
    every = mutants().items()
    assert [name for name, mutant in every if mutant.breaks not in CODEC_RULES] == []
    assert [name for name, mutant in every if not one_sentence(mutant.says())] == []
    assert [name for name, mutant in every if mutant().hello()["name"] != f"mutant {name}"] == []


def one_sentence(text):
    return text.endswith(".") and ". " not in text


def test_a_lenient_rule_that_is_broken_is_a_note_that_shows_the_bytes():
    mutant = mutants()["PaddedVarintWrittenAgain"]
    marked_lines = wrong(verdicts_of_rule(mutant(), mutant.breaks))
    assert {verdict.verdict for verdict in marked_lines} == {"note"}
    assert {verdict.detail for verdict in marked_lines} == {"other bytes were written"}


def test_the_score_of_those_that_nobody_wrote_a_case_for_is_told_apart():
    table = unseen_score()
    assert sorted(line.mutant for line in table) == sorted(unseen())
    assert not unseen().keys() & mutants().keys()
    assert unseen_line(table) in marked_lines(PROOF)


def test_a_mutant_is_a_target_by_its_name():
    with open_target("conformance.codecs.mutants:TagSizePlusOne") as target:
        assert target.hello.name == "mutant TagSizePlusOne"
        assert target.hello.messages == ObjectTarget(PlainCodec()).hello.messages


def test_a_name_that_no_mutant_has_is_no_attribute():
    import conformance.codecs.mutants

    with pytest.raises(AttributeError, match="no mutant 'Nobody'"):
        conformance.codecs.mutants.Nobody  # noqa: B018


def test_a_mutant_without_a_defect_is_the_reference():
    form = form_for("4.4.0", "FetchRequest", 17)
    assert form is not None
    assert retyped(form, lambda type_, spot: type_) == form


def test_a_defect_of_bodies_leaves_headers_alone():
    mutant = mutants()["StringLengthOfFourBytes"]()
    header = {"correlationId": 1, "clientId": "me"}
    frame = mutant.encode_request("HeartbeatRequest", 0, header, BEAT)
    true = PlainCodec().encode_request("HeartbeatRequest", 0, header, BEAT)
    assert frame[:12] == true[:12]
    assert frame[12:] != true[12:]
    assert mutant.decode_request(frame) == PlainCodec().decode_request(true)


def test_a_defect_of_one_message_leaves_others_alone():
    mutant = mutants()["GenerationOfEightBytes"]()
    assert mutant.encode("SyncGroupRequest", 0, SYNC) == PlainCodec().encode(
        "SyncGroupRequest", 0, SYNC
    )
    assert mutant.encode("HeartbeatRequest", 0, BEAT) != PlainCodec().encode(
        "HeartbeatRequest", 0, BEAT
    )


def test_the_base_of_all_mutants_is_none_itself():
    assert Mutant not in mutants().values()


BEAT = {"groupId": "g", "generationId": 1, "memberId": "m"}
SYNC = {**BEAT, "assignments": []}
