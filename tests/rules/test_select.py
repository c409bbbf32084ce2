"""Rules are picked by globs of ids and by classes, and a slip of the pen is no empty run."""

from pathlib import Path

import pytest

from conformance.errors import ConformanceError
from conformance.rules import read, select

RULES = """
[[rule]]
id = "{group}.{what}"
class = "{class_}"
applies = ["codec-decode"]
statement = "A rule."
breach = "breaks a rule"
source = "KIP-0"
rationale = "Someone loses something."
harm = "Nobody is hurt."
harm_level = "nobody"
"""


@pytest.fixture(autouse=True)
def small_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(group: str, *rules: tuple[str, str]) -> None:
        tables = [RULES.format(group=group, what=what, class_=class_) for what, class_ in rules]
        (tmp_path / f"{group}.toml").write_text("".join(tables))

    write("compact", ("string-length", "must"), ("padded-length", "lenient"))
    write("tags", ("unknown-skipped", "must"), ("unknown-kept", "kafka"))
    small = read(tmp_path)
    monkeypatch.setattr("conformance.rules.catalogue", lambda: small)


def ids(patterns: tuple[str, ...] = (), classes: tuple[str, ...] = ()) -> list[str]:
    return [rule.id for rule in select(patterns, classes)]


def test_everything_is_selected_without_a_pattern() -> None:
    assert ids() == [
        "compact.string-length",
        "compact.padded-length",
        "tags.unknown-skipped",
        "tags.unknown-kept",
    ]


def test_id_selects_one_rule() -> None:
    assert ids(("tags.unknown-kept",)) == ["tags.unknown-kept"]


def test_glob_selects_a_group() -> None:
    assert ids(("tags.*",)) == ["tags.unknown-skipped", "tags.unknown-kept"]


def test_glob_selects_across_groups() -> None:
    assert ids(("*-length",)) == ["compact.string-length", "compact.padded-length"]


def test_several_patterns_add_up_in_the_order_of_the_catalogue() -> None:
    assert ids(("tags.unknown-kept", "*.string-*")) == [
        "compact.string-length",
        "tags.unknown-kept",
    ]


def test_classes_narrow_the_selection() -> None:
    assert ids(("tags.*",), ("kafka", "lenient")) == ["tags.unknown-kept"]


def test_pattern_and_class_may_exclude_each_other() -> None:
    assert ids(("compact.*",), ("harden",)) == []


def test_unknown_rule_is_refused_with_a_near_one() -> None:
    with pytest.raises(
        ConformanceError, match=r"no rule matches 'tags\.unknown-keep'.*unknown-kept"
    ):
        select(["tags.*", "tags.unknown-keep"])


def test_unknown_class_is_refused() -> None:
    with pytest.raises(ConformanceError, match=r"no class of rules 'should' .*must, kafka"):
        select(classes=["should"])
