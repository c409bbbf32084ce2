"""What is made while a target is waited for is asked in the same order."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.case import Family
from conformance.codecs.gate import MOST_AHEAD as MOST
from conformance.codecs.gate import Ahead

FAMILIES = [Family(str(number), ()) for number in range(MOST + 3)]


def test_families_come_in_their_order_whenever_they_were_made():
    ahead = Ahead(FAMILIES)
    first = [next(ahead), next(ahead)]
    assert ahead.make_one()
    assert [*first, *ahead] == FAMILIES


def test_no_more_are_made_than_may_wait():
    made: list[Family] = []

    def making() -> Iterator[Family]:
        for family in FAMILIES:
            made.append(family)
            yield family

    ahead = Ahead(making())
    while ahead.make_one():
        assert len(made) <= MOST
    assert made == FAMILIES[:MOST]
    assert list(ahead) == FAMILIES
    assert not ahead.make_one()
