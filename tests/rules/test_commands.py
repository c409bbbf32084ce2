"""The commands on the pages of rules can be typed as they stand."""

from __future__ import annotations

import re
import shlex

import click

from conformance.cli import main
from conformance.rule_pages.pages import Defects, rule_pages
from conformance.rules import catalogue, select

SAID = re.compile(r"^kafka-conformance .*$", re.MULTILINE)


def test_each_command_has_these_options_and_judges_by_this_rule() -> None:
    pages = [*rule_pages(catalogue().values(), Defects())]
    assert len(pages) == len(catalogue())
    for page, text in pages:
        lines = SAID.findall(text)
        assert lines, page
        for line in lines:
            words = shlex.split(line)[1:]
            parse(main, words)
            named = words[words.index("--rule") + 1] if "--rule" in words else words[-1]
            assert [rule.id for rule in select([named])] == [page.removesuffix(".md")], line


def parse(command: click.Command, words: list[str]) -> None:
    """What click makes of a command line, down to the command that would run."""
    context = command.make_context(None, list(words))
    while isinstance(command, click.Group):
        left = context._protected_args + context.args
        name, found, words = command.resolve_command(context, left)
        assert found is not None
        command = found
        context = command.make_context(name, words, parent=context)
