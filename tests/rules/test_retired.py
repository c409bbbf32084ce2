"""What became of a rule that is gone or changed is told wherever its id is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.errors import ConformanceError
from conformance.results.known import Expectations, Known, read_known
from conformance.rules import catalogue, select
from conformance.rules.retired import Retired, read, retired_rules
from tests.results.making import verdict

GONE = Retired(id="tags.gone", replaced_by=("tags.ascending",), why="It was split.")
CHANGED = Retired(id="tags.ascending", replaced_by=("tags.ascending",), why="Its class is kafka.")
CASE = "filled/decode: MetadataRequest 9"
TABLE = """
[[retired]]
id = "tags.gone"
replaced_by = ["tags.ascending"]
why = "It was split."
"""


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {entry.id: entry for entry in (GONE, CHANGED)}
    for module in ("rules", "results.known"):
        monkeypatch.setattr(f"conformance.{module}.retired_rules", lambda: given)


def test_what_replaces_a_rule_is_a_rule() -> None:
    assert retired_rules()
    for entry in retired_rules().values():
        assert set(entry.replaced_by) <= set(catalogue()), entry.id
        assert entry.id in entry.replaced_by or entry.id not in catalogue(), entry.id


def test_a_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "retired.toml").write_text(TABLE)
    assert read(tmp_path / "retired.toml") == {"tags.gone": GONE}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TABLE + TABLE, "tags.gone: it is there twice"),
        (TABLE.replace("split.", "split"), "tags.gone: `why` is no sentence"),
        (TABLE.replace('g"]', 'g", "tags.ascending"]'), "holds an id twice"),
        (TABLE.replace("why", "reason"), "unknown field `reason`"),
    ],
)
def test_a_flaw_is_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "retired.toml").write_text(text)
    with pytest.raises(ConformanceError, match=r"retired\.toml") as refused:
        read(tmp_path / "retired.toml")
    assert reason in str(refused.value)


@pytest.mark.usefixtures("two")
def test_an_id_that_is_gone_is_refused_with_what_replaces_it() -> None:
    with pytest.raises(ConformanceError) as refused:
        select(["tags.gone"])
    told = "'tags.gone' is no rule any more (It was split. Now judged by tags.ascending)"
    assert str(refused.value) == told


@pytest.mark.usefixtures("two")
def test_a_list_that_names_it_is_read_and_told_what_replaces_it(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text('[[known]]\nrule = "tags.gone"\nverdict = "fail"\n')
    expectations = Expectations(read_known(tmp_path / "known.toml"))
    assert expectations.outdated() == ["tags.gone: It was split. Now judged by tags.ascending"]
    assert expectations.stale(partial=False) == []
    assert expectations.updated(partial=False) == ""


@pytest.mark.usefixtures("two")
def test_a_listed_rule_that_fails_no_more_since_its_class_changed_is_told_and_no_news() -> None:
    expectations = Expectations([Known(rule="tags.ascending", verdict="fail", cases=CASE)])
    expectations.take(verdict("note"))
    assert expectations.outdated() == ["tags.ascending: Its class is kafka."]
    assert expectations.stale(partial=False) == []


@pytest.mark.usefixtures("two")
def test_a_listed_rule_of_another_class_that_fails_as_before_is_not_told() -> None:
    expectations = Expectations([Known(rule="tags.ascending", verdict="fail", cases=CASE)])
    assert not expectations.take(verdict("fail"))
    assert expectations.outdated() == []
