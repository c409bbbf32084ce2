"""`kafka-conformance site`: results as a site of static pages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from conformance.cli import grouped
from conformance.cli.common import end, examples
from conformance.cli.grouped import JUDGE, OUTPUT, SELECT, option, repeated

if TYPE_CHECKING:  # templates and definitions are loaded where they are needed
    from conformance.reporting.site.building import KnownOf

_MIB = 2**20


@grouped.command(
    "site",
    epilog=examples(
        "site results.ndjson -o site",
        "site reports/2026-11-25 -o site --title 'November'",
        "site new.ndjson -o site --compare old.ndjson new.ndjson",
    ),
)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@option(
    OUTPUT,
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Write the site to this folder: a new one, an empty one, or a site made before.",
)
@repeated(
    SELECT,
    "--compare",
    "pairs",
    nargs=2,
    metavar="OLD NEW",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Compare these two files as well. Two runs of one target are compared anyway.",
)
@repeated(
    JUDGE,
    "--known",
    "known_files",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Tell of the known failures in this file with their issues, besides those of bundled "
    "targets.",
)
@option(OUTPUT, "--title", default="", help="Give the site this title.")
@option(
    OUTPUT,
    "--keep",
    type=click.IntRange(min=1),
    default=20,
    help="Show so many failures of each rule and target whole, and count the others.",
)
@option(
    OUTPUT,
    "--harmful",
    is_flag=True,
    help="Show what ends, stalls or exhausts a target. Do not publish such a site.",
)
@click.pass_context
def command(
    ctx: click.Context,
    results: tuple[Path, ...],
    output: Path,
    pairs: tuple[tuple[Path, Path], ...],
    known_files: tuple[Path, ...],
    title: str,
    keep: int,
    harmful: bool,
) -> None:
    """Write a site of RESULTS: who stands where, what to mend, and the bytes that prove it.

    RESULTS are files of --results, also compressed (.gz), and folders with such files, of a fuzzer
    or of a campaign. The site needs no server and no network: open its index.html. Where a target
    was judged twice, the newer run is shown, and compared with the older. Says on its error output
    what it is at. Ends with 3 where results are not whole, of which the site is made all the same.
    """
    from conformance.cli.report_bytes import annotate, definitions
    from conformance.reporting.site.building import TITLE, Site, build
    from conformance.reporting.site.folder import check
    from conformance.reporting.site.reading import ResultsFile, found
    from conformance.results.lines import CUT_SHORT
    from conformance.results.text import counted

    check(output)
    known = _known(known_files)
    site = Site(
        title=title or TITLE,
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        keep=keep,
        harmful=harmful,
        annotate=annotate,
        definitions=definitions,
        known=known,
    )
    compared = [(ResultsFile(old), ResultsFile(new)) for old, new in pairs]
    with TemporaryDirectory() as scratch:
        files = found(list(_with_campaigns(results, Path(scratch))))
        _say(f"a site of {counted(len(files), 'results file')}")
        built = build(files, output, site, compared, _say)
    index = output / "index.html"
    written = f"{counted(built.files, 'file')}, {built.bytes / _MIB:.1f} MiB"
    click.echo(f"{index}: {counted(len(built.targets), 'target')}, {written}")
    click.echo(f"open it in a browser: {index.absolute().as_uri()}")
    for view in built.targets:
        for notice in view.notices:
            if CUT_SHORT not in notice:
                _say(f"{view.name}: {notice}")
    runs = [*files, *(file for pair in compared for file in pair)]
    end(ctx, 0, (str(file.path) for file in runs if file.cut_short))


def _say(what: str) -> None:
    click.echo(f"kafka-conformance: {what}", err=True)


def _with_campaigns(results: tuple[Path, ...], scratch: Path) -> Iterator[Path]:
    """Yield the results as given, and the files made from the tables of campaigns."""
    for number, path in enumerate(results):
        if not (path / "runs").is_dir():
            yield path
            continue
        from conformance.campaigns.storage.compare_sources import check_tables

        check_tables()
        from conformance.campaigns.storage.results_files import results_of

        folder = scratch / str(number)
        folder.mkdir()
        yield from results_of(path, folder)


def _known(paths: tuple[Path, ...]) -> KnownOf:
    """Return the entries of these files, in front of the bundled ones."""
    from conformance.cli.report_bytes import bundled_known
    from conformance.results.known import read_known

    given = [entry for path in paths for entry in read_known(path)]
    return lambda run, kind: [*given, *bundled_known(run, kind)]
