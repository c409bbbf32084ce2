"""The cases of a quick run: few, of what the target has, and together as telling as all."""

from functools import reduce
from operator import or_

import pytest

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.mutants import mutants, unseen
from conformance.codecs.mutants.baselines import BASELINES
from conformance.codecs.quick.choosing import (
    MOST_REQUESTS,
    Candidate,
    cover,
    declared,
    quick_families,
    selected,
    whole_run,
)
from conformance.codecs.quick.table import table
from conformance.codecs.run import run
from conformance.codecs.score import quick_score, quick_verdicts, wrong
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.data import vector_messages
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.releases import form_for
from conformance.testee_protocol import OPS, Hello, Support
from tests.codecs.mutants.test_mutants import PROOF
from tests.proof.figures import marked_lines, quick_line

THREE = {
    "ApiVersionsRequest": ((0, 3),),
    "ApiVersionsResponse": ((0, 3),),
    "MetadataRequest": ((1, 1), (9, 9)),
    "MetadataResponse": ((1, 1), (9, 9)),
    "FindCoordinatorRequest": ((0, 4),),
    "FindCoordinatorResponse": ((0, 4),),
}
RECORDS = ("records", "message-sets")


def hello_of(messages, ops=OPS, unknown_tags="kept", **other):
    support = {name: Support(versions, frozenset(ops)) for name, versions in messages.items()}
    known = {"name": "x", "version": "1", "ops": frozenset(ops), "unknown_tags": unknown_tags}
    return Hello(**known, messages=support, **other)


def cases_of(hello):
    """The chosen cases of a target, without their control cases."""
    found = (family for each in quick_families(hello).values() for family in each)
    return [case for family in found for case in family.cases if case.rules]


def requests_of(hello):
    found = (family for each in quick_families(hello).values() for family in each)
    return [case.request for family in found for case in family.cases if case.is_asked]


def test_every_mutant_is_caught_by_its_own_rule_as_the_readme_tells():
    table = quick_score()
    assert sorted(line.mutant for line in table) == sorted({**mutants(), **unseen()})
    assert [line for line in table if not line.caught or line.errors] == []
    assert quick_line(table) in marked_lines(PROOF)


def test_the_reference_passes_what_mutants_fail():
    verdicts = quick_verdicts(PlainCodec(), *catalogue())
    assert {verdict.verdict for verdict in verdicts} == {"pass", "note"}
    assert wrong(verdicts) == []


def test_of_a_codec_that_has_all_there_are_few_cases_and_each_message_is_asked():
    hello = ObjectTarget(ReferenceCodec()).hello
    assert 500 < len(requests_of(hello)) <= MOST_REQUESTS + 3_000
    asked = {case.request.message for case in cases_of(hello)}
    assert [name for name in vector_messages() if name not in asked] == []


def test_each_version_of_each_message_is_read_and_written_filled():
    hello = ObjectTarget(ReferenceCodec()).hello
    asked = {
        (case.request.message, case.request.version, case.request.op)
        for case in cases_of(hello)
        if case.id.count("/") == 1  # no edit of a message
    }
    lacking = [
        (name, version, op)
        for name in table().messages
        if name != "Records"  # which no rule asks to be written in the format of batches
        for low, high in hello.messages[name].versions
        for version in range(low, high + 1)
        for op in ("decode", "encode")
        if op in hello.messages[name].ops
        and (name, version, op) not in asked
        and (form := form_for("4.4.0", name, version))
        and form.layout.fields  # without fields nothing can differ
        and form.layout.fields  # without any there is nothing to tell
    ]
    assert lacking == []


@pytest.mark.parametrize("op", ["encode-request", "decode-request"])
def test_a_frame_of_each_request_is_asked_as_its_api_key_is_in_no_body(op):
    hello = ObjectTarget(ReferenceCodec()).hello
    asked = {case.request.message for case in cases_of(hello) if case.request.op == op}
    requests = {name for name in table().messages if name.endswith("Request")}
    assert requests - asked == set()


class WrongInOneVersion(ReferenceCodec):
    """Reads and writes one version of one message without its last field."""

    message, version = "", -1

    def hello(self):
        return {**super().hello(), "unknownTags": "kept"}

    def decode(self, message, version, data):
        value, left = super().decode(message, version, data)
        return self._changed(message, version, value), left

    def _changed(self, message, version, value):
        if (message, version) == (self.message, self.version):
            value.pop(list(value)[-1])
        return value


@pytest.mark.parametrize(
    ("message", "version"),
    [("ListOffsetsRequest", 4), ("OffsetFetchResponse", 6), ("CreateTopicsRequest", 3)],
)
def test_what_is_wrong_in_one_version_of_one_message_is_seen(message, version):
    codec = WrongInOneVersion()
    codec.message, codec.version = message, version
    target = ObjectTarget(codec)
    found = quick_families(target.hello)[message]
    verdicts = list(run(iter(found), target, catalogue()))
    broken = {each.version for each in verdicts if each.verdict in BROKEN}
    assert broken == {version}


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.__name__)
def test_a_codec_that_does_nothing_fails_and_passes_next_to_nothing(baseline):
    target = ObjectTarget(baseline())
    found = (family for each in quick_families(target.hello).values() for family in each)
    verdicts = list(run(found, target, catalogue()))
    broken = sum(verdict.verdict in BROKEN for verdict in verdicts)
    passed = {verdict.case for verdict in verdicts if verdict.verdict == "pass"}
    assert broken > len(verdicts) / 3
    assert len(passed) <= len({verdict.case for verdict in verdicts}) / 50


@pytest.mark.parametrize("ops", [OPS, ("roundtrip",), ("decode", "encode")], ids=str)
def test_what_a_few_messages_can_show_is_shown(ops):
    """Of versions and operations that the table need not have."""
    hello = hello_of(THREE, ops)
    cases = {case.id for case in cases_of(hello)}
    shown = [each for each in declared(hello) if each.case in cases]
    assert {case.request.message for case in cases_of(hello)} == set(THREE)
    assert len(cases) > 50
    every = reduce(or_, (each.catches for each in declared(hello))).bit_count()
    assert reduce(or_, (each.catches for each in shown)).bit_count() > 0.85 * every
    assert all(hello.supports(request) or is_undeclared(request) for request in requests_of(hello))


def is_undeclared(request):
    low, *_, high = [edge for pair in THREE[request.message] for edge in (*pair, *pair)]
    return not low <= request.version <= high


class ThreeMessages:
    """Any mutant through an adapter that declares three APIs."""

    def around(self, mutant):
        codec = mutant()
        said = codec.hello()
        said["messages"] = {name: said["messages"][name] for name in THREE}
        codec.hello = lambda: said
        return codec


def test_mutants_are_caught_through_an_adapter_of_three_apis():
    everywhere = [
        mutant
        for mutant in mutants().values()
        if not mutant.messages and mutant.breaks.partition(".")[0] not in RECORDS
    ]
    caught = [
        mutant.__name__
        for mutant in everywhere
        if wrong(quick_verdicts(ThreeMessages().around(mutant), mutant.breaks))
    ]
    assert len(caught) > 0.75 * len(everywhere)


def test_a_codec_that_drops_tags_is_asked_what_it_can_be():
    hello = hello_of(THREE, unknown_tags="dropped")
    assert all(case.is_asked for case in cases_of(hello))
    assert len(cases_of(hello)) > 50


def test_a_codec_without_messages_of_the_table_is_asked_nothing():
    assert quick_families(hello_of({"NoSuchRequest": ((0, 1),)})) == {}


def test_control_cases_are_asked_and_nothing_else_is():
    for family in (f for each in quick_families(hello_of(THREE)).values() for f in each):
        controls = {at for case in family.cases if case.rules for at in case.control_cases}
        for at, case in enumerate(family.cases):
            assert not case.is_asked or case.rules or at in controls


def test_of_what_was_chosen_a_part_can_be_selected():
    rule = "tags.size-is-plain-length"
    every = [f for each in quick_families(hello_of(THREE)).values() for f in each]
    of_rule = Selection(rules={rule: catalogue()[rule]})
    found = [case for f in every if (part := selected(f, of_rule)) for case in part.cases]
    assert {case.rules for case in found} == {(rule,), ()}
    of_version = Selection(rules=catalogue(), versions=frozenset({9}))
    left = [f.vector for f in every if selected(f, of_version)]
    assert left
    assert all("-v9-" in vector for vector in left)


def test_the_whole_run_is_counted_by_the_versions_that_are_declared():
    one, two = hello_of({"HeartbeatRequest": ((0, 0),)}), hello_of({"HeartbeatRequest": ((0, 4),)})
    assert 0 < whole_run(one) < whole_run(two) / 3


@pytest.mark.parametrize("ops", [OPS, ("decode", "encode"), ("roundtrip",)])
def test_the_whole_run_is_estimated_by_the_operations_that_are_declared(ops):
    versions = dict.fromkeys(("HeartbeatRequest", "FetchRequest", "ListOffsetsResponse"), ((0, 3),))
    hello = hello_of(versions, ops)
    made = (
        case
        for name in versions
        for family in families(read_vectors(name), hello, Selection(rules=catalogue()))
        for case in family.cases
    )
    count = sum(bool(case.rules) for case in made)
    assert whole_run(hello) == pytest.approx(count, rel=0.1)


def test_few_cover_all_the_most_telling_first():
    candidates = [
        Candidate("a", "A", 0b0001),
        Candidate("b", "A", 0b0111),
        Candidate("c", "B", 0b1100),
        Candidate("d", "B", 0b0000),
    ]
    assert [each.case for each in cover(candidates)] == ["b", "c"]
    assert cover([]) == []
