"""Readable names of targets: the name that a target reports, or the telling part of its place.

A target is given as a command, a Python object, an address, a path or a name. In results that is
its `target`, which judges it again; this module turns it into a name for people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.results.command_lines import program_of

_RUNNERS = frozenset(
    (
        *("python", "python3", "node", "deno", "bun", "ruby", "java", "perl", "php", "bash", "sh"),
        *("env", "npx", "go", "cargo", "uv", "dotnet", "run", "exec"),
    )
)
"""Words in front of the name of a program that only say how it is run."""
_NO_NAMES = frozenset({"codec", "adapter", "testee", "target", "main", "index"})
"""Names of modules or objects that do not identify their owner."""
_ADDRESS = re.compile(r"(\[.*\]|[^\s:]+):\d{1,5}")
_MODULE_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_UNFIT = re.compile(r"[^\w.@+-]+")


def short_name(target: str) -> str:
    """Return the name of a target, whichever way it was given.

    >>> short_name("-- python3 my/driver.py {bootstrap}"), short_name("../definitions/mine")
    ('driver.py', 'mine')
    >>> short_name("my.package.codec:Codec"), short_name("my.mutants:TagSizePlusOne")
    ('package', 'TagSizePlusOne')
    >>> short_name("kafka:4.3.1"), short_name("localhost:9092"), short_name("kio@0.6.5")
    ('kafka:4.3.1', 'localhost:9092', 'kio@0.6.5')
    """
    program = program_of(target)
    if program:
        return _of_program(program)
    if is_python_object(target):
        return _of_object(target)
    return _last_of_path(target) if "/" in target else target


def full_name(target: str, introduced: str, named: str = "") -> str:
    """Return the name of a target with what it has `introduced` itself by, a name and a version.

    It is `named` by the command that judged it, else after its place.

    >>> full_name("mine:Codec", "mine 1"), full_name("-- ./my-testee --flag", "my-codec 1.2")
    ('mine 1', 'my-testee (my-codec 1.2)')
    >>> full_name("-- ./my-proxy {listen} {upstream}", "127.0.0.1:4567")
    'my-proxy'
    >>> full_name("-- ./run.sh {bootstrap}", "", "my-client"), full_name("mine:Codec", "x 1", "y")
    ('my-client', 'y (x 1)')
    """
    name = named or short_name(target)
    if not introduced or is_place(introduced):
        return name
    return introduced if name.partition("@")[0] in introduced else f"{name} ({introduced})"


def is_place(introduced: str) -> bool:
    """True if it is no name: the command itself, or the address where a target listens."""
    return bool(program_of(introduced) or _ADDRESS.fullmatch(introduced.strip()))


def file_name(target: str) -> str:
    """Return a name for files and folders about a target.

    >>> file_name("mine:Codec"), file_name("-- node ./my-testee.js --flag")
    ('mine-Codec', 'my-testee.js')
    """
    program = program_of(target)
    return _UNFIT.sub("-", _of_program(program) if program else target).strip("-")


def is_python_object(target: str) -> bool:
    """True for `module:object`, which is no NAME:VERSION and no HOST:PORT."""
    return _MODULE_OBJECT.fullmatch(target) is not None and not target.startswith("mutant:")


def _of_program(program: Sequence[str]) -> str:
    """Return the first word that names the program, without its folder."""
    named = [word for word in program if not word.startswith(("-", "{")) and "=" not in word]
    told = [word for word in named if _last_of_path(word) not in _RUNNERS]
    return _last_of_path((told or named or program)[0])


def _of_object(target: str) -> str:
    """Return the object's name, or, if it is a generic one, the innermost telling module."""
    module, _, name = target.partition(":")
    parts = [*module.split("."), *name.split(".")]
    return next((part for part in reversed(parts) if part.lower() not in _NO_NAMES), target)


def _last_of_path(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path
