"""Minting: Apache Kafka and the reference agree, and the files come out as they are committed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.campaigns.minting.measure import measured
from conformance.campaigns.minting.mint import Disagreement, all_drafts, golden, mint
from conformance.codecs.cases.decides import covers
from conformance.codecs.cases.vectors import Vector, all_vectors, read_vectors
from conformance.codecs.resolve import open_target
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.data import data_root
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import whole_releases
from conformance.testee_protocol import Outcome, Support


@pytest.fixture(scope="module")
def oracles():
    opened = {release: open_target(f"kafka-clients@{release}") for release in whole_releases()}
    yield opened
    for target in opened.values():
        target.close()


@pytest.mark.java
def test_minting_again_gives_the_committed_vectors(oracles):
    vectors, against = golden(mint(oracles))
    assert against == []
    claimed = {vector.id: vector for vector in vectors}
    committed = {vector.id: vector for vector in all_vectors()}
    assert claimed.keys() == committed.keys()
    for identifier, vector in committed.items():
        assert set(vector.covers) <= set(claimed[identifier].covers)
        assert replace(vector, covers=()) == replace(claimed[identifier], covers=())


@pytest.mark.parametrize(
    "message", ["ApiVersionsResponse", "FindCoordinatorRequest", "VoteRequest"]
)
def test_vectors_cover_what_a_mutant_of_each_rule_fails(message):
    drafts = [d for d in all_drafts() if d.form.message == message]
    claimed = {draft.id: covers(draft.evidence) for draft in drafts}
    committed = read_vectors(message)
    claims = [replace(vector, covers=claimed[vector.id]) for vector in committed]
    assert measured(claims) == list(committed)


class _Wrong(ObjectTarget):
    """An oracle that writes one more byte in one message."""

    def ask(self, requests):
        for request, outcome in ((r, o) for r in requests for o in super(_Wrong, self).ask([r])):
            if request.message == "HeartbeatRequest" and request.version == 4:
                yield Outcome(outcome="value", bytes=(outcome.bytes or b"") + b"\x00")
            else:
                yield outcome


def test_an_oracle_that_disagrees_makes_no_vector():
    oracles = {}
    for release in whole_releases():
        oracles[release] = _Wrong(ReferenceCodec(release))
        support = oracles[release].hello.messages
        kept = {name: support[name] for name in ("HeartbeatRequest",)}
        support.clear()
        support.update(kept)
    minted = list(mint(oracles))
    disputed = {item.id for item in minted if isinstance(item, Disagreement)}
    agreed = {item.id for item in minted if isinstance(item, Vector)}
    assert disputed
    assert all(identifier.startswith("HeartbeatRequest-v4-") for identifier in disputed)
    assert not disputed & agreed
    assert agreed == {
        vector.id for vector in read_vectors("HeartbeatRequest") if vector.version != 4
    }


def test_a_form_is_minted_only_where_all_of_its_releases_have_an_oracle():
    only = {"4.4.0": ObjectTarget(ReferenceCodec("4.4.0"))}
    forms = {item.releases for item in mint(only) if isinstance(item, Vector)}
    assert forms == {("4.4.0",)}


def test_drafts_have_unique_ids():
    ids = [draft.id for draft in all_drafts()]
    assert len(ids) == len(set(ids))


def test_every_committed_vector_is_planned():
    planned = {draft.id for draft in all_drafts()}
    assert {vector.id for vector in all_vectors()} <= planned


def test_support_is_by_operation():
    support = Support(versions=((0, 3),), ops=frozenset({"decode"}))
    assert support.covers(3, "decode")
    assert not support.covers(3, "encode")
    assert not support.covers(4, "decode")


def test_vectors_folder_is_where_the_data_is():
    assert Path(str(data_root() / "vectors")).is_dir()
