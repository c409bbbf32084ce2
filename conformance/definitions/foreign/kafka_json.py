"""Definitions in Kafka's own form, as forks, proxies and other libraries keep them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath

from conformance.definitions.foreign.interface import Imported
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule
from conformance.schema.text.json_text import line_of, parse_json
from conformance.schema.text.problem import DefinitionError, Problem
from conformance.schema.text.reading import read_message
from conformance.schema.text.texts import Text, texts_at


class KafkaJson:
    """The importer of folders, jars and files of JSON."""

    name = "kafka"

    def detect(self, path: Path) -> bool:
        """True if the path is a JSON file or a jar, or a folder with JSON files."""
        return path.suffix in (".json", ".jar") or any(path.rglob("*.json"))

    def read(self, path: Path) -> Iterator[Imported]:
        """Yield each definition, read as far as possible."""
        return map(_imported, texts_at(str(path)))


def _imported(text: Text) -> Imported:
    name = PurePath(text.file).stem
    try:
        read = read_message(parse_json(text.text, text.file))
    except DefinitionError as error:
        finding = BrokenRule(NOT_UNDERSTOOD, text.file, error.line, "", error.reason)
        return Imported(text.file, name, None, findings=(finding,))
    message = read.message if read.whole else None
    # Problems that leave a definition readable, such as an unknown key, do not matter here.
    findings = () if read.whole else tuple(_finding(text, each) for each in read.problems)
    return Imported(
        text.file,
        message.name if message else name,
        message,
        partial(line_of, text.text),
        findings,
    )


def _finding(text: Text, problem: Problem) -> BrokenRule:
    line = line_of(text.text, problem.path)
    return BrokenRule(NOT_UNDERSTOOD, text.file, line, problem.place, problem.reason)
