"""Ranges of versions: how they are written, and what can be asked of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.schema.versions import EVERY, MAX_VERSION, NONE, Versions

bounds = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)
ranges = st.one_of(
    st.just(NONE),
    bounds.map(lambda pair: Versions(*pair)),
    st.integers(0, 60).map(lambda low: Versions(low, MAX_VERSION)),
)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("0-3", 0, 3), ("2+", 2, MAX_VERSION), ("5", 5, 5), (" 1-2 ", 1, 2), ("7-7", 7, 7)],
)
def test_range_is_read(text: str, low: int, high: int) -> None:
    assert Versions.parse(text) == Versions(low, high)


def test_none_is_empty() -> None:
    assert not Versions.parse("none")
    assert list(Versions.parse("none")) == []


@pytest.mark.parametrize(
    "text", ["", "3-1", "-1", "1-", "+", "1++", "a", "0-3,5", "40000", "0-32768", "٣", "9" * 5000]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"range|integer string"):
        Versions.parse(text)


@given(ranges)
def test_range_is_written_as_it_is_read(versions: Versions) -> None:
    assert Versions.parse(str(versions)) == versions


@given(ranges, ranges)
def test_intersection_holds_what_both_hold(one: Versions, other: Versions) -> None:
    for version in (*range(62), MAX_VERSION):
        assert (version in (one & other)) == (version in one and version in other)


@given(ranges, ranges)
def test_a_range_lies_in_another_if_all_its_versions_do(one: Versions, other: Versions) -> None:
    inside = all(version in other for version in (*range(62), MAX_VERSION) if version in one)
    assert (one <= other) == inside


def test_every_range_lies_in_the_range_of_all() -> None:
    assert Versions(3, 9) <= EVERY
    assert NONE <= EVERY
