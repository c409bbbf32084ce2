"""The help of every command: options in groups, whole sentences, and examples that parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import import_module

import click
import pytest

from conformance.cli.group import COMMANDS
from conformance.cli.grouped import GROUPS, OTHERS, GroupedCommand, GroupedOption

MOST_UNGROUPED = 6


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by its words, those of groups among them."""
    for name in COMMANDS:
        found = import_module(f"conformance.cli.{name}").command
        yield name, found
        if isinstance(found, click.Group):
            yield from ((f"{name} {each}", command) for each, command in found.commands.items())


ALL = dict(commands())
SINGLE = {name: each for name, each in ALL.items() if not isinstance(each, click.Group)}
every_command = pytest.mark.parametrize("name", SINGLE)


def options(name: str) -> list[click.Option]:
    return [each for each in SINGLE[name].params if isinstance(each, click.Option)]


@every_command
def test_an_option_is_told_of_in_a_whole_sentence(name: str) -> None:
    for option in options(name):
        said = (option.help or "").partition("  [default:")[0]
        first = said.partition(" ")[0]
        assert first.istitle(), (option.name, said)
        assert first not in {"A", "An", "Only", "Of", "The", "What", "Where", "Whose"}, said
        assert len(said.split()) >= 3, said
        assert said.endswith("."), said


@every_command
def test_many_options_are_in_groups(name: str) -> None:
    loose = [each for each in options(name) if not isinstance(each, GroupedOption)]
    assert len(loose) <= MOST_UNGROUPED
    if isinstance(SINGLE[name], GroupedCommand):
        assert not loose
    elif len(options(name)) > MOST_UNGROUPED:
        pytest.fail("group them")


@every_command
def test_an_example_has_words_that_its_command_takes(name: str) -> None:
    text = (SINGLE[name].epilog or "").partition("Examples:")[2]
    told = [line.strip().removeprefix("kafka-conformance ") for line in text.splitlines() if line]
    assert told
    taken = {flag for option in options(name) for flag in (*option.opts, *option.secondary_opts)}
    for line in told:
        words = shlex.split(line.partition(" < ")[0], comments=True)
        assert words[: len(name.split())] == name.split()
        ours = words[: words.index("--")] if "--" in words else words
        flags = {word for word in ours if word.startswith("-") and word != "-"}
        assert flags <= taken, line


@every_command
def test_the_help_has_every_option_once_and_fits(name: str) -> None:
    context = click.Context(SINGLE[name], info_name=name, terminal_width=80, max_content_width=80)
    lines = context.get_help().partition("Examples:")[0].splitlines()
    assert max(map(len, lines)) <= 80
    told = [re.split(r"  |, |/| ", line[2:])[:3] for line in lines if line.startswith("  -")]
    for option in options(name):
        longest = max(option.opts, key=len)
        assert sum(longest in words for words in told) == 1, longest


def test_groups_come_in_one_order() -> None:
    context = click.Context(SINGLE["broker"], info_name="broker")
    lines = context.get_help().splitlines()
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == list(GROUPS)
    assert titles[-1] == OTHERS
