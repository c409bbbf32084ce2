"""The lines of franz-go's definitions: the blocks of a file, and the contents of one line, the head
of a definition or a field.

A field is `Name: type // when`, where the type may be an array, give a default in parentheses, or
be `=>` for a struct whose fields follow; `when` has versions, a tag, or both. Two fields that many
messages have are written without a type.

A file has blocks of lines, one a definition, with a blank line between. Indentation shows the
nesting, two blanks a level. Lines with only a comment are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.schema.versions import EVERY, MAX_VERSION, Versions

_LINE = re.compile(r"(?P<blanks> *)(?P<text>.*)")


class Misread(Exception):
    """A line that can't be understood, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class DslLine:
    """The contents of one line, counted from 1; `blanks` is its indentation."""

    number: int
    blanks: int
    text: str

    @property
    def depth(self) -> int:
        """The number of levels that it is indented. Raises Misread."""
        if self.blanks % 2 or self.text.startswith("\t"):
            raise Misread(self.number, "indented by something else than two blanks a level")
        return self.blanks // 2


def blocks(text: str) -> Iterator[list[DslLine]]:
    """Yield the lines of each block, without comments; blocks of comments alone are dropped."""
    block: list[DslLine] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line.rstrip("\r"))
        assert found is not None
        if not found["text"]:
            yield from [block] if block else []
            block = []
        elif not found["text"].startswith("//"):
            block.append(DslLine(number, len(found["blanks"]), found["text"].rstrip()))
    yield from [block] if block else []


_HEAD = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*) =>(?: (?P<said>.+))?")
_NUMBERED = re.compile(r"(key|max version|flexible) v?([0-9]{1,9})\+?")
_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*): (?P<type>.+?)(?: // (?P<when>.*))?")
_WHEN = re.compile(
    r"v(?P<low>[0-9]{1,9})(?:\+|-v(?P<high>[0-9]{1,9}))(?:, tag (?P<also>[0-9]{1,9}))?"
    r"|tag (?P<tag>[0-9]{1,9})"
)
_SPECIAL = re.compile(
    r"(?P<name>ThrottleMillis|TimeoutMillis)(?:\((?P<number>[0-9]+)\))?(?: // (?P<when>.*))?"
)
_TYPE = re.compile(
    r"(?:(?P<wrap>varint|nullable(?:-v(?P<since>[0-9]{1,9})\+)?)?(?P<opened>\[+))?"
    r"(?P<inner>nullable=>|=>[A-Za-z0-9]*|length-field-minus => [A-Za-z]+ - [0-9]+|[A-Za-z0-9+-]+)"
    r"(?:\((?P<inside>[^()]*)\))?(?P<closed>\]*)(?P<hint>(?<=>\])[A-Za-z0-9]+)?(?:\((?P<behind>[^()]*)\))?"
)
_TIMEOUT = "15000"
"""The default of a timeout in milliseconds, if the line gives none."""
_SAID = frozenset(
    {
        *("admin", "group coordinator", "txn coordinator", "share coordinator"),
        *("not top level", "no encoding", "with version field"),
    }
)


@dataclass(frozen=True)
class Head:
    """The first line of a definition: its name and its attributes."""

    name: str
    line: int
    said: frozenset[str]
    key: int | None = None
    newest: int | None = None
    flexible: int | None = None

    @property
    def top_level(self) -> bool:
        """True if it is a request or a response."""
        return "not top level" not in self.said


@dataclass(frozen=True)
class TypeWords:
    """A type as it was written: `arrays` deep, and nullable from version `null_since` on."""

    inner: str
    arrays: int = 0
    varint: bool = False
    null_since: int | None = None
    default: str | None = None


@dataclass(frozen=True)
class FieldWords:
    """A field as it was written. `versions` is None if the line gives only a tag."""

    name: str
    line: int
    type: TypeWords
    versions: Versions | None = EVERY
    tag: int | None = None


def head(line: DslLine) -> Head:
    """Return the head of a definition. Raises Misread."""
    found = _HEAD.fullmatch(line.text)
    if found is None or line.blanks:
        raise Misread(line.number, f"{line.text!r} begins no definition: `Name => ...`")
    said, numbers = set(), {}
    for part in filter(None, (found["said"] or "").split(", ")):
        numbered = _NUMBERED.fullmatch(part)
        if numbered and int(numbered[2]) <= MAX_VERSION:
            numbers[numbered[1]] = int(numbered[2])
        elif part in _SAID:
            said.add(part)
        else:
            raise Misread(line.number, f"{part!r} is nothing that can be said of a definition")
    return Head(
        found["name"],
        line.number,
        frozenset(said),
        numbers.get("key"),
        numbers.get("max version"),
        numbers.get("flexible"),
    )


def field(line: DslLine) -> FieldWords:
    """Return the field on a line. Raises Misread."""
    special = _SPECIAL.fullmatch(line.text)
    if special:
        versions, tag = _when(line, special["when"])
        timeout = special["name"] == "TimeoutMillis"
        default = (special["number"] or _TIMEOUT) if timeout else None
        type_ = TypeWords("int32", default=default)
        return FieldWords(special["name"], line.number, type_, versions, tag)
    found = _FIELD.fullmatch(line.text)
    if found is None:
        raise Misread(line.number, f"{line.text!r} is no field: `Name: type // v1+, tag 0`")
    versions, tag = _when(line, found["when"])
    return FieldWords(found["name"], line.number, _type(line, found["type"]), versions, tag)


def _when(line: DslLine, text: str | None) -> tuple[Versions | None, int | None]:
    if text is None:
        return EVERY, None
    found = _WHEN.fullmatch(text)
    if found is None:
        raise Misread(line.number, f"{text!r} is no range of versions, nor a tag")
    if found["tag"]:
        return None, int(found["tag"])
    versions = Versions(int(found["low"]), int(found["high"] or MAX_VERSION))
    if not versions or versions.high > MAX_VERSION:
        raise Misread(line.number, f"{text!r} is an empty range of versions")
    return versions, int(found["also"]) if found["also"] else None


def _type(line: DslLine, text: str) -> TypeWords:
    found = _TYPE.fullmatch(text)
    if found is None or len(found["opened"] or "") != len(found["closed"]):
        raise Misread(line.number, f"{text!r} is no type")
    wrap = found["wrap"] or ""
    return TypeWords(
        inner=found["inner"],
        arrays=len(found["closed"]),
        varint=wrap == "varint",
        null_since=int(found["since"] or 0) if wrap.startswith("nullable") else None,
        default=found["inside"] if found["behind"] is None else found["behind"],
    )
