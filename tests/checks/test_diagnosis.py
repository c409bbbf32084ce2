"""A failing codec is told by name where it answers as one of ours does, and never by a guess."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby

import msgspec
import pytest

from conformance.cases.golden import Selection, families
from conformance.cases.vectors import Vector, all_vectors, read_vectors
from conformance.checks import diagnosis
from conformance.checks.diagnosis import Diagnoses, Symptoms, diagnose
from conformance.mutants import mutants
from conformance.mutants.baselines import RejectsAll
from conformance.mutants.drafts import unlisted
from conformance.mutants.mutant import Mutant
from conformance.protocol import Hello
from conformance.reference import PlainCodec, Value
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.run import run
from conformance.schema.layout import Form
from conformance.targets.in_process import ObjectTarget

MOST_VECTORS = 12
TAGGED = ("ApiVersionsResponse", "FetchSnapshotRequest", "HeartbeatRequest")
SIZE = "tags.size-is-plain-length"
SAYS = "takes the size of a tagged field for N + 1, as the lengths of compact types are"


def verdicts_of(codec: object, messages: Iterable[str]) -> tuple[list[Verdict], Hello]:
    """All verdicts of a codec on some messages, under the profile that fails for most."""
    return judged(codec, [vector for message in messages for vector in read_vectors(message)])


def judged(codec: object, vectors: Sequence[Vector]) -> tuple[list[Verdict], Hello]:
    target, everything = ObjectTarget(codec), Selection(rules=catalogue())
    cases = (
        family
        for _, same in groupby(vectors, key=lambda vector: vector.message)
        for family in families(list(same), target.hello, everything)
    )
    return list(run(cases, target, catalogue(), "kafka")), target.hello


def diagnosed(verdicts: Iterable[Verdict], hello: Hello) -> Diagnoses:
    symptoms, broken = Symptoms(), []
    for verdict in verdicts:
        symptoms.take(verdict)
        if verdict.verdict in BROKEN:
            broken.append(verdict)
    return diagnose(symptoms, broken, hello)


def names(found: Diagnoses) -> set[str]:
    """The suspects that were named."""
    return {text.rsplit(" ", 1)[1].rstrip(")") for text in found.by_rule.values()}


@cache
def vectors_by_rule() -> dict[str, list[Vector]]:
    found: dict[str, list[Vector]] = {}
    for vector in all_vectors():
        for rule in vector.covers:
            found.setdefault(rule, []).append(vector)
    return found


def a_few(mutant: type[Mutant]) -> list[Vector]:
    """Some of the vectors that decide a mutant's rule, from all over."""
    deciding = [
        vector
        for vector in vectors_by_rule()[mutant.breaks]
        if not mutant.messages or vector.message in mutant.messages
    ]
    step = max(len(deciding) / MOST_VECTORS, 1)
    return [deciding[int(at * step)] for at in range(min(MOST_VECTORS, len(deciding)))]


BY_VECTORS = [
    name
    for name, mutant in mutants().items()
    if catalogue()[mutant.breaks].class_ != "lenient" and mutant.breaks in vectors_by_rule()
]


@pytest.mark.parametrize("name", BY_VECTORS[::8])
def test_a_mutant_is_told_by_its_name(name: str) -> None:
    """Unless it refuses all that is wrong here, as others do."""
    mutant = mutants()[name]
    verdicts, hello = judged(mutant(), a_few(mutant))
    outcomes = {each.outcome for each in verdicts if each.verdict in BROKEN}
    assert name in names(diagnosed(verdicts, hello)) or outcomes == {"rejected"}


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("SectionBeginsStruct", TAGGED),
        ("TagHeaderInterleaved", TAGGED),
        ("EarlyTagSection", TAGGED),
        ("HeaderWithCompactClientId", ("HeartbeatRequest",)),
        ("FlexibleUnlessStated", ("SaslHandshakeRequest", "SaslHandshakeResponse")),
        ("TaggedArraysUnknown", ("ApiVersionsResponse",)),
        ("UnknownTagsRefused", ("HeartbeatRequest", "HeartbeatResponse")),
        ("ErrorIsVersionZero", ("ApiVersionsResponse",)),
        ("ShortValuesTaken", ("SaslAuthenticateRequest", "AddOffsetsToTxnRequest")),
    ],
)
def test_a_draft_or_habit_explains_every_rule_that_it_breaks(
    name: str, messages: tuple[str, ...]
) -> None:
    verdicts, hello = verdicts_of(unlisted()[name](), messages)
    found = diagnosed(verdicts, hello)
    assert names(found) == {name}
    assert found.by_rule.keys() == {each.rule for each in verdicts if each.verdict in BROKEN}
    assert not found.note


def test_a_diagnosis_is_a_sentence() -> None:
    found = diagnosed(*verdicts_of(mutants()["TagSizePlusOne"](), TAGGED))
    assert set(found.by_rule.values()) == {f"a codec that {SAYS} (mutant TagSizePlusOne)"}


class WritesOneMore(Mutant):
    """Writes the size of a tag as N + 1, and reads it as N."""

    listed = False
    Writes = vars(mutants()["TagSizePlusOne"])["Writes"]


def test_a_defect_of_the_writer_alone_is_told_as_such() -> None:
    found = diagnosed(*verdicts_of(WritesOneMore(), TAGGED))
    assert set(found.by_rule.values()) == {
        f"a codec that {SAYS}, writing alone (mutant TagSizePlusOne)"
    }


class Unlisted(Mutant):
    """A codec of these tests, which is none of the suspects."""

    listed = False


class TwoDefects(Unlisted):
    """Takes a tag's size for N + 1, and in one message for N + 2."""

    class Reads(mutants()["TagSizePlusOne"].Reads):  # type: ignore[misc]
        more = 0

        def tag_size(self, here: str) -> int:
            size: int = super().tag_size(here)
            return max(size - self.more, 0)

    class Writes(mutants()["TagSizePlusOne"].Writes):  # type: ignore[misc]
        more = 0

        def tag_size(self, size: int) -> None:
            super().tag_size(size + self.more)

    def write(self, form: Form, value: Value) -> bytes:
        self.Writes.more = int(form.message == "HeartbeatRequest")
        return super().write(form, value)

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        self.Reads.more = int(form.message == "HeartbeatRequest")
        return super().read(form, data, offset)


def test_a_rule_that_is_explained_in_part_has_no_diagnosis() -> None:
    found = diagnosed(*verdicts_of(TwoDefects(), TAGGED))
    assert SIZE not in found.by_rule


def test_without_that_part_it_has_one() -> None:
    verdicts, hello = verdicts_of(TwoDefects(), TAGGED)
    found = diagnosed((v for v in verdicts if v.message != "HeartbeatRequest"), hello)
    assert names(found) == {"TagSizePlusOne"}
    assert SIZE in found.by_rule


def test_a_codec_that_refuses_everything_looks_like_nobody() -> None:
    assert diagnosed(*verdicts_of(RejectsAll(), TAGGED)).by_rule == {}


class RefusesInOneMessage(Unlisted):
    """Refuses unknown tags in one message and takes them in all others."""

    messages = ("HeartbeatRequest",)

    class Reads(unlisted()["UnknownTagsRefused"].Reads):  # type: ignore[misc]
        pass


def test_refusals_look_like_nobody_who_refuses_what_the_target_takes() -> None:
    verdicts, hello = verdicts_of(RefusesInOneMessage(), TAGGED)
    assert "tags.unknown-skipped" in {each.rule for each in verdicts if each.verdict in BROKEN}
    assert "tags.unknown-skipped" not in diagnosed(verdicts, hello).by_rule


def test_refusals_alone_do_not_look_like_a_codec_that_lost_its_way() -> None:
    lost = mutants()["UnknownTagNotSkippedInElement"]
    verdicts, hello = verdicts_of(lost(), ["AddPartitionsToTxnRequest"])
    failed = [each for each in verdicts if each.verdict in BROKEN]
    assert {each.outcome for each in failed} == {"rejected"}
    assert lost.__name__ not in names(diagnosed(verdicts, hello))


def test_a_right_codec_has_nothing_to_explain() -> None:
    assert diagnosed(*verdicts_of(PlainCodec(), TAGGED)) == Diagnoses()


def test_a_codec_that_ends_looks_like_one_that_ends() -> None:
    found = diagnosed(*verdicts_of(mutants()["HugeLengthEndsProcess"](), ["HeartbeatRequest"]))
    assert "HugeLengthEndsProcess" in names(found)


def test_a_hang_looks_like_nobody() -> None:
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    one = next(each for each in verdicts if each.verdict == "fail" and each.rule == SIZE)
    hung = msgspec.structs.replace(one, verdict="hang", outcome="hung", actual="hung:")
    assert SIZE not in diagnosed([*verdicts, hung], hello).by_rule


def test_a_codec_that_drops_tags_is_told_as_well() -> None:
    codec = mutants()["TagSizePlusOne"]()
    codec.drops_tags = True
    said = {**codec.hello(), "unknownTags": "dropped"}
    codec.hello = lambda: said  # type: ignore[method-assign]
    found = diagnosed(*verdicts_of(codec, TAGGED))
    assert SIZE in found.by_rule
    assert names(found) == {"TagSizePlusOne"}


def test_the_suspects_follow_the_release_of_the_target() -> None:
    """CreateTopicsRequest lost versions 0 and 1 with Kafka 4."""
    codec = mutants()["StringLengthOfFourBytes"]("3.9.2")
    verdicts, hello = verdicts_of(codec, ["CreateTopicsRequest", "ListGroupsResponse"])
    assert hello.definitions == "3.9.2"
    assert {each.version for each in verdicts if each.verdict in BROKEN} >= {0, 1}
    assert names(diagnosed(verdicts, hello)) == {"StringLengthOfFourBytes"}


def test_the_order_of_messages_does_not_matter() -> None:
    forth, hello = verdicts_of(mutants()["SizeBeforeTag"](), TAGGED)
    by_case = [list(same) for _, same in groupby(forth, key=lambda each: each.case)]
    random.Random(1).shuffle(by_case)
    other = diagnosed([each for same in by_case for each in same], hello)
    assert list(other.by_rule.items()) == list(diagnosed(forth, hello).by_rule.items())


@pytest.mark.parametrize("most", [1, 400, 3000])
def test_what_was_not_asked_for_want_of_time_is_named_and_not_guessed(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "MOST_WORK", most)
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    found = diagnosed(verdicts, hello)
    assert found.left
    assert found.by_rule == {}
    assert found.note.startswith("the diagnosis was cut short: ")


def test_the_smallest_failures_of_each_kind_are_kept() -> None:
    verdicts, _ = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    symptoms = Symptoms()
    for verdict in verdicts:
        symptoms.take(verdict)
    few = symptoms.few(SIZE)
    kinds = {(each.op, each.outcome) for each in few}
    failed = [each for each in verdicts if each.rule == SIZE and each.verdict in BROKEN]
    assert kinds == {(each.op, each.outcome) for each in failed}
    assert len(few) <= 2 * len(kinds) < len(failed)
