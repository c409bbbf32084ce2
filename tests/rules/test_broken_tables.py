"""A broken table is refused, and the error says in which file, in which rule and why."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.errors import ConformanceError
from conformance.rules import Rule, read

Read = Callable[..., dict[str, Rule]]

SOUND = """
[[rule]]
id = "{id}"
class = "{class_}"
applies = {applies}
statement = "{statement}"
breach = "breaks what is sound"
source = "KIP-0"
rationale = "Someone loses something."
harm = "Nobody is hurt."
harm_level = "nobody"
{more}
"""


def table(
    rule_id: str = "tags.sound",
    class_: str = "must",
    applies: str = '["codec-decode"]',
    statement: str = "A sound rule.",
    more: str = "",
) -> str:
    return SOUND.format(id=rule_id, class_=class_, applies=applies, statement=statement, more=more)


@pytest.fixture
def read_toml(tmp_path: Path) -> Read:
    def read_files(**texts: str) -> dict[str, Rule]:
        for stem, text in texts.items():
            (tmp_path / f"{stem}.toml").write_text(text, encoding="utf-8")
        return read(tmp_path)

    return read_files


def test_sound_table_is_read(read_toml: Read) -> None:
    more = 'bugs = ["some-codec#7", "KAFKA-1"]'
    assert read_toml(tags=table(more=more)) == {
        "tags.sound": Rule(
            id="tags.sound",
            class_="must",
            applies=("codec-decode",),
            statement="A sound rule.",
            breach="breaks what is sound",
            source="KIP-0",
            rationale="Someone loses something.",
            harm="Nobody is hurt.",
            harm_level="nobody",
            bugs=("some-codec#7", "KAFKA-1"),
            group="tags",
        )
    }


def test_other_files_are_passed_over(read_toml: Read, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no rule")
    assert list(read_toml(tags=table())) == ["tags.sound"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (table(more='severity = "high"'), "unknown field `severity`"),
        (table(more='group = "tags"'), "`group` comes from the id"),
        (table().replace("hurt.", "hurt"), "`harm` does not end"),
        (table(more='harm_seen.crash = "ends"'), "`harm_seen.crash` is no sentence"),
        (table(more='harm_seen.boom = "It ends."'), "harm_seen"),
        (table().replace('"nobody"', '"high"'), "Invalid enum value 'high'"),
        (table().replace('harm = "Nobody is hurt."', ""), "missing required field `harm`"),
        (table().replace('breach = "breaks what is sound"', ""), "missing required field `breach`"),
        (table().replace("breaks what is sound", ""), "`breach` is empty"),
        (table().replace("breaks what", "Breaks what"), "`breach` is no clause"),
        (table().replace("breaks what", "break what"), "`breach` is no clause"),
        (table().replace("what is sound", "what is sound."), "`breach` is no clause"),
        (table().replace("what is sound", "what is sound" * 4), "`breach` has more than 55"),
        (table(class_="should"), "Invalid enum value 'should'"),
        (table(applies='["codec"]'), "Invalid enum value 'codec'"),
        (table(applies="[]"), "`applies` is empty"),
        (table(applies='["broker", "broker"]'), "holds 'broker' twice"),
        (table(statement=""), "`statement` is empty"),
        (table(statement="No full stop"), "full stop"),
        (table(statement="Two  blanks."), "spare blanks"),
        (table(more='bugs = ["a rumour"]'), "names no issue"),
        (table(more="bugs = [7]"), "Expected `str`, got `int`"),
        (table(more="disputed = true"), "Expected `str`, got `bool`"),
        (table().replace('source = "KIP-0"', ""), "missing required field `source`"),
        (table() + table(), "already taken"),
    ],
)
def test_flaw_is_named_with_file_and_rule(read_toml: Read, text: str, reason: str) -> None:
    with pytest.raises(ConformanceError) as refused:
        read_toml(tags=text)
    assert "tags.toml, rule tags.sound" in str(refused.value)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("rule_id", "reason"),
    [
        ("primitives.sound", "the id's group is 'primitives', the file's is 'tags'"),
        ("tags", "not of the form"),
        ("tags.Sound", "not of the form"),
        ("tags.sound_rule", "not of the form"),
        ("tags.sound.twice", "not of the form"),
        ("tags.sound-", "not of the form"),
    ],
)
def test_id_is_a_slug_in_the_group_of_its_file(read_toml: Read, rule_id: str, reason: str) -> None:
    with pytest.raises(ConformanceError) as refused:
        read_toml(tags=table(rule_id))
    assert f"rule {rule_id}" in str(refused.value)
    assert reason in str(refused.value)


def test_table_without_id_is_named_by_its_place(read_toml: Read) -> None:
    with pytest.raises(ConformanceError, match=r"rule number 2: .*missing required field `id`"):
        read_toml(tags=table() + table("tags.other").replace('id = "tags.other"', ""))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[rule]\n", "line 1"),
        ("", r"no \[\[rule\]\] table"),
        ("rule = 7", r"no \[\[rule\]\] table"),
        ("rule = [7]", "rule number 1: it is no table"),
        ('title = "Tags"\n' + table(), "unknown key 'title'"),
    ],
)
def test_broken_file_is_named(read_toml: Read, text: str, reason: str) -> None:
    with pytest.raises(ConformanceError, match=rf"tags\.toml.*{reason}"):
        read_toml(tags=text)
