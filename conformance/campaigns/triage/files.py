"""The files that triage writes into a folder: a table, and the smallest inputs for a fuzzer.

Inputs may end released codecs, so that only the owner may read the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from conformance.campaigns.storage.rows import to_json
from conformance.campaigns.storage.tables import Row, write_rows
from conformance.campaigns.triage.lines import CauseLine
from conformance.errors import UNREACHABLE, ConformanceError
from conformance.fuzzing.triage import case_name

TABLE = "triage"
INPUTS = "inputs"


class NotKept(ConformanceError):
    """A folder that can't be written, or that holds something else."""


def check_folder(root: Path) -> None:
    """Make the folder, or check that it holds nothing but triage's files. Raises NotKept."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        others = {path.name for path in root.iterdir()} - {TABLE, INPUTS}
    except OSError as error:
        raise NotKept(f"{root}: {error.strerror}", "choose a folder that can be written") from None
    if others:
        raise NotKept(f"{root} holds something else: {min(others)}", "choose another folder")


def keep(root: Path, lines: Sequence[CauseLine]) -> None:
    """Write the table and the inputs, in place of earlier ones. Raises NotKept."""
    root.chmod(0o700)
    write_rows(root / TABLE, TABLE, TABLE, _rows(lines))
    if not lines:
        (root / TABLE / f"{TABLE}.parquet").unlink(missing_ok=True)
    try:
        _write_inputs(root / INPUTS, lines)
    except OSError as error:
        failed = NotKept(f"{root / INPUTS}: {error.strerror}", "free some room")
        failed.exit_code = UNREACHABLE
        raise failed from None


def _write_inputs(folder: Path, lines: Iterable[CauseLine]) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    wanted = {
        case_name(data).rpartition("/")[2]: data
        for line in lines
        for each in line.targets
        if each.shortest is not None and (data := bytes.fromhex(each.fuzz_input or ""))
    }
    for path in folder.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, data in wanted.items():
        (folder / name).write_bytes(data)


def _rows(lines: Iterable[CauseLine]) -> Iterator[Row]:
    for position, line in enumerate(lines):
        about = {
            "position": position,
            "cause": line.cause,
            "rules": line.rules,
            "class": line.class_,
            "diagnosis": line.diagnosis,
        }
        for each in line.targets:
            row = msgspec.structs.asdict(each)
            given = each.input if isinstance(each.input, str) else to_json(each.input)
            yield (
                about
                | row
                | {
                    "input": given,
                    "shortest": _bytes(each.shortest),
                    "fuzz_input": _bytes(each.fuzz_input),
                }
            )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
