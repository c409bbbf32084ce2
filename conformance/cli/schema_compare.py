"""`kafka-conformance schema compare`: the differences of others' definitions from Kafka's bytes."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli import grouped
from conformance.cli.common import examples
from conformance.cli.grouped import JUDGE, TARGET, option
from conformance.cli.schema_shown import judging

NEAREST = "nearest"


@grouped.command(
    "compare",
    epilog=examples(
        "schema compare github.com/twmb/franz-go@v1.22.2",
        "schema compare franz-go/generate/definitions --release nearest",
        "schema compare kafka/protocol/schemas/resources --profile kafka",
        "schema compare proxy/messages --format proxy.importing:Messages --release 4.3.1",
    ),
)
@click.argument("theirs", metavar="DIR|FILE|MODULE@VERSION")
@option(
    JUDGE,
    "--release",
    default="",
    metavar="RELEASE",
    help="Compare with this release of Kafka, or with the `nearest`, whose versions are most like "
    "theirs.  [default: the newest stored]",
)
@option(
    TARGET,
    "--format",
    "form",
    default="",
    metavar="FORMAT",
    help="Read theirs as `kafka`, as `kmsg`, or by an importer of one's own, module:Class.  "
    "[default: found out]",
)
@judging
@click.pass_context
def command(
    ctx: click.Context,
    theirs: str,
    release: str,
    form: str,
    rules: tuple[str, ...],
    classes: tuple[str, ...],
    messages: tuple[str, ...],
    profile: str,
    results: Path | None,
    quiet: bool,
) -> None:
    """Compare others' message definitions with Kafka's, version by version.

    Only differences in bytes count: names are free. THEIRS are definitions in Kafka's JSON, in the
    language of franz-go (a folder, or its Go module at a version, which Go fetches), or in a form
    that an importer of one's own reads. Of a single file, only what is in it is compared. Ends with
    1 where a rule of the profile was broken, with 3 where there was nothing to compare.
    """
    from conformance.cli.schema_shown import show
    from conformance.definitions.foreign.comparing import compare
    from conformance.definitions.foreign.finding_importers import (
        importer_for,
        is_one_file,
        place_of,
        read_all,
    )
    from conformance.definitions.foreign.kafka import Kafka, nearest_release
    from conformance.definitions.proofs.misreadings import shown
    from conformance.definitions.run import DefinitionRun, judge, rules_of
    from conformance.results.files import check_writable

    if results is not None:
        check_writable(results)
    asked_for = rules_of(["foreign"], rules, classes)
    path = place_of(theirs)
    where = path.absolute().name
    imported = read_all(importer_for(path, form), path)
    alone = is_one_file(path)
    kafka = Kafka(nearest_release(imported) if release == NEAREST else release)
    if not alone:
        kafka.check_like(imported, where)
    asked = DefinitionRun(
        op="compare",
        target=where,
        version=kafka.release,
        again=[
            *("schema", "compare", theirs, "--release", kafka.release),
            *(("--format", form) if form else ()),
        ],
        rules=asked_for,
        messages=messages,
        profile=profile,
        results=results,
    )
    found = judge(asked, compare(imported, kafka, where, shown, whole=not alone))
    show(asked, found, quiet)
    ctx.exit(found.exit_code)
