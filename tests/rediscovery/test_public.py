"""The list of public defects: each can be looked up, installed if it counts, and is found or not.

The releases are fetched and built, so that what judges them is no part of the usual run.
"""

import pytest

from conformance.rules import catalogue
from tests.rediscovery import page
from tests.rediscovery.public import BROKEN, answers, defects, listed, verdicts

TOLD = {"id", "library", "kind", "public", "messages", "what", "evidence"}
PINNED = {"broken", "mended", "trigger"}
FOUND = [one for one in defects() if one.rule]


def test_each_defect_says_what_it_is_and_where_that_is_public():
    assert [one for one in listed() if not one.keys() >= TOLD] == []
    assert [one for one in listed() if not one["public"].startswith("https://")] == []
    assert {one["kind"] for one in listed()} == {"codec", "client"}


def test_each_that_counts_has_two_releases_and_what_shows_it():
    counted = [one for one in listed() if not one.get("excluded")]
    assert [one for one in counted if not one.keys() >= PINNED] == []
    assert [one for one in counted if one["broken"] == one["mended"]] == []
    assert len(counted) >= 60


def test_no_defect_is_listed_twice():
    told = [(one["library"], one["public"], one["what"]) for one in listed()]
    assert len(set(told)) == len(told)
    assert len({one["id"] for one in listed()}) == len(told)


def test_each_answer_is_of_one_listed_defect_and_says_one_thing():
    assert answers().keys() <= {one.id for one in defects()}
    assert [
        key for key, one in answers().items() if bool(one.get("rule")) == ("missed" in one)
    ] == []
    assert {one.rule for one in FOUND} <= catalogue().keys()


@pytest.mark.parametrize("defect", FOUND, ids=str)
def test_the_broken_release_fails_where_the_mended_one_passes(defect, tmp_path):
    broken, mended = (verdicts(defect, target, tmp_path) for target in defect.releases)
    shown = {case for case, told in broken.items() if told & BROKEN}
    assert shown, f"{defect.what} ({defect.public}): {broken}"
    assert {case for case in shown if mended.get(case) == {"pass"}}
    assert {case for case, told in mended.items() if told & BROKEN} <= shown


def test_the_page_says_what_the_list_says():
    said = page.PAGE.read_text("utf-8"), page.LINE.read_text("utf-8")
    remedy = "python -m tests.rediscovery.page"
    assert said == ("\n".join(page.page()) + "\n", page.line() + "\n"), remedy
