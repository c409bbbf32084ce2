"""A client's properties file, as the tools of Kafka and of librdkafka take it.

It is read as Java reads one: a backslash escapes, and continues a line at its end. A value may name
where it is found instead of being written out, so that no secret has to stand in the file:
`${env:NAME}` is a variable of the environment, `${file:PATH}` what a file holds, and
`${file:PATH:NAME}` a property in one (KIP-297). No error shows a value, nor a line that could not
be read, since either may be a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from conformance.brokers.connection.client_keys import meaningless, meant, unknown
from conformance.errors import USAGE
from conformance.targets.errors import TargetError

MOST_BYTES = 1024 * 1024
JAAS = "sasl.jaas.config"
_PROPERTY = re.compile(r"((?:\\.|[^\\=:\s])+)\s*[=:]\s*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_ELSEWHERE = re.compile(r"\$\{(env|file):([^}]*)\}")
_OPTION = re.compile(r'\s+([\w.]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s";]+))')
_MODULE = re.compile(rf"\s*[\w.$]+\s+\w+((?:{_OPTION.pattern})*)\s*;?\s*")


class BadSecurity(TargetError):
    """Properties that a connection can not be secured by."""

    exit_code = USAGE


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties of one file. Only those that are asked for are looked up elsewhere."""

    path: Path
    _values: dict[str, str] = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return all properties of a file. Raises BadSecurity."""
        values: dict[str, str] = {}
        for number, line in _logical_lines(text_of(path, f"the properties file {path}")):
            found = _PROPERTY.fullmatch(line)
            if found is None:
                raise BadSecurity(f"line {number} of {path} is no property", "write NAME=VALUE")
            values[_unescaped(found[1])] = _unescaped(found[2]).strip()
        return cls(path, values)

    def check_names(self) -> None:
        """Raise BadSecurity for a name that no client of Kafka has."""
        for name in unknown(self._values):
            near = meant(name)
            hint = f"did you mean {near}?" if near else "leave it out"
            raise BadSecurity(f"no client of Kafka has the property {name!r} in {self.path}", hint)

    def meaningless(self) -> list[str]:
        """The names that other clients know, and that mean nothing here."""
        return meaningless(self._values)

    def get(self, *names: str) -> str:
        """The first of these that is set, empty where none is. Raises BadSecurity."""
        name = next((name for name in names if self._values.get(name)), "")
        return _resolved(name, self._values[name]) if name else ""

    def raw(self, name: str) -> str:
        """A property as it stands there, empty where it does not."""
        return self._values.get(name, "")

    def has(self, name: str) -> bool:
        """True if a property is given, even an empty one."""
        return name in self._values

    def jaas_options(self) -> dict[str, str]:
        """The options of the login module in `sasl.jaas.config`. Raises BadSecurity."""
        text = self._values.get(JAAS)
        if not text:
            return {}
        found = _MODULE.fullmatch(text)
        if found is None:
            raise BadSecurity(
                f"{JAAS} in {self.path} can not be read",
                'write MODULE required username="NAME" password="${env:VARIABLE}";',
            )
        options = {}
        for name, quoted, bare in _OPTION.findall(found[1]):
            options[name] = _resolved(JAAS, re.sub(r"\\(.)", r"\1", quoted) if quoted else bare)
        return options


def text_of(path: Path, what: str) -> str:
    """Return the content of a text file. Raises BadSecurity, which calls the file `what`."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "this can be no path"
        raise BadSecurity(f"{what} can not be read: {why}", "is the path right?") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadSecurity(f"{what} is no text in UTF-8", "is it the right file?") from None
    if len(data) > MOST_BYTES:
        raise BadSecurity(f"{what} is too large", "is it the right file?")
    return text


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line that says something, with its number, those it is continued by joined to it."""
    begun, first = "", 0
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], 1):
        stripped = line.lstrip()
        if not first:
            if not stripped or stripped[0] in "#!":
                continue
            first = number
        begun += stripped
        if (len(begun) - len(begun.rstrip("\\"))) % 2:
            begun = begun[:-1]
            continue
        yield first, begun
        begun, first = "", 0


def _unescaped(text: str) -> str:
    def plain(escape: re.Match[str]) -> str:
        code, char = escape.groups()
        return chr(int(code, 16)) if code else _ESCAPED.get(char, char)

    return _ESCAPE.sub(plain, text)


def _resolved(name: str, value: str) -> str:
    """Return a value with its references resolved. Raises BadSecurity with property and place."""

    def found(elsewhere: re.Match[str]) -> str:
        kind, where = elsewhere.groups()
        if kind == "file":
            return _held(where, name)
        if where not in os.environ:
            raise BadSecurity(f"{name} names the variable {where}, which is not set", "export it")
        return os.environ[where]

    return _ELSEWHERE.sub(found, value)


def _held(where: str, name: str) -> str:
    """Return the content of a file, or of a property in it. Raises BadSecurity."""
    path, colon, inner = where.rpartition(":")
    if not colon or Path(where).exists() or not Path(path).is_file():
        return text_of(Path(where), f"{where}, which {name} names,").rstrip("\r\n")
    value = Properties.read(Path(path)).raw(inner)
    if not value:
        raise BadSecurity(f"there is no {inner} in {path}, which {name} names", "write it there")
    return value
