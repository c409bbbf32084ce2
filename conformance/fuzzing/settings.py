"""The settings of a fuzzing process: the codec, its place, and its limits."""

from __future__ import annotations

import msgspec


class FuzzSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a fuzzing process, which it receives as JSON.

    `codec` is `module:object`, to be found in the folders of `path`, of which the last is watched,
    `mutant` a mutant of the reference codec, `remote` a target in a process of its own, a program
    in the folder of `path`; without any it is the reference codec. `folder` is where it keeps its
    findings, "" to raise them. `program` is what libFuzzer calls to restart itself, `code` the
    folder of this package, if the parent process found it elsewhere.
    """

    codec: str = ""
    mutant: str = ""
    remote: str = ""
    path: tuple[str, ...] = ()
    folder: str = ""
    structure: bool = True
    memory_mib: int = 2048
    seed: int = 1
    program: str = "fuzz"
    code: str = ""
