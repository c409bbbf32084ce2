"""`kafka-conformance schema diff`: forbidden changes from one release to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli import grouped
from conformance.cli.common import console, examples
from conformance.cli.schema_shown import judging
from conformance.errors import NothingSelected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.definitions.evolution.facts import Fact


@grouped.command(
    "diff",
    epilog=examples(
        "schema diff 4.3.1 4.4.0",
        "schema diff kafka-clients-4.3.1.jar kafka-clients-4.4.0.jar --profile kafka",
        "schema diff 4.4.0 src/main/resources/common/message --message FetchRequest",
    ),
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@judging
@click.pass_context
def command(
    ctx: click.Context,
    old: str,
    new: str,
    rules: tuple[str, ...],
    classes: tuple[str, ...],
    messages: tuple[str, ...],
    profile: str,
    results: Path | None,
    quiet: bool,
) -> None:
    """Judge what changed between two releases, each a folder, a jar, a file or a stored release.

    Prints what changed, and what must not have, with bytes that one release writes and the other
    misreads. Ends with 1 where a rule of the profile was broken, with 3 where there was nothing to
    judge.
    """
    from conformance.cli.schema_shown import show
    from conformance.definitions.evolution.facts import facts
    from conformance.definitions.evolution.pairing import match
    from conformance.definitions.evolution.release import read_release
    from conformance.definitions.proofs.evolution import examined
    from conformance.definitions.run import DefinitionRun, judge, rules_of
    from conformance.results.files import check_writable
    from conformance.schema.text.texts import texts_at

    if results is not None:
        check_writable(results)
    names = Path(old).name, Path(new).name
    asked = DefinitionRun(
        op="diff",
        target=f"{names[0]} to {names[1]}",
        version=names[1],
        again=["schema", "diff", old, new],
        rules=rules_of(["evolution"], rules, classes),
        messages=messages,
        profile=profile,
        results=results,
    )
    matched = match(
        read_release(names[0], texts_at(old)),
        read_release(names[1], texts_at(new)),
    )
    compared = list(examined(matched))
    if not matched.pairs and not any(each.findings for each in compared):
        unread = (f"{each.file}: {each.reason}" for each in matched.unread)
        why = next(unread, "give two releases of the same definitions")
        raise NothingSelected(f"no message is in both {old} and {new}", why)
    found = judge(asked, compared)
    if not quiet:
        for line in _changes(each for each in facts(matched) if _asked_for(each, messages)):
            console().print(line, markup=False, soft_wrap=True)
    show(asked, found, quiet)
    ctx.exit(found.exit_code)


def _asked_for(fact: Fact, messages: tuple[str, ...]) -> bool:
    return not messages or fact.message in messages


def _changes(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield a line for each kind of change."""
    kinds: dict[str, dict[tuple[str, str], None]] = {}
    for each in facts:
        kinds.setdefault(each.kind, {})[each.message, each.what] = None
    for kind, changed in kinds.items():
        yield f"{kind}: {'; '.join(_describe_changes(changed))}"


def _describe_changes(changed: dict[tuple[str, str], None]) -> Iterator[str]:
    """Yield each message with its change; a request and its response once if they changed alike."""
    for message, what in changed:
        request = message.removesuffix("Response") + "Request"
        response = message.removesuffix("Request") + "Response"
        if message.endswith("Response") and (request, what) in changed:
            continue
        both = message.endswith("Request") and (response, what) in changed
        yield " ".join(filter(None, (f"{message}/Response" if both else message, what)))
