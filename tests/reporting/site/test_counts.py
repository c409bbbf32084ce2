"""Counts as cells and as short texts."""

from collections import Counter

import pytest

from conformance.reporting.site.counts import LETTERS, SIGNS, cell, packed_versions
from conformance.results.lines import VERDICTS


@pytest.mark.parametrize(
    ("verdicts", "sign", "text"),
    [
        ({}, "·", "not asked"),
        ({"unsupported": 3}, "⊘", "unsupported"),
        ({"pass": 1204}, "✓", "1,204"),
        ({"pass": 9, "fail": 1, "unsupported": 5}, "✗", "1 of 10"),
        ({"pass": 9, "hang": 1}, "‼", "1 of 10"),
        ({"not-proven": 4}, "?", "not proven"),
        ({"not-proven": 4, "pass": 1}, "✓", "1, ? 4"),
        ({"note": 2}, "~", "2 noted"),
        ({"error": 2, "pass": 1}, "!", "2 errors"),
    ],
)
def test_a_cell_says_in_a_sign_and_in_words_what_its_colour_says(verdicts, sign, text):
    made = cell(Counter(verdicts))
    assert (made.sign, made.text) == (sign, text)


def test_versions_that_got_the_same_are_told_together():
    same = Counter({"pass": 3})
    versions = {0: same, 1: same, 2: same, 4: Counter({"pass": 2, "fail": 1}), -1: same}
    assert packed_versions(versions) == "-1-2:p3;4:p2f1"


def test_every_verdict_has_a_letter_and_a_sign():
    assert set(LETTERS) == set(SIGNS) == set(VERDICTS)
    assert len(set(LETTERS.values())) == len(VERDICTS)
