"""A clause that waits for rules which the catalogue has by now is found out."""

import pytest

from conformance.rules import Applies, Rule
from conformance.rules.clauses import Clause, Kind, ToCome, overdue


def rule(rule_id: str, shorthand: str, *applies: Applies) -> Rule:
    return Rule(
        id=rule_id,
        class_="must",
        applies=applies,
        statement="A rule.",
        source="KIP-7",
        rationale="Someone loses something.",
        group="tags",
        shorthand=(shorthand,),
    )


CATALOGUE = [
    rule("tags.size", "TG-16", "codec-decode"),
    rule("tags.both", "TG-11", "codec-decode", "broker"),
]
EVERYBODY: tuple[Kind, ...] = ("codec", "broker", "client")
TO_COME = {s: ToCome(applies=EVERYBODY, about="Something.") for s in ("TG-16", "TG-24")}


@pytest.fixture(autouse=True)
def small_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in CATALOGUE}
    monkeypatch.setattr("conformance.rules.clauses.catalogue", lambda: rules)
    monkeypatch.setattr("conformance.rules.clauses.to_come", lambda: TO_COME)


def lines(planned: Kind, *shorthand: str) -> list[str]:
    waiting = Clause(id="KIP-7/1", section="", text="", planned=(planned,), shorthand=shorthand)
    return list(overdue(waiting))


def test_clause_waits_while_one_of_its_rules_is_to_come() -> None:
    assert lines("codec", "TG-24") == lines("codec", "TG-16", "TG-24") == []


def test_rule_that_is_there_is_named() -> None:
    assert lines("codec", "TG-16") == [
        "KIP-7/1 waits for rules about a codec, and none is to come; TG-16 is tags.size"
    ]


def test_rule_about_a_codec_is_none_about_a_broker() -> None:
    assert lines("broker", "TG-16") == []
    assert lines("broker", "TG-11") != []
