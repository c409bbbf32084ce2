"""`kafka-conformance rules`: what the suite demands, and why."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from conformance.cli.common import console, examples
from conformance.rules import select


@click.group("rules", epilog=examples("rules list 'tags.*'", "rules show tags.ascending"))
def command() -> None:
    """List the rules, or show one in full."""


@command.command("list", epilog=examples("rules list 'tags.*' --class must"))
@click.argument("patterns", nargs=-1, metavar="[ID...]")
@click.option("--class", "classes", multiple=True, metavar="CLASS", help="Only this class.")
def list_rules(patterns: tuple[str, ...], classes: tuple[str, ...]) -> None:
    """List rules by id (globs)."""
    table = Table("rule", "class", "statement")
    for rule in select(patterns, classes):
        table.add_row(rule.id, rule.class_, escape(rule.statement))
    console().print(table)


@command.command("show", epilog=examples("rules show tags.ascending"))
@click.argument("patterns", nargs=-1, required=True, metavar="ID...")
def show_rules(patterns: tuple[str, ...]) -> None:
    """Show rules with source and rationale."""
    out = console()
    for rule in select(patterns, ()):
        out.print(f"[bold]{rule.id}[/] ({rule.class_}; {', '.join(rule.applies)})")
        for name in ("statement", "source", "rationale", "disputed"):
            if text := getattr(rule, name):
                out.print(f"  {name}: {escape(text)}", soft_wrap=True)
        if rule.bugs:
            out.print(f"  bugs: {', '.join(rule.bugs)}", soft_wrap=True)
