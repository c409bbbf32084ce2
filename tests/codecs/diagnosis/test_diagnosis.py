"""A failing codec is told by name where it answers as one of ours does, and never by a guess."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby

import msgspec
import pytest

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import Vector, all_vectors, read_vectors
from conformance.codecs.diagnosis import search
from conformance.codecs.diagnosis.diagnosis import diagnose
from conformance.codecs.diagnosis.line_up import Memory
from conformance.codecs.diagnosis.search import Diagnoses
from conformance.codecs.diagnosis.suspects import codec_of, suspects, who_answers
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.baselines import RejectsAll
from conformance.codecs.mutants.habits.drafts import unlisted
from conformance.codecs.mutants.habits.together import together
from conformance.codecs.mutants.mutant import Mutant
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec, Value
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Form, WireType
from conformance.testee_protocol import Hello, Outcome, Request
from conformance.wire.errors import TagError
from conformance.wire.reader import Reader

MOST_VECTORS = 12
THREE = ("ApiVersionsRequest", "MetadataResponse", "FindCoordinatorResponse")
TAGGED = ("ApiVersionsResponse", "FetchSnapshotRequest", "HeartbeatRequest")
CHANGED = ("ApiVersionsResponse", "MetadataRequest", "SaslAuthenticateRequest", "FetchRequest")
SIZE = "tags.size-is-plain-length"
SAYS = "takes the size of a tagged field for N + 1, as the lengths of compact types are"


def verdicts_of(codec: object, messages: Iterable[str]) -> tuple[list[Verdict], Hello]:
    """All verdicts of a codec on some messages, under the profile that fails for most."""
    return judged(codec, [vector for message in messages for vector in read_vectors(message)])


def judged(codec: object, vectors: Sequence[Vector]) -> tuple[list[Verdict], Hello]:
    verdicts, hello = asked(codec, vectors)
    return list(verdicts), hello


def asked(codec: object, vectors: Sequence[Vector]) -> tuple[Iterator[Verdict], Hello]:
    target, everything = ObjectTarget(codec), Selection(rules=catalogue())
    cases = (
        family
        for _, same in groupby(vectors, key=lambda vector: vector.message)
        for family in families(list(same), target.hello, everything)
    )
    return run(cases, target, catalogue(), "kafka"), target.hello


def led_by(kind: type[Mutant]) -> str:
    """The rule that tells most of a habit, "" of a draft."""
    return str(getattr(kind, "led_by", ""))


def diagnosed(verdicts: Iterable[Verdict], hello: Hello) -> Diagnoses:
    symptoms, causes = Symptoms(), Causes()
    for verdict in verdicts:
        symptoms.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    nameless = msgspec.structs.replace(hello, name="")
    return diagnose(symptoms, causes.sorts(), hello, memory_of(msgspec.json.encode(nameless)))


@lru_cache(maxsize=1)
def memory_of(hello: bytes) -> Memory:
    """What suspects have answered; most targets here declare the same, and share it."""
    return Memory(msgspec.json.decode(hello, type=Hello))


def texts(found: Diagnoses) -> set[str]:
    """What was said."""
    return set(found.explained.texts.values())


def names(found: Diagnoses) -> set[str]:
    """The suspects that were named."""
    return {text.rsplit(" ", 1)[1].rstrip(")") for text in texts(found)}


def explained(found: Diagnoses) -> set[str]:
    """The rules with a failure that has an explanation."""
    return {rule for rules, _ in found.explained.texts for rule in rules}


@cache
def vectors_by_rule() -> dict[str, list[Vector]]:
    found: dict[str, list[Vector]] = {}
    for vector in all_vectors():
        for rule in vector.covers:
            found.setdefault(rule, []).append(vector)
    return found


def deciding(rule: str) -> list[Vector]:
    """The vectors that decide a rule, or such as it is asked about by changing them."""
    some = (vector for message in CHANGED for vector in read_vectors(message))
    return vectors_by_rule().get(rule) or list(some)


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


@pytest.mark.parametrize("name", BY_VECTORS[::20])
def test_a_mutant_is_told_by_its_name(name: str) -> None:
    """Unless it refuses all that is wrong here, as others do."""
    mutant = mutants()[name]
    verdicts, hello = judged(mutant(), a_few(mutant))
    outcomes = {each.outcome for each in verdicts if each.verdict in BROKEN}
    few = len({each.case for each in verdicts if each.verdict in BROKEN}) < 2
    assert name in names(diagnosed(verdicts, hello)) or outcomes == {"rejected"} or few


HABITS = [
    name
    for name, each in unlisted().items()
    if led_by(each) and catalogue()[led_by(each)].class_ != "lenient"
]


@pytest.mark.parametrize("name", HABITS)
def test_a_habit_breaks_the_rule_that_tells_most_of_it(name: str) -> None:
    habit = unlisted()[name]
    assert any(
        verdict.rule == led_by(habit) and verdict.verdict in BROKEN
        for verdict in asked(habit(), deciding(led_by(habit)))[0]
    )


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
    assert explained(found) == {each.rule for each in verdicts if each.verdict in BROKEN}
    assert not found.note


@pytest.mark.parametrize("op", ["decode", "encode", "decode-response"])
def test_who_stands_for_a_suspect_in_an_operation_answers_alike(op: str) -> None:
    vectors, hello = read_vectors("ApiVersionsResponse"), ObjectTarget(PlainCodec()).hello
    every = [c for f in families(vectors, hello, Selection(rules=catalogue())) for c in f.cases]
    asked = [case.request for case in every if case.is_asked and case.request.op == op]
    for name in list(suspects())[::5]:
        few = random.Random(name).sample(asked, 8)
        assert answers(who_answers((name,), op), few) == answers((name,), few), name


def answers(names: tuple[str, ...], requests: Iterable[Request]) -> list[Outcome]:
    return list(ObjectTarget(codec_of([suspects()[name] for name in names], "")).ask(requests))


def test_a_diagnosis_is_a_sentence() -> None:
    found = diagnosed(*verdicts_of(mutants()["TagSizePlusOne"](), TAGGED))
    assert texts(found) == {f"a codec that {SAYS} (mutant TagSizePlusOne)"}


class WritesOneMore(Mutant):
    """Writes the size of a tag as N + 1, and reads it as N."""

    is_listed = False
    Writes = vars(mutants()["TagSizePlusOne"])["Writes"]


def test_a_defect_of_the_writer_alone_is_told_as_such() -> None:
    found = diagnosed(*verdicts_of(WritesOneMore(), TAGGED))
    assert texts(found) == {f"a codec that {SAYS}, writing alone (mutant TagSizePlusOne)"}


class Unlisted(Mutant):
    """A codec of these tests, which is none of the suspects."""

    is_listed = False


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


def test_a_suspect_that_explains_its_own_rule_in_part_is_not_named() -> None:
    found = diagnosed(*verdicts_of(TwoDefects(), TAGGED))
    assert "TagSizePlusOne" not in names(found)


def test_without_that_part_it_has_one() -> None:
    verdicts, hello = verdicts_of(TwoDefects(), TAGGED)
    found = diagnosed((v for v in verdicts if v.message != "HeartbeatRequest"), hello)
    assert names(found) == {"TagSizePlusOne"}
    assert SIZE in explained(found)


def test_a_codec_that_refuses_everything_looks_like_nobody() -> None:
    assert not texts(diagnosed(*verdicts_of(RejectsAll(), TAGGED)))


class RefusesInOneMessage(Unlisted):
    """Refuses unknown tags in one message and takes them in all others."""

    messages = ("HeartbeatRequest",)

    class Reads(unlisted()["UnknownTagsRefused"].Reads):  # type: ignore[misc]
        pass


def test_refusals_look_like_nobody_who_refuses_what_the_target_takes() -> None:
    verdicts, hello = verdicts_of(RefusesInOneMessage(), TAGGED)
    assert "tags.unknown-skipped" in {each.rule for each in verdicts if each.verdict in BROKEN}
    assert "tags.unknown-skipped" not in explained(diagnosed(verdicts, hello))


class FewTagsTaken(Unlisted):
    """Refuses tags above 100, and a defect elsewhere that is none of the suspects'."""

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            count = super().tag_count(here)
            if count > 100:
                raise TagError(f"{count} tagged fields", here, self.offset)
            return count

        def plain_length(self, type_: WireType, path: str) -> int:
            return super().plain_length(type_, path) ^ 1


def test_refusals_prove_nothing_where_other_failures_are_unexplained() -> None:
    verdicts, hello = verdicts_of(FewTagsTaken(), ["HeartbeatRequest"])
    assert any("thousand" in each.rule for each in verdicts if each.verdict in BROKEN)
    assert not texts(diagnosed(verdicts, hello))


def test_each_of_two_defects_is_named_even_where_one_changes_the_other() -> None:
    kinds = [mutants()[name] for name in ("TagsUntilTheEnd", "NeighboursSwapped")]
    found = diagnosed(*verdicts_of(together(*kinds)(), THREE))
    assert names(found) == {kind.__name__ for kind in kinds}


def test_what_rests_on_one_case_is_not_told() -> None:
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    failed = {each.case for each in verdicts if each.verdict in BROKEN}
    one = min(failed)
    kept = [each for each in verdicts if each.case == one or each.case not in failed]
    assert not texts(diagnosed(kept, hello))


def test_a_case_that_passed_speaks_against_a_suspect() -> None:
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    right, _ = verdicts_of(PlainCodec(), TAGGED[:1])
    mixed = [each for each in verdicts if each.message != TAGGED[0]] + right
    assert "TagSizePlusOne" not in names(diagnosed(mixed, hello))


def test_a_right_codec_has_nothing_to_explain() -> None:
    found = diagnosed(*verdicts_of(PlainCodec(), TAGGED))
    assert not texts(found)
    assert not found.note


def test_a_codec_that_ends_looks_like_one_that_ends() -> None:
    found = diagnosed(*verdicts_of(mutants()["HugeLengthEndsProcess"](), ["HeartbeatRequest"]))
    assert "HugeLengthEndsProcess" in names(found)


def test_a_hang_looks_like_nobody() -> None:
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    one = next(each for each in verdicts if each.verdict == "fail" and each.rule == SIZE)
    hung = msgspec.structs.replace(one, verdict="hang", outcome="hung", actual="hung:")
    sorts = diagnosed([*verdicts, hung], hello).explained.texts
    kinds = {key[0] for _, keys in sorts for key in keys}
    assert kinds
    assert "hang" not in kinds


def test_a_codec_that_drops_tags_is_told_as_well() -> None:
    codec = mutants()["TagSizePlusOne"]()
    codec.drops_tags = True
    said = {**codec.hello(), "unknownTags": "dropped"}
    codec.hello = lambda: said  # type: ignore[method-assign]
    found = diagnosed(*verdicts_of(codec, TAGGED))
    assert SIZE in explained(found)
    assert names(found) == {"TagSizePlusOne"}


def test_the_suspects_follow_the_release_of_the_target() -> None:
    """CreateTopicsRequest lost versions 0 and 1 with Kafka 4."""
    codec = mutants()["StringLengthOfFourBytes"]("3.9.2")
    verdicts, hello = verdicts_of(codec, ["CreateTopicsRequest", "ListGroupsResponse"])
    assert hello.definitions == "3.9.2"
    assert {each.version for each in verdicts if each.verdict in BROKEN} >= {0, 1}
    assert names(diagnosed(verdicts, hello)) == {"StringLengthOfFourBytes"}


class SafeIntegers(Mutant):
    """Refuses an INT64 that a double does not hold."""

    is_listed = False

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> object:
            value = super().fixed(kind, path)
            if kind == "int64" and abs(value) > 2**53:
                raise TagError("no safe integer", path, self.offset)
            return value


def test_what_looks_like_nobody_is_told_by_what_its_messages_have_in_common() -> None:
    messages = ("InitProducerIdResponse", "ListTransactionsRequest", "HeartbeatResponse")
    verdicts, hello = verdicts_of(SafeIntegers(), messages)
    found = diagnosed(verdicts, hello)
    assert not texts(found)
    assert set(found.explained.where.values()) == {"an INT64 takes more than 53 bits"}
    causes = Causes()
    for verdict in verdicts:
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    [finding, *_] = causes.findings((), found.explained)
    assert ", where an INT64 takes more than 53 bits: refused" in finding.cause


def test_the_order_of_messages_does_not_matter() -> None:
    forth, hello = verdicts_of(mutants()["SizeBeforeTag"](), TAGGED)
    by_case = [list(same) for _, same in groupby(forth, key=lambda each: each.case)]
    random.Random(1).shuffle(by_case)
    other = diagnosed([each for same in by_case for each in same], hello)
    assert other.explained == diagnosed(forth, hello).explained


@pytest.mark.parametrize("most", [1, 1000])
def test_what_there_was_no_room_for_is_told_and_not_guessed(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_WORK", most)
    verdicts, hello = verdicts_of(mutants()["TagSizePlusOne"](), TAGGED)
    found = diagnosed(verdicts, hello)
    assert not texts(found)
    assert found.note.startswith("the diagnosis was cut short: ")


@pytest.mark.parametrize("side", ["", ", writing"])
def test_strings_of_two_functions_one_of_which_is_wrong_are_one_cause(side: str) -> None:
    """As codecs have them that write what may be null with a function of its own."""
    kind = suspects()[f"CompactStringsPlainUnlessNullable{side}"]
    verdicts, hello = verdicts_of(codec_of([kind], ""), ["JoinGroupRequest"])
    found = diagnosed(verdicts, hello)
    assert names(found) == {"CompactStringsPlainUnlessNullable"}
    assert explained(found) == {each.rule for each in verdicts if each.verdict in BROKEN}


@pytest.mark.parametrize("kind", ["CompactLengthsPlain", "CompactLengthsPlain, writing"])
def test_the_classic_defect_is_one_finding_that_names_it(kind: str) -> None:
    """Of compact lengths without the one, in a codec of three messages."""
    verdicts, hello = verdicts_of(codec_of([suspects()[kind]], ""), THREE)
    found = diagnosed(verdicts, hello)
    assert names(found) == {"CompactLengthsPlain"}
    assert explained(found) == {each.rule for each in verdicts if each.verdict in BROKEN}
