"""The importer of a folder of franz-go's definitions: first its enums, then their users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.definitions.foreign.interface import Imported
from conformance.definitions.foreign.kmsg.blocks import Block, block
from conformance.definitions.foreign.kmsg.grammar import Misread, blocks
from conformance.definitions.foreign.kmsg.meaning import Known, message
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule
from conformance.schema.model import JsonPath
from conformance.schema.text.texts import NoDefinitions

ENUMS = "enums"
_PLACES = (".", "definitions", "generate/definitions")
_ENUM = re.compile(
    r"^([A-Za-z][A-Za-z0-9]*) (u?int(?:8|16|32|64)) (?:camelcase )?\($", re.MULTILINE
)
_REQUEST = re.compile(r"^[A-Za-z]+ => key [0-9]+", re.MULTILINE)
_NAMES = {
    "ConsumerMemberAssignment": "ConsumerProtocolAssignment",
    "ConsumerMemberMetadata": "ConsumerProtocolSubscription",
    "TxnMetadataKey": "TransactionLogKey",
    "TxnMetadataValue": "TransactionLogValue",
}
"""Kafka's names of messages that franz-go names differently and that have no api key."""


class Kmsg:
    """The importer of the module's folder, or of the folder of definitions in it."""

    name = "kmsg"

    def detect(self, path: Path) -> bool:
        """True if some file has a request in this form."""
        folder = _folder(path)
        return folder is not None and any(
            _REQUEST.search(_text(file)) for file in _files(folder) if file.name != ENUMS
        )

    def read(self, path: Path) -> Iterator[Imported]:
        """Yield each definition of its own; structs within others are part of those."""
        folder = _folder(path)
        if folder is None:
            raise NoDefinitions(
                f"{path} has no definitions of franz-go", "they are in generate/definitions"
            )
        found: list[Block] = []
        for file in _files(folder):
            if file.name != ENUMS:
                yield from _blocks(file, found)
        known = Known({each.head.name: each for each in found}, _enums(folder))
        for each in found:
            if "no encoding" not in each.head.said:
                yield _imported(each, known)


def _folder(path: Path) -> Path | None:
    places = (path / place for place in _PLACES)
    return next((place for place in places if any(place.glob("[0-9]*_*"))), None)


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.name[0] != ".")


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise NoDefinitions(f"{file}: {error.strerror}", "check the file") from None


def _enums(folder: Path) -> dict[str, str]:
    file = folder / ENUMS
    return dict(_ENUM.findall(_text(file))) if file.is_file() else {}


def _blocks(file: Path, found: list[Block]) -> Iterator[Imported]:
    """Add the file's definitions to those found, and yield those that can't be read."""
    for lines in blocks(_text(file)):
        try:
            found.append(block(file.name, lines))
        except Misread as error:
            yield _unread(file.name, lines[0].text.partition(" ")[0], error)


def _unread(file: str, name: str, error: Misread) -> Imported:
    finding = BrokenRule(NOT_UNDERSTOOD, file, error.line, "", error.reason)
    return Imported(file, name, None, findings=(finding,))


def _imported(found: Block, known: Known) -> Imported:
    def line_of(path: JsonPath) -> int:
        return next((step for step in path if isinstance(step, int)), found.head.line)

    try:
        read = message(found, known)
    except Misread as error:
        return _unread(found.file, found.head.name, error)
    name = _NAMES.get(found.head.name, found.head.name)
    return Imported(found.file, name, read, line_of, open_ended=not found.head.top_level)
