"""The command lines that are printed for users to copy: this module builds all of them.

A run is identified by the words of its command line after the program's name: what is judged, and
the options that its verdicts depend on. Options for a repeated run are put in front of the two
dashes that a target's own command follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

PROGRAM = "kafka-conformance"
DASHES = "--"
PROXY_PROFILE = "kafka"
"""The profile by which a run on proxies fails if no profile is given."""
_USUAL = {"--profile": "spec", "--timeout": 10.0, "--memory": 2048}


def command_line(words: Sequence[str], *options: str) -> str:
    """Return the command of these words and options, quoted for a shell."""
    return shlex.join([PROGRAM, *with_options(words, options)])


def case_line(words: Sequence[str], case: str) -> str:
    """Return the command that repeats one case, "" if no command judges it."""
    return command_line(words, "--case", case) if words else ""


def input_line(target: str, data: bytes, profile: str) -> str:
    """Return the command that judges an input of the fuzzer again."""
    options = ["--input", data.hex(), *given({"--profile": profile})]
    return command_line(words_of("fuzz", target), *options)


def words_of(command: str, target: str) -> list[str]:
    """Return the words that judge a target by its name in results: a name, or `-- COMMAND`."""
    program = program_of(target)
    return [command, *([DASHES, *program] if program else [target])]


def program_of(target: str) -> list[str]:
    """Return the words of a target that is a command, by its name in results; none for others."""
    return shlex.split(target)[1:] if target.startswith(f"{DASHES} ") else []


def name_of_program(program: Sequence[str]) -> str:
    """Return the name in results of a target that is a command: `-- COMMAND`."""
    return shlex.join([DASHES, *program])


def given(options: Mapping[str, object]) -> list[str]:
    """Return options as words, without those that are off, unset or at their default."""
    found: list[str] = []
    for name, value in options.items():
        if value in (None, "", False) or value == _USUAL.get(name):
            continue
        found += [name] if value is True else [name, _text(value)]
    return found


def with_options(words: Sequence[str], options: Iterable[str]) -> list[str]:
    """Return the words with more options in front of a target's own command."""
    at = words.index(DASHES) if DASHES in words else len(words)
    return [*words[:at], *options, *words[at:]]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
