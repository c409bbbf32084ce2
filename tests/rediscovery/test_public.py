"""The list of public defects: each can be looked up, and each that counts can be installed."""

import tomllib
from pathlib import Path

LIST = Path(__file__).with_name("public.toml")
DEFECTS = tomllib.loads(LIST.read_text("utf-8"))["defect"]
TOLD = {"library", "kind", "public", "messages", "what", "evidence"}
PINNED = {"broken", "mended", "trigger"}


def test_each_defect_says_what_it_is_and_where_that_is_public():
    assert [one for one in DEFECTS if not one.keys() >= TOLD] == []
    assert [one for one in DEFECTS if not one["public"].startswith("https://")] == []
    assert {one["kind"] for one in DEFECTS} == {"codec", "client"}


def test_each_that_counts_has_two_releases_and_what_shows_it():
    counted = [one for one in DEFECTS if not one.get("excluded")]
    assert [one for one in counted if not one.keys() >= PINNED] == []
    assert [one for one in counted if one["broken"] == one["mended"]] == []
    assert len(counted) >= 60


def test_no_defect_is_listed_twice():
    told = [(one["library"], one["public"], one["what"]) for one in DEFECTS]
    assert len(set(told)) == len(told)
