"""A target is called what a person would call it, whichever way it was given."""

from __future__ import annotations

import pytest

from conformance.results.naming import file_name, full_name, short_name
from conformance.results.text import json_text


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("-- python3 my/driver.py {bootstrap}", "driver.py"),
        ("-- ./my-proxy {listen} {upstream}", "my-proxy"),
        ("-- env A=1 node --flag t.js", "t.js"),
        ("-- python3", "python3"),
        ("adapter:Codec", "adapter:Codec"),
        ("mypackage.codec:Codec", "mypackage"),
        ("mypackage.mutants:Off", "Off"),
        ("../definitions/mine/", "mine"),
        ("localhost:9092", "localhost:9092"),
        ("kafka:4.3.1", "kafka:4.3.1"),
        ("mutant:Off", "mutant:Off"),
        ("kio@0.6.5", "kio@0.6.5"),
    ],
)
def test_a_target_has_a_short_name(target: str, name: str):
    assert short_name(target) == name


@pytest.mark.parametrize(
    ("target", "introduced", "name"),
    [
        ("kio@0.6.5", "kio 0.6.5", "kio 0.6.5"),
        ("mine:Codec", "mine 1", "mine 1"),
        ("-- ./my-testee", "my-codec 1.2", "my-testee (my-codec 1.2)"),
        ("-- ./driver {bootstrap}", "-- ./driver {bootstrap}", "driver"),
        ("-- ./my-proxy {listen}", "127.0.0.1:4567", "my-proxy"),
        ("localhost:9092", "localhost:9092", "localhost:9092"),
    ],
)
def test_what_it_tells_of_itself_stands_beside_it(target: str, introduced: str, name: str):
    assert full_name(target, introduced) == name


def test_a_file_is_named_after_it():
    assert file_name("mine:Codec") == "mine-Codec"
    assert file_name("-- node ./a/t.js --flag") == "t.js"


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (None, "null"), ("a", '"a"'), (b"\1", '"01"'), ({(1, 2): 3}, "{(1, 2): 3}")],
)
def test_a_value_is_shown_as_json_shows_it(value: object, text: str):
    assert json_text(value) == text
