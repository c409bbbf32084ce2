"""`kafka-conformance rules`: the demands of the suite, and their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.markup import escape
from rich.table import Column, Table

from conformance.cli.common import as_json_option, console, examples, options, print_json
from conformance.rules import Rule, catalogue, select
from conformance.rules.clauses import Clause, asking, coverage
from conformance.rules.clauses import select as select_clauses
from conformance.rules.examples import examples as rule_examples
from conformance.rules.examples.exchanges import exchanges
from conformance.rules.pages import pages

_filters = options(
    click.option(
        "--class",
        "classes",
        multiple=True,
        metavar="CLASS",
        help="List rules of this class alone. Repeatable.",
    ),
    click.option(
        "--applies",
        multiple=True,
        metavar="TARGET",
        help="List rules for this target alone: codec, codec-decode, codec-encode, broker, client, "
        "schema. Repeatable.",
    ),
    click.option(
        "--group",
        "groups",
        multiple=True,
        metavar="GROUP",
        help="List rules of this group alone. Repeatable.",
    ),
)


@click.group(
    "rules",
    epilog=examples("rules list 'tags.*'", "rules show tags.ascending", "rules clauses KIP-482"),
)
def command() -> None:
    """List the rules, show one in full, or see where they come from."""


@command.command(
    "list",
    epilog=examples(
        "rules list 'tags.*' --class must", "rules list --applies broker", "rules list --disputed"
    ),
)
@click.argument("patterns", nargs=-1, metavar="[ID...]")
@_filters
@click.option("--disputed", is_flag=True, help="List what is disputed alone, with who holds what.")
@as_json_option
def list_rules(
    patterns: tuple[str, ...],
    classes: tuple[str, ...],
    applies: tuple[str, ...],
    groups: tuple[str, ...],
    disputed: bool,
    as_json: bool,
) -> None:
    """List rules by id (globs), class, target and group."""
    rules = select(patterns, classes, applies, groups)
    rules = [rule for rule in rules if rule.disputed] if disputed else rules
    if as_json:
        print_json(map(_rule_as_json, rules))
        return
    table = Table(Column("rule", overflow="fold"), "class", "statement")
    for rule in rules:
        opposed = f"\ndisputed: {rule.disputed}" if disputed else ""
        table.add_row(rule.id, rule.class_, escape(rule.statement + opposed))
    out = console()
    out.print(table)
    out.print("1 rule" if len(rules) == 1 else f"{len(rules)} rules")


@command.command("show", epilog=examples("rules show tags.ascending", "rules show 'tags.*' --json"))
@click.argument("patterns", nargs=-1, required=True, metavar="ID...")
@as_json_option
def show_rules(patterns: tuple[str, ...], as_json: bool) -> None:
    """Show rules with source, rationale, what to do, and an example in bytes."""
    rules = select(patterns)
    if as_json:
        print_json(map(_rule_in_full, rules))
        return
    out = console()
    for rule in rules:
        out.print(f"[bold]{rule.id}[/] ({rule.class_}; {', '.join(rule.applies)})")
        for name, text in _details(rule):
            out.print(f"  {name}: {escape(text)}", soft_wrap=True)
        if example := rule_examples().get(rule.id) or exchanges().get(rule.id):
            out.print("  example:")
            for line in example.lines():
                out.print(f"    {escape(line)}", soft_wrap=True, highlight=False)


@command.command("clauses", epilog=examples("rules clauses KIP-482", "rules clauses KIP-482/45"))
@click.argument("names", nargs=-1, metavar="[KIP...]")
@as_json_option
def list_clauses(names: tuple[str, ...], as_json: bool) -> None:
    """List the clauses of the KIPs, and what decides each."""
    clauses = select_clauses(names)
    if as_json:
        print_json({**msgspec.to_builtins(clause), "status": clause.status} for clause in clauses)
        return
    table = Table("clause", "status", "text", "decided by")
    for clause in clauses:
        table.add_row(clause.id, clause.status, escape(_clause_text(clause)), _decided_by(clause))
    out = console()
    out.print(table)
    out.print(coverage(clauses))


@command.command("pages", epilog=examples("rules pages docs/rules", "rules pages site/rule --each"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "--each", is_flag=True, help="Write a page for every rule instead, to stand beside those."
)
@click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Tell of the newest of these published reports, with --each.",
)
def write_pages(folder: Path, each: bool, reports: Path | None) -> None:
    """Write the catalogue and the clauses as pages (Markdown)."""
    if reports and not each:
        raise click.UsageError("--reports is for --each")
    folder.mkdir(parents=True, exist_ok=True)
    written = _each_page(reports) if each else pages()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    click.echo(f"{len(written)} pages in {folder}")


def _each_page(reports: Path | None) -> dict[str, str]:
    """Return a page for every rule, and the list of them."""
    from conformance.rule_pages.in_releases import public_issues, seen
    from conformance.rule_pages.pages import Defects, rule_index, rule_pages

    known = Defects(seen(reports) if reports else None, public_issues())
    return {"README.md": rule_index(), **dict(rule_pages(catalogue().values(), known))}


def _details(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield the parts of a rule's description, each with its name."""
    yield "statement", rule.statement
    yield "breach", rule.breach
    yield "source", rule.source
    yield "rationale", rule.rationale
    lists = {
        "harm": [rule.harm] if rule.harm else [],
        "what to do": [rule.remedy] if rule.remedy else [],
        "disputed": [rule.disputed] if rule.disputed else [],
        "bugs": rule.bugs,
        "clauses": [clause.id for clause in asking(rule.id)],
        "no example": [why] if (why := rule.not_shown) else [],
    }
    yield from ((name, ", ".join(entries)) for name, entries in lists.items() if entries)


def _clause_text(clause: Clause) -> str:
    return f"{clause.text} ({clause.note})" if clause.note else clause.text


def _decided_by(clause: Clause) -> str:
    rules = (
        f"{rule} ({catalogue()[rule].class_}): {', '.join(clause.mutants[rule])}"
        if rule in clause.mutants
        else rule
        for rule in clause.rules
    )
    return escape("\n".join([*([clause.why] if clause.why else []), *rules]))


def _rule_as_json(rule: Rule) -> dict[str, Any]:
    clauses = [clause.id for clause in asking(rule.id)]
    return {**msgspec.to_builtins(rule), "clauses": clauses}


def _rule_in_full(rule: Rule) -> dict[str, Any]:
    example = rule_examples().get(rule.id) or exchanges().get(rule.id)
    if example is None:
        return _rule_as_json(rule)
    rows = [msgspec.structs.asdict(row) for row in example.rows]
    return {**_rule_as_json(rule), "example": {**msgspec.to_builtins(example), "rows": rows}}
