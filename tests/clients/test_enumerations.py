"""Numbers that stand for one of a list: a wrong one is a wrong request, and told as that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.requests.enumerations import ENUMERATIONS, Enumeration
from conformance.clients.score import meet, verdicts_of
from conformance.dialogue import Broken
from conformance.reference.client import Client
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Layout

CODEC = ReferenceCodec()
RULE = "client-requests.numbers-as-meant"
ROWS = [(api, each) for api, rows in ENUMERATIONS.items() for each in rows]


def request_with(row: Enumeration, number: int) -> Any:
    """A request that has this number where the row says, and what the row counts by."""
    by, texts = row.where or ("", frozenset())
    text = min(texts, default="")
    value: Any = {row.path[-1]: number, by: [text] if by.endswith("Keys") else text}
    for name in reversed(row.path[:-1]):
        value = {name: [value]}
    return value


def names(row: tuple[str, Enumeration]) -> str:
    return f"{row[0]}-{'-'.join(row[1].path)}"


@pytest.mark.parametrize("api_and_row", ROWS, ids=names)
def test_a_number_that_is_not_on_the_list_is_wrong(api_and_row) -> None:
    _, row = api_and_row
    assert f"{row.path[-1]} is 99, and there is but" in row.wrong_in(request_with(row, 99))


@pytest.mark.parametrize("api_and_row", ROWS, ids=names)
def test_each_number_on_the_list_is_right_where_none_was_asked_for(api_and_row) -> None:
    _, row = api_and_row
    unasked = replace(row, meant=None)
    assert not any(unasked.wrong_in(request_with(unasked, number)) for number in row.names)


@pytest.mark.parametrize(
    "api_and_row", [each for each in ROWS if each[1].meant is not None], ids=names
)
def test_another_number_of_the_list_is_wrong_where_one_was_asked_for(api_and_row) -> None:
    _, row = api_and_row
    other = next(number for number in row.names if number != row.meant)
    assert "was asked for" in row.wrong_in(request_with(row, other))
    assert row.meant is not None
    assert not row.wrong_in(request_with(row, row.meant))


@pytest.mark.parametrize("api_and_row", ROWS, ids=names)
def test_each_field_is_one_of_the_newest_definition_or_an_older_one(api_and_row) -> None:
    api, row = api_and_row
    message = f"{api}Request"
    forms = [CODEC.form(message, version) for version in CODEC.versions(message)]
    assert any(has(form.layout, row.path) for form in forms)


def has(layout: Layout | None, path: tuple[str, ...]) -> bool:
    """True if a struct has the field at this path, within the elements of lists."""
    fields = (*layout.fields, *layout.tagged) if layout else ()
    found = next((each.type for each in fields if each.name == path[0]), None)
    inside = found.element if found and found.element else found
    return inside is not None and (len(path) == 1 or has(inside.struct, path[1:]))


def test_the_place_is_named_within_lists() -> None:
    [row] = [each for each in ENUMERATIONS["CreateAcls"] if "Pattern" in each.path[-1]]
    value = {"creations": [{row.path[-1]: 3}, {row.path[-1]: 2}]}
    assert row.wrong_in(value).startswith("creations[1].resourcePatternType is 2, and there is but")


def test_a_refusal_of_a_wrong_number_is_no_misread_answer() -> None:
    mutant = client_mutants()["MatchForLiteral"]
    rules = [RULE, "client-versions.each-version-read", "client-requests.asked-as-given"]
    found = verdicts_of(mutant, rules)
    acls = [each for each in found if each.message == "CreateAclsRequest"]
    assert {each.rule for each in acls if each.verdict == "fail"} == {RULE}
    assert {each.verdict for each in acls if each.rule != RULE} == {"not-proven"}


def test_the_place_and_both_meanings_are_told() -> None:
    visit = meet(client_mutants()["DescribesWhatMatches"](), scenarios()["OneOfDescribeAcls"])
    with pytest.raises(Broken, match=r"patternTypeFilter is 2 \(MATCH\), and 3 \(LITERAL\) was"):
        ALWAYS[RULE](visit)


def test_the_reference_sends_what_it_means() -> None:
    for name in ("OneOfCreateAcls", "OneOfAlterConfigs", "EndOfCommitted", "Transacts"):
        ALWAYS[RULE](meet(Client(), scenarios()[name]))
