"""The command lines that are printed for somebody to copy: one place makes them all.

A run is known by the words of its command line, behind the program's name: what is judged, and the
options that its verdicts depend on. Whatever is asked of it again is put before the two dashes that
a target's own command follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

PROGRAM = "kafka-conformance"
DASHES = "--"
PROXY_PROFILE = "kafka"
"""By which rules a run on proxies fails where nothing is said."""
_USUAL = {"--profile": "spec", "--timeout": 10.0, "--memory": 2048}


def command_line(words: Sequence[str], *options: str) -> str:
    """The command of these words and options, quoted for a shell."""
    return shlex.join([PROGRAM, *with_options(words, options)])


def case_line(words: Sequence[str], case: str) -> str:
    """The command that asks one case again; none where there is no command that judges."""
    return command_line(words, "--case", case) if words else ""


def input_line(target: str, data: bytes, profile: str) -> str:
    """The command that judges an input of the fuzzer again."""
    options = ["--input", data.hex(), *given({"--profile": profile})]
    return command_line(words_of("fuzz", target), *options)


def words_of(command: str, target: str) -> list[str]:
    """The words that judge a target by its name in results: a name, or `-- COMMAND`."""
    program = program_of(target)
    return [command, *([DASHES, *program] if program else [target])]


def program_of(target: str) -> list[str]:
    """The words of a target that is a command, by its name in results; none of any other."""
    return shlex.split(target)[1:] if target.startswith(f"{DASHES} ") else []


def name_of_program(program: Sequence[str]) -> str:
    """The name in results of a target that is a command: `-- COMMAND`."""
    return shlex.join([DASHES, *program])


def given(options: Mapping[str, object]) -> list[str]:
    """Options as words, but for those that are off, unset or as usual."""
    found: list[str] = []
    for name, value in options.items():
        if value in (None, "", False) or value == _USUAL.get(name):
            continue
        found += [name] if value is True else [name, _text(value)]
    return found


def with_options(words: Sequence[str], options: Iterable[str]) -> list[str]:
    """The words with more options, before a target's own command."""
    at = words.index(DASHES) if DASHES in words else len(words)
    return [*words[:at], *options, *words[at:]]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
