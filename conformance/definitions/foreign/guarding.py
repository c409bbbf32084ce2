"""Protection against importers of others: any error of theirs becomes one line that names them.

Results are checked against the interface, as a value that is half made would break the suite far
from the place where it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgspec

from conformance.definitions.foreign.interface import Imported
from conformance.errors import ConformanceError
from conformance.schema.finding import BrokenRule
from conformance.schema.model import Field, JsonPath, Message
from conformance.schema.text.reading import MAX_DEPTH, MAX_TAG
from conformance.schema.versions import MAX_VERSION, Versions

_LONGEST = 200


class ImporterBroken(ConformanceError):
    """An importer that raised an error, or returned what it must not."""


@contextmanager
def guarded(
    told: str,
    hint: str = "an importer tells what it can't read as findings",
    as_: type[ConformanceError] = ImporterBroken,
) -> Iterator[None]:
    """Turn any error within, even SystemExit at import, into a line that begins with `told`."""
    try:
        yield
    except (ConformanceError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise as_(f"{told}: {_words(error)}", hint) from error


def proper(given: object, importer: str) -> Imported:
    """Return an importer's result, each part checked for its type. Raises ImporterBroken."""
    if not isinstance(given, Imported):
        raise _improper(importer, f"a {type(given).__name__}")
    parts = {name: getattr(given, name) for name in _Parts.__struct_fields__}
    try:
        made = msgspec.convert(msgspec.to_builtins(parts), _Parts)
    except (TypeError, ValueError, RecursionError) as error:
        raise _improper(importer, str(error)) from error
    reason = next(_faults(made.message), "") if made.message else ""
    if reason:
        raise _improper(importer, f"{made.name}: {reason}")
    return replace(
        given,
        file=made.file,
        name=made.name,
        message=made.message,
        findings=made.findings,
        line_of=_guarded_line(given.line_of, importer),
    )


class _Parts(msgspec.Struct):
    """The parts of an Imported, except its function."""

    file: str
    name: str
    message: Message | None
    findings: tuple[BrokenRule, ...]
    open_ended: bool


def _guarded_line(line_of: Callable[[JsonPath], int], importer: str) -> Callable[[JsonPath], int]:
    def line(path: JsonPath) -> int:
        with guarded(f"importer {importer} broke off in line_of"):
            found = line_of(path)
        if not isinstance(found, int):
            raise _improper(importer, f"line_of gives a {type(found).__name__}, which is no line")
        return found

    return line


def _faults(message: Message) -> Iterator[str]:
    """Yield the faults of a message that its types do not exclude."""
    if _beyond(message.valid) or _beyond(message.flexible):
        yield f"versions end at {MAX_VERSION}"
    yield from _of_fields(message.fields, MAX_DEPTH)


def _of_fields(fields: tuple[Field, ...], depth: int) -> Iterator[str]:
    if not depth:
        yield f"structs nest more than {MAX_DEPTH} deep"
        return
    for each in fields:
        yield from (f"{each.name!r}: {reason}" for reason in _of_field(each))
        type_ = each.type.element or each.type
        yield from _of_fields(type_.fields, depth - 1)


def _of_field(each: Field) -> Iterator[str]:
    if not each.name or "." in each.name:
        yield "a field's name is not empty, and has no dots"
    if (each.type.kind == "array") != (each.type.element is not None):
        yield "an array has an element, and nothing else has"
    if each.type.element and each.type.element.kind == "array":
        yield "an array's element is no array"
    if each.tag is not None and not 0 <= each.tag <= MAX_TAG:
        yield f"tag {each.tag} is no 31-bit number"
    if any(map(_beyond, (each.versions, each.nullable, each.tagged))):
        yield f"versions end at {MAX_VERSION}"


def _beyond(versions: Versions) -> bool:
    return bool(versions) and not (versions.low >= 0 and versions.high <= MAX_VERSION)


def _improper(importer: str, reason: str) -> ImporterBroken:
    return ImporterBroken(
        f"importer {importer} gave what is no proper Imported: {_line(reason)}",
        "docs/judge-definitions.md has an importer that works",
    )


def _words(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # `str` may run code of others
        said = ""
    return _line(": ".join(filter(None, (type(error).__name__, said))))


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
