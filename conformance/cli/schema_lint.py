"""`kafka-conformance schema lint`: the faults of definitions, each finding with its line."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli import grouped
from conformance.cli.common import examples
from conformance.cli.schema_shown import judging


@grouped.command(
    "lint",
    epilog=examples(
        "schema lint 4.4.0",
        "schema lint kafka-clients-4.4.0.jar",
        "schema lint src/main/resources/common/message --profile kafka",
        "schema lint FetchRequest.json --rule 'definitions.tag*'",
    ),
)
@click.argument("places", nargs=-1, required=True, metavar="DIR|JAR|FILE|RELEASE...")
@judging
@click.pass_context
def command(
    ctx: click.Context,
    places: tuple[str, ...],
    rules: tuple[str, ...],
    classes: tuple[str, ...],
    messages: tuple[str, ...],
    profile: str,
    results: Path | None,
    quiet: bool,
) -> None:
    """Judge message definitions: a folder of them, a jar, a file, or a stored release.

    Several places are taken together, as the jars of one release are. Ends with 1 where a rule of
    the profile was broken, with 3 where there was nothing to judge.
    """
    from conformance.cli.schema_shown import show
    from conformance.definitions.lint.linting import lint
    from conformance.definitions.run import DefinitionRun, judge, rules_of
    from conformance.results.files import check_writable
    from conformance.schema.text.texts import texts_at

    if results is not None:
        check_writable(results)
    asked = DefinitionRun(
        op="lint",
        target=", ".join(Path(place).resolve().name for place in places),
        version="",
        again=["schema", "lint", *places],
        rules=rules_of(["definitions"], rules, classes),
        messages=messages,
        profile=profile,
        results=results,
    )
    found = judge(asked, lint(text for place in places for text in texts_at(place)))
    show(asked, found, quiet)
    ctx.exit(found.exit_code)
