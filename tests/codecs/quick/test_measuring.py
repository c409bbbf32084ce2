"""The committed table is what `measuring` makes, and what is in it is so."""

from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.mutants import mutants, unseen
from conformance.codecs.quick.measuring import Catching, OfMessage, measure, table_of, telling
from conformance.codecs.quick.table import FILE, TableError, read_table, table, text_of
from conformance.data import data_root, vector_messages
from conformance.rules import catalogue

MEASURED_AGAIN = ("ApiVersionsRequest", "HeartbeatResponse")


def test_every_message_is_measured_and_every_mutant_is_in_it():
    known = {(mutant.breaks, name) for name, mutant in {**mutants(), **unseen()}.items()}
    assert list(table().messages) == vector_messages()
    assert known - set(table().pairs) == set()
    assert {rule for rule, _ in table().pairs} <= set(catalogue())
    assert {name for _, name in table().pairs} <= {name for _, name in known}


def test_the_table_names_vectors_that_there_are():
    for message, measured in table().messages.items():
        vectors = {vector.id for vector in read_vectors(message)}
        named = {f"{message}-{case.partition('/')[0]}" for case, _ in measured.cases}
        assert named <= vectors
        assert measured.versions.keys() <= {v.version for v in read_vectors(message)}


@pytest.mark.parametrize("message", MEASURED_AGAIN)
def test_a_message_that_is_measured_again_is_as_the_table_has_it(message):
    again = table_of({message: measure(message)})
    assert named(again, message) == named(table(), message)
    assert again.messages[message].versions == table().messages[message].versions


def named(of, message):
    """The cases of a message with their pairs by name."""
    return [
        (case, {of.pairs[at] for at in numbers}) for case, numbers in of.messages[message].cases
    ]


def test_the_file_is_as_it_is_written():
    file = data_root() / "vectors" / FILE
    assert isinstance(file, Traversable)
    assert file.read_text("utf-8") == text_of(table())


def test_the_shortest_of_those_that_tell_as_much_is_taken_of_each_side():
    one, two = ("r", "One"), ("r", "Two")
    catching = [
        Catching("M-v0-long/decode", 9, frozenset({one, two})),
        Catching("M-v0-short/decode", 5, frozenset({one, two})),
        Catching("M-v0-less/roundtrip", 1, frozenset({one})),
        Catching("M-v0-less/encode", 1, frozenset({one})),
    ]
    found = [("M-v0-short/decode", frozenset({one, two})), ("M-v0-less/encode", frozenset({one}))]
    assert list(telling(catching)) == found
    made = table_of({"M": OfMessage({0: 3}, catching)}).messages["M"]
    assert made.cases == [("v0-short/decode", [0, 1]), ("v0-less/encode", [0])]


@pytest.mark.parametrize("text", ["", "{", '{"pairs": []}'])
def test_a_table_that_is_broken_is_refused_with_its_file(tmp_path: Path, text: str):
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(TableError, match=FILE):
        read_table(tmp_path)
    (tmp_path / FILE).unlink()
    with pytest.raises(TableError, match=FILE):
        read_table(tmp_path)
