"""A clause that nothing decides, or that names what is not there, is refused with its place."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from conformance.errors import ConformanceError
from conformance.rules import Rule, RuleClass
from conformance.rules.clauses import Clause, Kip, read

HEAD = 'kip = "KIP-7"\ntitle = "A title"\n'
SOUND = """
[[clause]]
id = "KIP-7/{number}"
section = "A section"
text = "{text}"
{more}
"""
ASKED = 'rules = ["tags.sound"]'
BY_KAFKA = 'rules = ["tags.loud"]\nmutants = { "tags.loud" = ["codec:TagsLoud"] }'
DECIDED = ASKED + '\nmutants = { "tags.sound" = ["codec:TagsUnsound"] }'

Read = Callable[[str], dict[str, Kip]]


def rule(rule_id: str, class_: RuleClass = "must") -> Rule:
    return Rule(
        id=rule_id,
        class_=class_,
        applies=("codec-decode",),
        statement="A rule.",
        breach="breaks a rule",
        source="KIP-7",
        rationale="Someone loses something.",
        harm="Nobody is hurt.",
        harm_level="nobody",
        group="tags",
    )


RULES = {"tags.sound": rule("tags.sound"), "tags.loud": rule("tags.loud", "kafka")}


def table(more: str = ASKED, number: int = 1, text: str = "A clause.") -> str:
    return SOUND.format(number=number, text=text, more=more)


@pytest.fixture
def read_toml(tmp_path: Path) -> Read:
    def read_file(text: str) -> dict[str, Kip]:
        (tmp_path / "kip-7.toml").write_text(text, encoding="utf-8")
        return read(tmp_path, RULES)

    return read_file


def only(found: dict[str, Kip]) -> Clause:
    [clause] = found["KIP-7"].clauses
    return clause


@pytest.mark.parametrize(
    ("more", "status"),
    [
        (ASKED, "undecided"),
        (DECIDED, "decided"),
        (BY_KAFKA + '\nleaves = "How loud."', "decided"),
        (ASKED + '\neither = "Both pass."', "either"),
        ('disputed = "A later KIP took it back."', "disputed"),
        ('unobservable = "A metric."', "unobservable"),
    ],
)
def test_sound_clause_is_read(read_toml: Read, more: str, status: str) -> None:
    clause = only(read_toml(HEAD + table(more)))
    assert (clause.id, clause.section, clause.text) == ("KIP-7/1", "A section", "A clause.")
    assert clause.status == status


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (table(""), "neither rules nor a reason"),
        (table('rules = ["tags.unsound"]'), "there is no rule 'tags.unsound'"),
        (table('rules = ["tags.sound", "tags.sound"]'), "`rules` holds 'tags.sound' twice"),
        (table(ASKED + '\nmutants = { "tags.loud" = ["codec:A"] }'), "is not among `rules`"),
        (table(ASKED + '\nmutants = { "tags.sound" = ["proxy:A"] }'), "does not say whose mutant"),
        (table(ASKED + '\nmutants = { "tags.sound" = ["A"] }'), "does not say whose mutant"),
        (table(ASKED + '\nmutants = { "tags.sound" = [] }'), "no mutant"),
        (table(DECIDED + '\neither = "Both pass."'), "and yet mutants are named"),
        (table(ASKED + '\neither = "A."\ndisputed = "B."'), "either and disputed at once"),
        (table(ASKED + '\nunobservable = "A metric."'), "and yet rules ask about it"),
        (table(DECIDED + '\nleaves = "A detail."'), "of class kafka alone"),
        (table(BY_KAFKA), "of class kafka alone"),
        (table(DECIDED + '\nsource = "KIP-7"'), "unknown field `source`"),
        (table(text="No full stop"), "full stop"),
        (table(text="Two  blanks."), "spare blanks"),
        (table(number=2), "stands where KIP-7/1 is due"),
    ],
)
def test_flaw_is_named_with_file_and_clause(read_toml: Read, text: str, reason: str) -> None:
    with pytest.raises(ConformanceError) as refused:
        read_toml(HEAD + text)
    assert "kip-7.toml, KIP-7/" in str(refused.value)
    assert reason in str(refused.value)


@pytest.mark.parametrize("numbers", [(1, 3), (1, 1), (2, 1)])
def test_numbers_go_up_one_by_one(read_toml: Read, numbers: tuple[int, int]) -> None:
    with pytest.raises(ConformanceError, match="is due"):
        read_toml(HEAD + "".join(table(number=number) for number in numbers))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[clause]\n", "line 1"),
        (table(), "`kip` or `title`"),
        (HEAD, r"\[\[clause\]\] tables, or none"),
        (HEAD + "clause = 7", r"\[\[clause\]\] tables, or none"),
        (HEAD + 'date = "today"\n' + table(), "other things"),
    ],
)
def test_broken_file_is_named(read_toml: Read, text: str, reason: str) -> None:
    with pytest.raises(ConformanceError, match=rf"kip-7\.toml.*{reason}"):
        read_toml(text)


def test_kips_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (511, 4, 35):
        text = (HEAD + table()).replace("KIP-7", f"KIP-{number}")
        (tmp_path / f"kip-{number}.toml").write_text(text)
    assert list(read(tmp_path, RULES)) == ["KIP-4", "KIP-35", "KIP-511"]


def test_clause_cannot_be_changed(read_toml: Read) -> None:
    clause = only(read_toml(HEAD + table()))
    with pytest.raises(AttributeError):
        clause.text = "Another."  # type: ignore[misc]
    assert msgspec.structs.replace(clause, text="Another.") != clause
