"""All faults of definitions, each finding with its file and line.

A file is read as far as possible, and each rule is applied to the part that was understood. A file
of which nothing was understood has one finding that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from conformance.definitions.lint import apis, fields, messages, tags
from conformance.schema.finding import BrokenRule, Examined
from conformance.schema.model import Message
from conformance.schema.text.json_text import line_of, parse_json, repeated_keys
from conformance.schema.text.problem import DefinitionError, Problem
from conformance.schema.text.reading import READING_RULES, Reading, read_message, unique
from conformance.schema.text.texts import Text

JSON_OBJECT = "definitions.json-object"
LACKING = apis.request_and_response.rule
KEYS_ONCE = "definitions.keys-once"
OF_ONE = (*messages.RULES, *fields.RULES, *tags.RULES)
OF_MANY = apis.RULES
RULES = (
    JSON_OBJECT,
    KEYS_ONCE,
    *READING_RULES,
    *dict.fromkeys(each.rule for each in (*OF_ONE, *OF_MANY)),
)
"""The ids of all rules for one definition, in the order in which they are checked."""


def lint(texts: Iterable[Text]) -> list[Examined]:
    """Return the faults of each of these definitions, and of several of them together."""
    read = [(text, _read(text)) for text in texts]
    unread = {PurePath(text.file).stem for text, each in read if each.message is None}
    others = _beside_each_other([each.message for _, each in read if each.message], unread)
    return [_examined(text, each, others.get(id(each.message), [])) for text, each in read]


def _examined(text: Text, read: Reading, others: list[Problem]) -> Examined:
    message = read.message
    return Examined(
        file=text.file,
        name=message.name if message else PurePath(text.file).stem,
        version=message.valid.high if message else -1,
        findings=tuple(_findings(text, read.problems + others)),
        whole=read.whole,
    )


def _read(text: Text) -> Reading:
    if text.unreadable:
        return Reading(None, [Problem(JSON_OBJECT, "", text.unreadable, (1,))], whole=False)
    try:
        content = parse_json(text.text, text.file)
    except DefinitionError as error:
        problem = Problem(JSON_OBJECT, "", error.reason, (error.line,))
        return Reading(None, [problem], whole=False)
    read = read_message(content)
    found = [
        Problem(KEYS_ONCE, "", f"key {path[-1]!r} is given again", path)
        for path in repeated_keys(text.text)
    ]
    if read.message is not None:
        found += [problem for each in OF_ONE for problem in each(read.message)]
    return replace(read, problems=unique(read.problems + found))


def _beside_each_other(messages: Sequence[Message], unread: set[str]) -> dict[int, list[Problem]]:
    """Return the faults between messages; one that may be in an unreadable file is not missing."""
    found: dict[int, list[Problem]] = {}
    for each in OF_MANY:
        for message, problem in each(messages):
            if each.rule != LACKING or not _may_be_unread(apis.counterpart(message), unread):
                found.setdefault(id(message), []).append(problem)
    return found


def _may_be_unread(name: str, unread: set[str]) -> bool:
    """True if a message may be in a file named after it, or in one not named after a message."""
    return name in unread or any(not each.endswith(("Request", "Response")) for each in unread)


def _findings(text: Text, problems: Iterable[Problem]) -> Iterator[BrokenRule]:
    found = [
        BrokenRule(each.rule, text.file, _line(text, each), each.place, each.reason)
        for each in problems
    ]
    return iter(sorted(found, key=lambda each: each.line))


def _line(text: Text, problem: Problem) -> int:
    """Return the line of a problem; text that is no JSON has no path but the parser's line."""
    if problem.rule == JSON_OBJECT:
        return int(problem.path[0])
    return line_of(text.text, problem.path)
