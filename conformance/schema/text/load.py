"""From a definition's JSON text (Kafka's own, with comments, or our facts) to the model.

Code that uses a definition needs a correct one or none, and gets the first error in it, with file,
field and reason. Only errors that affect how bytes are written count here;
`conformance.definitions.lint` judges the other rules, and reports all errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.schema.model import Message
from conformance.schema.text.decisive import decisive
from conformance.schema.text.json_text import parse_json
from conformance.schema.text.problem import DefinitionError
from conformance.schema.text.reading import read_message

__all__ = ["DefinitionError", "load_content", "load_message", "parse_forgiving", "parse_json"]

_HARMLESS = frozenset(
    {"definitions.tagged-versions-stated", "definitions.tagged-field-versions-stated"}
)
"""Rules whose breaches a reader accepts, since the bytes are decided."""


def load_message(text: str, file: str = "definition") -> Message:
    """The model of one definition. Raises DefinitionError."""
    return load_content(parse_json(text, file), file)


def load_content(content: Mapping[str, Any], file: str = "definition") -> Message:
    """The model of one definition whose JSON is parsed already. Raises DefinitionError."""
    read = read_message(content)
    found = [problem for problem in read.problems if problem.rule not in _HARMLESS]
    if not found and read.message is not None:
        found = list(decisive(read.message))
    if found:
        raise DefinitionError(file, found[0].place, found[0].reason)
    assert read.message is not None
    return read.message


def parse_forgiving(text: str, file: str) -> dict[str, Any]:
    """A definition with what Kafka's generator forgave up to 2.8, which made use of it.

    Raises DefinitionError.
    """
    content = parse_json(text, file, rest=True)  # DescribeProducersRequest closes twice
    if content.get("validVersions") != "none":  # BeginQuorumEpochRequest has no flexibleVersions
        content.setdefault("flexibleVersions", "none")
    return content
